#!/usr/bin/env python3
"""Every operation of the contract that names something of a user, asked for by somebody whose it is not: another user; the
same user at another client that nothing was shared with; and the back ends of both clients, with the client's own token and a
link token of another user, of another client, that has expired, or that the user no longer shares anything with. Nothing of the
owner's is shown, and nothing of it changes.

The operations are those of openapi.yaml: one that is not listed here fails.
"""

import base64
import json
import pathlib
import re
import secrets
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

import yaml
from judge import ROOT, Service, Verdict
from person import Person

OWNER, STRANGER = "+15550101", "+15550102"
#: The client that the owner shares with, and another one.
CLIENT, OTHER = "sandbox", "another"
SECRET = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one"
#: What needs no token, or is about nobody: the OAuth endpoints (their own judges), the service itself. Pages (openapi-pages.yaml) have
#: the browser judge.
OF_NOBODY = ("/oauth/", "/healthz", "/metrics", "/readyz", "/.well-known/",
             "/sync/retailers", "/sync/auth/totp", "/sandbox/token", "/sandbox/reset", "/sandbox/clock", "/sandbox/otp", "/sandbox/fail", "/sandbox/unbind")
#: What lists what is the caller's.
LISTS = {("GET", "/sync/connections"), ("GET", "/sync/orders"), ("GET", "/sync/completeness"), ("GET", "/sync/documents"),
         ("GET", "/sync/sessions/latest"), ("GET", "/sync/profile")}
#: What works on all that is the caller's.
ON_ALL = {("POST", "/sync/connections/sync"), ("POST", "/sync/orders/sync"), ("POST", "/sync/imports"), ("POST", "/v1/link/token"),
          ("POST", "/sync/connections/connect")}


def operations():
    paths = yaml.safe_load((ROOT / "openapi.yaml").read_text())["paths"]
    return [(method.upper(), path) for path, item in paths.items() for method in item
            if method in ("get", "post", "put", "delete", "patch") and not path.startswith(OF_NOBODY)]


class User:
    """Somebody with a user's token."""

    lists = LISTS | ON_ALL

    def __init__(self, service, phone, client=CLIENT):
        self.token = self.seals_with = service.token(phone, client=client)

    def headers(self, owner, path):
        return {"X-Client-Secret": SECRET, "X-Link-Token": owner.link} if path.startswith("/v1/") else {}


class BackEnd:
    """A client's back end, with the client's own token and a link token."""

    #: With a link token of its own, whose user shares something or not, it reads lists: without what is not its user's.
    lists = LISTS | ON_ALL | {("GET", "/v1/users/share")}

    def __init__(self, service, client):
        self.service, self.client = service, client
        # A sandbox makes a client when it is first named.
        self.seals_with = service.token(STRANGER, client=client)
        form = f"grant_type=client_credentials&client_id={client}&client_secret={SECRET}".encode()
        answer = service.request("POST", "/oauth/token", form, headers={"Content-Type": "application/x-www-form-urlencoded"})
        assert answer.status == 200, answer
        self.token, self.link, self.widget = answer.json["access_token"], "none", None

    def link_token(self, external_user_id):
        answer = self.service.request("POST", "/v1/link/token", {"external_user_id": external_user_id}, token=self.token,
                                      headers={"X-Client-Secret": SECRET})
        assert answer.status == 201, answer
        return answer.json["link_token"]

    def of(self, phone, external_user_id):
        """The same with a link token of its own, whose user has opened the widget."""
        self.link = self.link_token(external_user_id)
        self.widget = Widget(self.service, phone, self.link)
        return self

    def with_link(self, link):
        self.link, self.lists = link, set()
        return self

    def headers(self, _owner, _path):
        return {"X-Client-Secret": SECRET, "X-Link-Token": self.link}


class Widget:
    """The page, as its script uses it."""

    def __init__(self, service, phone, link):
        self.service, self.person = service, Person(phone)
        page = self.person.decide(f"{service.base}/widget?link_token={link}", "approve")
        self.headers = {f"X-{header}": re.search(f'data-{name}="([^"]+)"', page)[1]
                        for header, name in (("CSRF-Token", "csrf"), ("Widget-Link", "link"))}

    def post(self, path, body):
        request = urllib.request.Request(self.service.base + path, json.dumps(body).encode(),
                                         {**self.headers, "Content-Type": "application/json"}, method="POST")
        with self.person.browser.open(request, timeout=60) as response:
            assert response.status in (200, 204), response.status

    def share(self, connection_id, shared):
        self.post("/widget/share", {"connectionId": connection_id, "shared": shared})


