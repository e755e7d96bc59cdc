#!/usr/bin/env python3
"""Every refusal that the contract names, provoked over plain HTTP: status, code, message, details, request id.

The rows of the specification's error table that are served so far are CONNECTION_NOT_SHARED and TOO_MANY_REQUESTS; the
others belong to endpoints under /v1. With `--no-wait` the minute that it takes to prove `Retry-After` true is saved.
"""

import argparse
import http.client
import pathlib
import sys
import tempfile
import time

from judge import Service, Verdict, request

SCOPES = ["accounts:read", "accounts:connect", "accounts:sync", "orders:read", "profile:read", "users:share"]
ABSENT = "conn_00000000000000000000000000"
# Everything that needs a token: method, path, scope, body.
PROTECTED = [
    ("GET", "/sync/auth/totp", "accounts:connect", None),
    ("GET", "/sync/connections", "accounts:read", None),
    ("GET", f"/sync/connections/{ABSENT}", "accounts:read", None),
    ("POST", "/sync/connections/connect", "accounts:connect", {}),
    ("PUT", f"/sync/connections/{ABSENT}", "accounts:connect", {}),
    ("POST", f"/sync/connections/{ABSENT}/sync", "accounts:sync", None),
    ("POST", "/sync/connections/sync", "accounts:sync", None),
    ("GET", "/sync/orders", "orders:read", None),
    ("GET", "/sync/orders/x", "orders:read", None),
    ("GET", "/sync/completeness", "orders:read", None),
    ("POST", "/sync/orders/sync", "accounts:sync", None),
    ("GET", "/sync/sessions/latest", "accounts:read", None),
    ("GET", "/sync/sessions/x", "accounts:read", None),
    ("POST", "/sync/mfa", "accounts:connect", {}),
    ("POST", "/sandbox/reset", None, {}),
    ("POST", "/sandbox/break", None, {"connectionId": ABSENT}),
    ("POST", "/sandbox/clock", None, {"advanceSeconds": 0}),
]
BODIES = [path for method, path, _, body in PROTECTED if body is not None and method == "POST"] + ["/sandbox/token"]


