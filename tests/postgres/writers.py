"""Users who write all the time, and look up afterwards what was answered: what a node has said is done may not be lost."""

import http.client
import random
import secrets
import sys
import threading
import time
import urllib.error
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "judges"))
from judge import seal  # noqa: E402
from person import STEPS, Forms, Person  # noqa: E402

ACCOUNT = "user_items_1"
PAUSE = 0.02
#: What says that it was not done, or that it is unknown whether it was.
NO_ANSWER = {502, 503, 504}


class Writer(threading.Thread):
    """One user, who makes tokens, connects and disconnects shops, and repeats writes under a key of idempotency."""

    def __init__(self, nodes, phone, moments):
        super().__init__(daemon=True)
        self.nodes, self.phone, self.moments = nodes, phone, moments
        self.person, self.token, self.ends = Person(phone), None, threading.Event()
        self.tokens, self.repeated, self.retailers, self.odd = [], [], [], []
        # Connection -> whether it is there, or None: unknown.
        self.connections = {}
        self.written, self.unanswered = 0, 0

    def run(self):
        writes = [self.new_token, self.connect, self.connect, self.disconnect, self.disconnect, self.repeat]
        while not self.ends.is_set():
            write = self.new_token if self.token is None else self.moments.choice(writes)
            try:
                write(self.moments.choice(self.nodes))
            # A node that was killed has no answer, and perhaps no address.
            except (OSError, http.client.HTTPException) as why:
                self.unanswered += 1
                if isinstance(why, urllib.error.HTTPError) and why.code not in NO_ANSWER:
                    self.odd.append(f"{write.__name__}: {why.code} {why.read()[:300]!r}")
            except Exception as why:  # noqa: BLE001: a thread that ends in silence would pass
                self.odd.append(f"{write.__name__}: {why!r}")
            self.ends.wait(PAUSE)

    def done(self, answer, *allowed):
        """Whether it was done."""
        if 200 <= answer.status < 300:
            self.written += 1
            return True
        self.unanswered += 1
        if answer.status not in NO_ANSWER and answer.code not in allowed:
            self.odd.append(repr(answer))
        return False

    def new_token(self, node):
        answer = node.request("POST", "/sandbox/token", {"phone": self.phone})
        if self.done(answer):
            self.token = answer.json["access_token"]
            self.tokens.append(self.token)

    def repeat(self, node):
        key = secrets.token_hex(8)
        answer = self.with_key(node, key)
        if self.done(answer, "SYNC_IN_PROGRESS"):
            self.repeated.append((key, answer.status, answer.body))

    def with_key(self, node, key):
        return node.request("POST", "/sync/connections/sync", token=self.token, headers={"Idempotency-Key": key})

    def connect(self, node):
        if not self.retailers:
            catalog = node.request("GET", "/sync/retailers").json
            self.retailers = [entry["retailerId"] for entry in catalog
                              if entry["syncConfig"]["serverSide"] and len(entry["credentialFields"]) == 2 and entry["retailerId"] < 100]
            return
        totp = node.request("GET", "/sync/auth/totp", token=self.token)
        if not self.done(totp):
            return
        stamp = totp.json["currentStamp"]
        info = seal(totp.json["token"], stamp, {"username": ACCOUNT, "password": "pass_good"})
        body = {"retailerId": self.moments.choice(self.retailers), "connectionInfo": info, "currentStamp": stamp, "mode": "CONNECT"}
        answer = node.request("POST", "/sync/connections/connect", body, token=self.token)
        if self.done(answer, "CONNECTION_EXISTS"):
            self.connections[answer.json["connectionId"]] = True

    def disconnect(self, node):
        there = [connection for connection, is_there in self.connections.items() if is_there]
        if not there:
            return
        connection, self.person.origin = self.moments.choice(there), urllib.parse.urlsplit(node.base)[:2]
        page = f"{node.base}/account/disconnect?connection={connection}"
        address, text = self.person.get(page)
        for _ in range(STEPS):
            form = next((form for form in Forms(text).forms if form.action == "/account/disconnect"), None)
            if form is not None:
                break
            sign_in, fields = self.person.next_form(Forms(text).forms, None)
            # A signed-in user gets their account.
            address, text = self.person.submit(address, sign_in, fields) if sign_in else self.person.get(page)
        self.connections[connection] = None
        try:
            _, text = self.person.submit(address, form, {})
        except urllib.error.HTTPError as why:
            # It syncs, or is gone: an answer that was lost may have been to this.
            if why.code not in {404, 409}:
                raise
            if why.code == 409:
                self.connections[connection] = True
            return
        self.connections[connection], self.written = False, self.written + 1

    def stop(self):
        self.ends.set()
        self.join(120)

    def lost(self, node):
        """What was answered, and is not so."""
        lost = list(self.odd)
        for token in self.tokens:
            if node.request("GET", "/sync/connections", token=token).status != 200:
                lost.append(f"a token of {self.phone}")
        for key, status, body in self.repeated:
            again = self.with_key(node, key)
            if (again.status, again.body) != (status, body):
                lost.append(f"the answer of a write under a key: {status} {body}, now {again}")
        for connection, is_there in self.connections.items():
            status = node.request("GET", f"/sync/connections/{connection}", token=self.token).status
            if is_there is not None and status != (200 if is_there else 404):
                lost.append(f"connection {connection} of {self.phone}: {is_there=}, but {status}")
        return lost

    def is_idle(self, node):
        """Whether no sync of theirs goes on."""
        latest = node.request("GET", "/sync/sessions/latest", token=self.token)
        return latest.status == 404 or latest.json["status"] == "normal"


def begin(nodes, phones, moments):
    writers = [Writer(nodes, phone, random.Random(moments.random())) for phone in phones]
    for writer in writers:
        writer.start()
    return writers


def end(writers, node, patience=120):
    """Stops them, waits for their last syncs, and looks up what they wrote. Returns how much that was; ends the program if
    anything is lost."""
    for writer in writers:
        writer.stop()
    deadline = time.monotonic() + patience
    while not all(writer.is_idle(node) for writer in writers if writer.token):
        if time.monotonic() > deadline:
            raise SystemExit("a sync of a user who writes does not end")
        time.sleep(0.5)
    lost = [what for writer in writers if writer.token for what in writer.lost(node)]
    if lost:
        raise SystemExit("\n".join([f"{len(lost)} writes were answered, and are lost or odd:", *map(str, lost[:20])]))
    return sum(writer.written for writer in writers), sum(writer.unanswered for writer in writers)