def expire_links(service):
    """As if half an hour had passed since they were made."""
    statement = "UPDATE link_tokens SET expires_at = 1"
    if str(service.database).startswith("postgres"):
        subprocess.run(["psql", "--no-psqlrc", "--quiet", "--command", statement, service.database], check=True)
        return
    store = sqlite3.connect(service.database, timeout=60)
    with store:
        store.execute(statement)
    store.close()


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
        self.order_id = orders[0]["orderId"]
        kept = service.request("POST", "/sync/documents", self.document(done["connectionId"]), token=self.token)
        assert kept.json["documentsNew"] == 1, kept
        document = service.request("GET", "/sync/documents", token=self.token).json[0]
        self.ids = {"connectionId": done["connectionId"], "batchId": done["batchId"], "id": orders[0]["id"],
                    "documentId": document["documentId"]}
        self.link = BackEnd(service, CLIENT).link_token("owner")
        self.waiting = waiting["connectionId"]
        #: What another connection has, which stays when the first is removed.
        self.still_there = {waiting["connectionId"], waiting["batchId"], self.request_id}
        self.secrets = [done["connectionId"], waiting["connectionId"], done["batchId"], waiting["batchId"], self.request_id, document["documentId"],
                        "receipt-of-the-owner.pdf", *(order["id"] for order in orders)]

    def document(self, connection_id, content=b"%PDF of the owner alone"):
        one = {"orderId": self.order_id, "name": "receipt-of-the-owner.pdf", "mediaType": "application/pdf",
               "content": base64.b64encode(content).decode()}
        return {"connectionId": connection_id, "documents": [one]}

    def state(self):
        """What would show that somebody changed something."""
        ask = lambda path: self.service.request("GET", path, token=self.token).json  # noqa: E731
        return [ask("/sync/connections"), ask("/sync/orders?limit=1000"), ask("/sync/sessions/latest"),
                ask(f"/sync/sessions/{self.ids['batchId']}"), ask("/sync/profile"), ask("/sync/documents")]


def body_of(service, owner, token, method, path):
    """A body that would do, for its owner."""
    if path == "/sync/mfa":
        return {"eventType": "enter", "reqId": owner.request_id, "otpValue": "123456"}
    if path == "/sync/imports":
        refund = {"type": "refund", "amount": -1, "currency": "USD", "text": None}
        return {"source": "judge", "orders": [{"orderId": owner.order_id, "onlyAdds": True, "adjustments": [refund]}]}
    if path == "/sync/documents" and method == "POST":
        return owner.document(owner.ids["connectionId"], b"%PDF of somebody else")
    if path == "/sandbox/break":
        return {"connectionId": owner.ids["connectionId"]}
    if path == "/v1/link/token":
        return {"external_user_id": "somebody"}
    if method == "PUT" or path.endswith("/connect"):
        info, stamp = service.seal(token, {"username": "user_good", "password": "pass_good"})
        return {"connectionInfo": info, "currentStamp": stamp, **({"retailerId": 12, "mode": "FIX"} if method == "POST" else {})}
    return None


def walk(service, owner, who, asker, verdict):
    """As `who`. A connection is not shown to another client, but it may say that there is one."""
    before = owner.state()
    for method, path in operations():
        what = f"{who}: {method} {path}"
        if not verdict.check(f"{what} is known here", "{" in path or (method, path) in LISTS | ON_ALL
                             or path in ("/sync/mfa", "/sandbox/break", "/sync/documents", "/v1/users/share"), path):
            continue
        place = path.format(**owner.ids)
        headers = asker.headers(owner, path)
        if method == "POST":
            headers["Idempotency-Key"] = secrets.token_hex(8)
        if path == "/sync/orders/sync":
            place += "?retailer=12"
        body = body_of(service, owner, asker.seals_with, method, path)
        answer = service.request(method, place, body, token=asker.token, headers=headers)
        asked_for = [part for part in (*owner.ids.values(), owner.request_id) if part in place or body and part in str(body)]
        shown = [secret for secret in owner.secrets if secret.encode() in answer.body and secret not in asked_for]
        verdict.check(f"{what} shows nothing", not shown, (answer, shown[:3]))
        verdict.check(f"{what} does not fail", answer.status < 500, answer)
        if (method, path) not in asker.lists and path != "/v1/link/token":
            verdict.check(f"{what} is refused", answer.status in (401, 403, 404), answer)
    verdict.check(f"{who}: nothing has changed", owner.state() == before, (before, owner.state()))