class Judge:
    def __init__(self, service, verdict):
        self.service, self.verdict, self.request_ids = service, verdict, set()
        self.token = service.token()

    def refused(self, what, status, code, method, path, body=None, token="own", headers=None, field=None, details=()):
        """Checks one refusal, and gives the answer."""
        token = self.token if token == "own" else token
        answer = self.service.request(method, path, body, token=token, headers=headers)
        self.look(what, answer, status, code, field, details)
        return answer

    def look(self, what, answer, status, code, field=None, details=()):
        check, what = self.verdict.check, f"{what}: {status} {code}"
        if not check(what, (answer.status, answer.code) == (status, code), answer):
            return
        body = answer.json
        check(f"{what}: a message", isinstance(body.get("message"), str) and body["message"].endswith("."), answer)
        check(f"{what}: nothing else in the body", body.keys() <= {"code", "message", "details"}, answer)
        check(f"{what}: JSON", answer.headers.get("content-type", "").startswith("application/json"), answer.headers)
        request_id = answer.headers.get("x-request-id")
        check(f"{what}: a request id of its own", request_id and request_id not in self.request_ids, answer.headers)
        self.request_ids.add(request_id)
        if status == 401:
            check(f"{what}: a challenge", answer.headers.get("www-authenticate", "").startswith("Bearer"), answer.headers)
        if field is not None:
            check(f"{what}: names {field}", body.get("details", {}).get("field") == field, answer)
        for name in details:
            check(f"{what}: details.{name}", body.get("details", {}).get(name), answer)

    def clock(self, **change):
        moved = self.service.request("POST", "/sandbox/clock", change, token=self.token)
        self.verdict.check(f"the clock takes {change}", moved.status == 200, moved)

    def sign_in(self):
        for method, path, scope, body in PROTECTED:
            where = f"{method} {path}"
            self.refused(f"{where} without a token", 401, "UNAUTHORIZED", method, path, body, token=None)
            self.refused(f"{where} with a bad one", 401, "UNAUTHORIZED", method, path, body, token="no-such-token")
            if scope:
                others = self.service.token(scopes=" ".join(other for other in SCOPES if other != scope))
                self.refused(f"{where} without {scope}", 403, "INSUFFICIENT_SCOPE", method, path, body, token=others)
        basic = {"Authorization": "Basic dXNlcjpwYXNz"}
        self.refused("another scheme", 401, "UNAUTHORIZED", "GET", "/sync/orders", token=None, headers=basic)
        for path in ("/sync/retailers", "/healthz", "/readyz"):
            answer = self.service.request("GET", path)
            self.verdict.check(f"{path} needs none", answer.status == 200, answer)

    def not_there(self):
        self.refused("no such path", 404, "NOT_FOUND", "GET", "/sync/nothing")
        self.refused("no such path, no token", 404, "NOT_FOUND", "GET", "/nothing", token=None)
        for method, path in [
            ("GET", f"/sync/connections/{ABSENT}"), ("POST", f"/sync/connections/{ABSENT}/sync"),
            ("GET", "/sync/orders/item_0"), ("GET", "/sync/orders/%FF"), ("GET", "/sync/sessions/batch_0"),
        ]:
            self.refused(f"{method} {path}", 404, "NOT_FOUND", method, path)
        self.refused("no session yet", 404, "NOT_FOUND", "GET", "/sync/sessions/latest",
                     token=self.service.token(phone="+15550177"))
        self.refused("break", 404, "NOT_FOUND", "POST", "/sandbox/break", {"connectionId": ABSENT})
        answer = {"eventType": "enter", "reqId": "mfa_0", "otpValue": "123456"}
        self.refused("an unknown MFA request", 404, "NOT_FOUND", "POST", "/sync/mfa", answer)
        for method, path in [("DELETE", "/sync/retailers"), ("POST", "/sync/orders"), ("PATCH", "/sync/orders/x"),
                             ("GET", "/sync/mfa"), ("TRACE", "/healthz")]:
            answer = self.refused(f"{method} {path}", 405, "METHOD_NOT_ALLOWED", method, path)
            self.verdict.check(f"{method} {path}: Allow", answer.headers.get("allow"), answer.headers)

    def queries(self):
        for path, wrong in {
            "/sync/orders": {
                "limit": ["0", "1001", "-1", "abc", "", "1.5", "99999999999999999999"],
                "offset": ["-1", "abc", "", "99999999999999999999"],
                "start_date": ["", "today", "2025-02-30", "2025-1-2", "16.10.2025", "2025-10-16T13"],
                "end_date": ["", "tomorrow", "2025-13-01"],
                "retailer_id": ["abc", "", "1.5", "99999999999999999999"],
                "format": ["xml", "", "CSV"],
                "unknown": ["1", ""],
            },
            "/sync/completeness": {"retailer_id": ["abc", "", "1.5", "99999999999999999999"], "limit": ["1"]},
            "/sync/connections": {
                "limit": ["0", "1001", "x"], "offset": ["-1"], "status": ["broken", "", "VALID"],
            },
        }.items():
            for field, values in wrong.items():
                for value in values:
                    self.refused(f"{path}?{field}={value}", 400, "INVALID_REQUEST", "GET", f"{path}?{field}={value}",
                                 field=field)
        for dates in ("start_date=2025-10-16&end_date=2025-10-16", "start_date=2025-10-17&end_date=2025-10-16T00:00:00Z"):
            self.refused(dates, 400, "INVALID_REQUEST", "GET", f"/sync/orders?{dates}", field="start_date")
        self.refused("twice", 400, "INVALID_REQUEST", "GET", "/sync/orders?limit=1&limit=2", field="limit")
        self.refused("retailer=x", 400, "INVALID_REQUEST", "POST", "/sync/orders/sync?retailer=x", field="retailer")
        for fine in ("limit=1", "limit=1000", "start_date=2025-10-16", "format=csv",
                     "start_date=2025-10-16T00:00:00%2B02:00&end_date=2025-10-16"):
            answer = self.service.request("GET", f"/sync/orders?{fine}", token=self.token)
            self.verdict.check(f"{fine} is fine", answer.status == 200, answer)

    def bodies(self):
        json_type = {"Content-Type": "application/json"}
        for path in BODIES:
            for what, body in {"broken": b"{", "a list": b"[]", "text": b"\"x\"", "not UTF-8": b"{\"a\":\"\xff\"}",
                               "empty": b""}.items():
                self.refused(f"{path} {what}", 400, "INVALID_REQUEST", "POST", path, body, headers=json_type, field="body")
            form = {"Content-Type": "application/x-www-form-urlencoded"}
            self.refused(f"{path} form", 415, "UNSUPPORTED_MEDIA_TYPE", "POST", path, b"a=b", headers=form)
            self.refused(f"{path} untyped", 415, "UNSUPPORTED_MEDIA_TYPE", "POST", path, b"{}", headers={"Content-Type": ""})
            large = b"{\"a\":\"" + b"a" * 65536 + b"\"}"
            self.refused(f"{path} large", 413, "PAYLOAD_TOO_LARGE", "POST", path, large, headers=json_type)
        connect = {"retailerId": 12, "connectionInfo": "x", "currentStamp": "y", "mode": "CONNECT"}
        for field, values in {"retailerId": [None, "12", 1.5, 2**63, True], "connectionInfo": [None, 1, {}],
                              "currentStamp": [None, 1], "mode": [None, "connect", "", 1]}.items():
            for value in [*values, ...]:
                body = {k: v for k, v in (connect | {field: value}).items() if v is not ...}
                what = f"connect with {field} {'missing' if value is ... else value!r}"
                self.refused(what, 400, "INVALID_REQUEST", "POST", "/sync/connections/connect", body, field=field)
        mfa = {"eventType": "enter", "reqId": "mfa_0", "otpValue": "1"}
        for field, changed in [("eventType", {"eventType": "guess"}), ("reqId", {"reqId": None}),
                               ("otpValue", {"otpValue": None}), ("otpValue", {"otpValue": " "}),
                               ("otpValue", {"otpValue": "1" * 65}), ("selectedOption", {"eventType": "choose"})]:
            self.refused(f"mfa with {changed}", 400, "INVALID_REQUEST", "POST", "/sync/mfa", mfa | changed, field=field)
        for path, body, field in [
            ("/sandbox/token", {"phone": "+4915112345678"}, "phone"),
            ("/sandbox/token", {"phone": "+15550100", "scopes": "orders:write"}, "scopes"),
            ("/sandbox/token", {"phone": "+15550100", "client_id": "a b"}, "client_id"),
            ("/sandbox/token", {"phone": "+15550100", "scope": ""}, "scope"),
            ("/sandbox/reset", {"al": True}, "al"), ("/sandbox/reset", {"all": "yes"}, "all"),
            ("/sandbox/break", {}, "connectionId"),
            ("/sandbox/clock", {}, "advanceSeconds"), ("/sandbox/clock", {"advanceSeconds": -1}, "advanceSeconds"),
            ("/sandbox/clock", {"advanceSeconds": 1, "freeze": True}, "advanceSeconds"),
        ]:
            self.refused(f"{path} {body}", 400, "INVALID_REQUEST", "POST", path, body, field=field)
        for key in ("a" * 256, "ä"):
            self.refused(f"the key {key[:3]}", 400, "INVALID_REQUEST", "POST", "/sync/connections/sync",
                         headers={"Idempotency-Key": key.encode("latin-1").decode("latin-1")}, field="Idempotency-Key")

    def connections(self):
        service, check = self.service, self.verdict.check
        nothing = service.request("POST", "/sync/connections/sync", token=self.token)
        check("nothing to sync", (nothing.status, nothing.json) == (200, {"status": "no_retailers"}), nothing)
        self.look("an unknown retailer", service.connect(self.token, 999_999, "user_good"), 404, "NOT_FOUND")
        retailers = service.request("GET", "/sync/retailers").json
        listed = [entry["retailerId"] for entry in retailers if not entry["syncConfig"]["serverSide"]]
        if check("a retailer that is only listed", listed, retailers):
            self.look("only listed", service.connect(self.token, listed[0], "user_good"), 400, "RETAILER_NOT_CONNECTABLE")
        self.look("nothing to fix", service.connect(self.token, 12, "user_good", mode="FIX"), 404, "NOT_FOUND")

        # While its user's time stands still, it is read for a few seconds and then waits: however slow we are, it goes on.
        self.clock(freeze=True)
        begun = service.connect(self.token, 12, "user_slow")
        check("connect", begun.status == 202 and begun.json["status"] == "syncing", begun)
        connection, batch = begun.json["connectionId"], begun.json["batchId"]
        at = f"/sync/connections/{connection}"
        self.look("connect again", service.connect(self.token, 12, "user_good"), 409, "CONNECTION_EXISTS",
                  details=["connectionId"])
        fixed = service.connect(self.token, 12, "user_good", mode="FIX")
        self.look("fix while it syncs", fixed, 409, "SYNC_IN_PROGRESS", details=["batchId"])
        service.follow(self.token, batch, lambda s: s["retailerSyncSessions"][0]["syncStatus"] == "scanning")
        self.refused("sync while it syncs", 409, "SYNC_IN_PROGRESS", "POST", f"{at}/sync", details=["batchId"])
        self.refused("sync all while it syncs", 409, "SYNC_IN_PROGRESS", "POST", "/sync/connections/sync", details=["batchId"])
        self.refused("break while it syncs", 409, "SYNC_IN_PROGRESS", "POST", "/sandbox/break", {"connectionId": connection})
        self.clock(freeze=False)
        service.follow(self.token, batch)

        item = service.request("GET", "/sync/orders?limit=1", token=self.token).json[0]["id"]
        for caller, token, status, code in [
            ("another client", service.token(client="another"), 403, "CONNECTION_NOT_SHARED"),
            ("another user", service.token("+15550123"), 404, "NOT_FOUND"),
        ]:
            for method, path, body in [("GET", at, None), ("POST", f"{at}/sync", None), ("GET", f"/sync/orders/{item}", None),
                                       ("POST", "/sandbox/break", {"connectionId": connection})]:
                self.refused(f"{caller}: {method} {path}", status, code, method, path, body, token=token)
            info, stamp = service.seal(token, {"username": "user_good", "password": "pass_good"})
            body = {"connectionInfo": info, "currentStamp": stamp}
            self.refused(f"{caller}: fix", status, code, "PUT", at, body, token=token)
            answer = service.request("GET", "/sync/orders", token=token)
            check(f"{caller} sees no orders", answer.json == [] and answer.headers["x-total-count"] == "0", answer)
        stranger = service.token("+15550123")
        self.refused("another user's session", 404, "NOT_FOUND", "GET", f"/sync/sessions/{batch}", token=stranger)

        broken = service.request("POST", "/sandbox/break", {"connectionId": connection}, token=self.token)
        check("break", broken.status == 200 and broken.json["status"] == "invalid", broken)
        self.refused("sync one that is invalid", 409, "CONNECTION_INVALID", "POST", f"{at}/sync")
        self.refused("sync its orders", 409, "CONNECTION_INVALID", "POST", "/sync/orders/sync?retailer=12")
        self.refused("not sealed", 400, "SEAL_REJECTED", "PUT", at, {"connectionInfo": "x", "currentStamp": "y"})

    def mfa(self):
        service, check = self.service, self.verdict.check
        token = service.token(phone="+15550102")
        asked = lambda session: session["retailerSyncSessions"][0]["syncStatus"] == "userintervention"
        batch = service.connect(token, 12, "user_mfa_choose").json["batchId"]
        first = [e for e in service.follow(token, batch, asked)["events"] if e["type"] == "mfa"][-1]
        answer = {"eventType": "choose", "reqId": first["reqId"], "selectedOption": "sms"}
        post = ("POST", "/sync/mfa")
        self.refused("another kind of answer", 400, "INVALID_REQUEST", *post,
                     {"eventType": "enter", "reqId": first["reqId"], "otpValue": "1"}, token=token, field="eventType")
        self.refused("a method that is not offered", 400, "INVALID_REQUEST", *post,
                     answer | {"selectedOption": "pigeon"}, token=token, field="selectedOption")
        self.refused("another user's request", 404, "NOT_FOUND", *post, answer, token=service.token("+15550123"))
        taken = service.request(*post, answer, token=token)
        check("an answer is taken", (taken.status, taken.json) == (202, {"batchId": batch}), taken)
        self.refused("answered already", 409, "MFA_REQUEST_EXPIRED", *post, answer, token=token)
        another = lambda s: asked(s) and [e for e in s["events"] if e["type"] == "mfa"][-1]["reqId"] != first["reqId"]
        second = [e for e in service.follow(token, batch, another)["events"] if e["type"] == "mfa"][-1]
        moved = service.request("POST", "/sandbox/clock", {"advanceSeconds": 301}, token=token)
        check("the clock moves", moved.status == 200, moved)
        late = {"eventType": "enter", "reqId": second["reqId"], "otpValue": "123456"}
        self.refused("expired", 409, "MFA_REQUEST_EXPIRED", *post, late, token=token)
        ended = service.follow(token, batch)["retailerSyncSessions"][0]
        check("unanswered: timed_out", ended["syncStatus"] == "timed_out", ended)

    def idempotency(self):
        service, check = self.service, self.verdict.check
        token = service.token(phone="+15550103")
        info, stamp = service.seal(token, {"username": "user_good", "password": "pass_good"})
        body = {"retailerId": 11, "connectionInfo": info, "currentStamp": stamp, "mode": "CONNECT"}
        named = {"token": token, "headers": {"Idempotency-Key": "a key"}}
        first = service.request("POST", "/sync/connections/connect", body, **named)
        again = service.request("POST", "/sync/connections/connect", body, **named)
        check("the first answer again", first.status == again.status == 202 and first.json == again.json, (first, again))
        self.refused("the key with another body", 409, "IDEMPOTENCY_CONFLICT", "POST", "/sync/connections/connect",
                     body | {"mode": "FIX"}, **named)
        self.refused("the key with another path", 409, "IDEMPOTENCY_CONFLICT", "POST", "/sync/connections/sync", **named)
        listed = service.request("GET", "/sync/connections", token=token)
        self.service.request("POST", "/sandbox/reset", {}, token=service.token("+15550123"))
        check("another user's reset leaves it", len(service.request("GET", "/sync/connections", token=token).json) == 1)
        check("one connection came of it", len(listed.json) == 1 and listed.headers["x-total-count"] == "1", listed)
        gone = service.request("POST", "/sandbox/reset", {"all": True}, token=service.token("+15550123"))
        check("a reset of all is answered", (gone.status, gone.body) == (204, b""), gone)
        for user in (token, self.token):
            left = service.request("GET", "/sync/connections", token=user)
            check("a reset of all leaves nothing", left.json == [], left)


