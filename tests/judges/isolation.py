#!/usr/bin/env python3
"""Every operation of the contract that names something of a user, asked for by somebody whose it is not: another user, and the
same user at another client that nothing was shared with. Nothing of the owner's is shown, and nothing of it changes.

The operations are those of openapi.yaml: one that is not listed here fails.
"""

import pathlib
import secrets
import sys
import tempfile

import yaml
from judge import ROOT, Service, Verdict

OWNER, STRANGER = "+15550101", "+15550102"
SECRET = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one"
#: What needs no token, or is about nobody: the OAuth endpoints (their own judges), the service itself. Pages (openapi-pages.yaml) have
#: the browser judge.
OF_NOBODY = ("/oauth/", "/healthz", "/metrics", "/readyz", "/.well-known/",
             "/sync/retailers", "/sync/auth/totp", "/sandbox/token", "/sandbox/reset", "/sandbox/clock", "/sandbox/otp", "/sandbox/fail")
#: What lists what is the caller's.
LISTS = {("GET", "/sync/connections"), ("GET", "/sync/orders"), ("GET", "/sync/sessions/latest"), ("GET", "/sync/profile")}
#: What works on all that is the caller's.
ON_ALL = {("POST", "/sync/connections/sync"), ("POST", "/sync/orders/sync"), ("POST", "/v1/link/token"), ("POST", "/sync/connections/connect")}


def operations():
    paths = yaml.safe_load((ROOT / "openapi.yaml").read_text())["paths"]
    return [(method.upper(), path) for path, item in paths.items() for method in item
            if method in ("get", "post", "put", "delete", "patch") and not path.startswith(OF_NOBODY)]


class Owner:
    """A user with a connection, orders, an ended session and one that waits for a code."""

    def __init__(self, service):
        self.service, self.token = service, service.token(OWNER)
        done = service.connect(self.token, 12, "user_items_100").json
        service.follow(self.token, done["batchId"])
        waiting = service.connect(self.token, 11, "user_mfa_enter").json
        session = service.follow(self.token, waiting["batchId"], lambda session: any(event["type"] == "mfa" for event in session["events"]))
        self.request_id = [event["reqId"] for event in session["events"] if event["type"] == "mfa"][-1]
        orders = service.request("GET", "/sync/orders?limit=1000", token=self.token).json
        self.ids = {"connectionId": done["connectionId"], "batchId": done["batchId"], "id": orders[0]["id"]}
        self.link = self.link_token(self.token)
        self.secrets = [done["connectionId"], waiting["connectionId"], done["batchId"], waiting["batchId"], self.request_id,
                        *(order["id"] for order in orders)]

    def link_token(self, token):
        answer = self.service.request("POST", "/v1/link/token", {"external_user_id": "owner"}, token=token, headers={"X-Client-Secret": SECRET})
        assert answer.status == 201, answer
        return answer.json["link_token"]

    def state(self):
        """What would show that somebody changed something."""
        ask = lambda path: self.service.request("GET", path, token=self.token).json  # noqa: E731
        return [ask("/sync/connections"), ask("/sync/orders?limit=1000"), ask("/sync/sessions/latest"),
                ask(f"/sync/sessions/{self.ids['batchId']}"), ask("/sync/profile")]


def body_of(service, owner, token, method, path):
    """A body that would do, for its owner."""
    if path == "/sync/mfa":
        return {"eventType": "enter", "reqId": owner.request_id, "otpValue": "123456"}
    if path == "/sandbox/break":
        return {"connectionId": owner.ids["connectionId"]}
    if path == "/v1/link/token":
        return {"external_user_id": "somebody"}
    if method == "PUT" or path.endswith("/connect"):
        info, stamp = service.seal(token, {"username": "user_good", "password": "pass_good"})
        return {"connectionInfo": info, "currentStamp": stamp, **({"retailerId": 12, "mode": "FIX"} if method == "POST" else {})}
    return None


def walk(service, owner, who, token, verdict):
    """As `who` with `token`. A connection is not shown to another client, but it may say that there is one."""
    before = owner.state()
    for method, path in operations():
        what = f"{who}: {method} {path}"
        if not verdict.check(f"{what} is known here", "{" in path or (method, path) in LISTS | ON_ALL
                             or path in ("/sync/mfa", "/sandbox/break", "/v1/users/share"), path):
            continue
        place = path.format(**owner.ids)
        headers = {"Idempotency-Key": secrets.token_hex(8)} if method == "POST" else {}
        if path.startswith("/v1/"):
            headers["X-Client-Secret"] = SECRET
        if path == "/v1/users/share":
            headers["X-Link-Token"] = owner.link
        if path == "/sync/orders/sync":
            place += "?retailer=12"
        body = body_of(service, owner, token, method, path)
        answer = service.request(method, place, body, token=token, headers=headers)
        asked_for = [part for part in (*owner.ids.values(), owner.request_id) if part in place or body and part in str(body)]
        shown = [secret for secret in owner.secrets if secret.encode() in answer.body and secret not in asked_for]
        verdict.check(f"{what} shows nothing", not shown, (answer, shown[:3]))
        if (method, path) not in LISTS | ON_ALL:
            verdict.check(f"{what} is refused", answer.status in (401, 403, 404), answer)
    verdict.check(f"{who}: nothing has changed", owner.state() == before, (before, owner.state()))


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder, Service(pathlib.Path(folder), "--rate-limit", "off", "--speed", "50") as service:
        owner = Owner(service)
        assert len(owner.secrets) > 50, "there is nothing to hide"
        walk(service, owner, "another user", service.token(STRANGER), verdict)
        walk(service, owner, "another user at another client", service.token(STRANGER, client="another"), verdict)
        walk(service, owner, "another client", service.token(OWNER, client="another"), verdict)
    return verdict.end("isolation")


if __name__ == "__main__":
    sys.exit(main())