def back_ends(service, owner, verdict):
    """The back ends of two clients, with every link token that is not good for what the owner has."""
    own = BackEnd(service, CLIENT).of(OWNER, "owner")
    for path in ("/sync/connections", "/sync/orders?limit=1000", "/sync/orders?limit=1000&format=csv", "/sync/completeness", "/sync/sessions/latest",
                 "/sync/connections/{connectionId}", "/sync/orders/{id}", "/sync/sessions/{batchId}"):
        place = path.format(**owner.ids)
        answers = [service.request("GET", place, token=token, headers=headers)
                   for token, headers in ((owner.token, {}), (own.token, own.headers(owner, path)))]
        same = len({(answer.status, answer.body) for answer in answers}) == 1 and answers[0].status == 200
        verdict.check(f"the owner's back end reads what the owner reads: {path}", same, answers)
    others = BackEnd(service, OTHER).of(OWNER, "owner-at-another")
    walk(service, owner, "a back end of another user", BackEnd(service, CLIENT).of(STRANGER, "stranger"), verdict)
    walk(service, owner, "a back end of another client", others, verdict)
    walk(service, owner, "a back end of another user at another client", BackEnd(service, OTHER).of(STRANGER, "stranger"), verdict)
    walk(service, owner, "a back end with another client's link token", BackEnd(service, OTHER).with_link(own.link), verdict)
    unbound = BackEnd(service, CLIENT)
    walk(service, owner, "a back end of nobody", unbound.with_link(unbound.link_token("nobody")), verdict)
    mixed = BackEnd(service, CLIENT).with_link(own.link)
    mixed.token, mixed.lists = User(service, OWNER, OTHER).token, LISTS | ON_ALL
    walk(service, owner, "a user's token of another client, with the link token", mixed, verdict)

    # What is shared with another client alone is not shown to the first; what is not shared any more, to nobody.
    ids = owner.ids["connectionId"], owner.waiting
    for connection_id in ids:
        others.widget.share(connection_id, True)
        own.widget.share(connection_id, False)
    walk(service, owner, "a back end that is shared with no more", own, verdict)
    answer = service.request("GET", "/sync/orders?limit=1", token=others.token, headers=others.headers(owner, ""))
    verdict.check("the other client's back end reads it now", answer.status == 200 and len(answer.json) == 1, answer)
    for connection_id in ids:
        own.widget.share(connection_id, True)
        others.widget.share(connection_id, False)
    walk(service, owner, "a back end that was shared with for a while", others, verdict)

    expire_links(service)
    walk(service, owner, "a back end with an expired link token", own.with_link(own.link), verdict)
    removing = BackEnd(service, CLIENT).of(OWNER, "owner")
    before = service.request("GET", "/sync/orders?limit=1", token=removing.token, headers=removing.headers(owner, ""))
    verdict.check("a new link token reads again", before.status == 200 and len(before.json) == 1, before)
    removing.widget.post("/widget/remove", {"connectionId": owner.ids["connectionId"]})
    owner.secrets = [secret for secret in owner.secrets if secret not in owner.still_there]
    walk(service, owner, "a back end after the connection was removed", removing, verdict)


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder, Service(pathlib.Path(folder), "--rate-limit", "off", "--speed", "50") as service:
        owner = Owner(service)
        assert len(owner.secrets) > 50, "there is nothing to hide"
        walk(service, owner, "another user", User(service, STRANGER), verdict)
        walk(service, owner, "another user at another client", User(service, STRANGER, OTHER), verdict)
        walk(service, owner, "another client", User(service, OWNER, OTHER), verdict)
        back_ends(service, owner, verdict)
    return verdict.end("isolation")


if __name__ == "__main__":
    sys.exit(main())