def rate(verdict, folder, wait):
    """101 quick requests: the 101st is refused, and what it says about the time is true."""
    with Service(folder, "--rate-limit", "100") as service:
        judge = Judge(service, verdict)
        base, token = service.base.removeprefix("http://"), service.token()
        connection = http.client.HTTPConnection(base, timeout=30)
        statuses, answered = [], []
        began = time.monotonic()
        for _ in range(100):
            connection.request("GET", "/sync/connections", headers={"Authorization": f"Bearer {token}"})
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
            answered.append(time.monotonic())
        verdict.check("100 requests are answered", statuses == [200] * 100, statuses)
        asked_at = time.monotonic()
        answer = judge.refused("the 101st", 429, "TOO_MANY_REQUESTS", "GET", "/sync/connections", token=token)
        refused_at = time.monotonic()
        print(f"101 requests in {refused_at - began:.2f} s; the 101st says Retry-After: {answer.headers.get('retry-after')}")
        seconds = int(answer.headers["retry-after"])
        # The first was counted before it was answered, and leaves the window a minute later.
        least, most = began + 60 - refused_at, answered[0] + 60 - asked_at
        verdict.check("Retry-After is the whole seconds until then", least <= seconds < most + 1, (least, seconds, most))
        open_to = request(service.base, "GET", "/sync/retailers")
        verdict.check("who has no token is counted apart", open_to.status == 200, open_to)
        open_to = service.request("GET", "/sync/connections", token=service.token(client="another"))
        verdict.check("and so is another client", open_to.status == 200, open_to)
        if wait:
            time.sleep(max(0.0, began + 59 - time.monotonic()))
            answer = service.request("GET", "/sync/connections", token=token)
            # When a late answer was given is unknown.
            if time.monotonic() < began + 60:
                judge.look("a second too early", answer, 429, "TOO_MANY_REQUESTS")
            time.sleep(max(0.0, refused_at + seconds - time.monotonic()))
            answer = service.request("GET", "/sync/connections", token=token)
            verdict.check("at the time that was said", answer.status == 200, answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-wait", action="store_true")
    arguments = parser.parse_args()
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Service(folder / "errors", "--rate-limit", "off", "--speed", "4") as service:
            judge = Judge(service, verdict)
            for part in (judge.sign_in, judge.not_there, judge.queries, judge.bodies, judge.connections, judge.mfa,
                         judge.idempotency):
                part()
        rate(verdict, folder / "rate", not arguments.no_wait)
    return verdict.end("errors")


if __name__ == "__main__":
    sys.exit(main())
