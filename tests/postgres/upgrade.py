#!/usr/bin/env python3
"""Nodes on one PostgreSQL are replaced one by one behind a balancer, while users read, sync, export and sign in.

    tests/postgres/upgrade.py --old BINARY --new BINARY    from one version to another one
    tests/postgres/upgrade.py                              with one binary: made-up migrations of later versions

No request may fail but those that a client repeats by itself: answered 503 with Retry-After, or refused before anything was
sent. Every row has to be that of an undisturbed run. With one binary, a migration first adds columns to the busiest tables: its
nodes go on, and are restarted. Then a migration says that they must not: they end by themselves, and write nothing after it.
"""

import argparse
import base64
import contextlib
import hashlib
import http.client
import itertools
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "judges"))
from cluster import Cluster  # noqa: E402
from judge import Balancer, Service, Unrepeatable, Verdict, binary, clean_environment, request  # noqa: E402
from person import Person  # noqa: E402

NODES, SYNCING, READING, EXPORTING, SIGNING_IN = 3, 4, 2, 1, 2
RETAILER, ACCOUNT = 12, "user_items_1000"
DRAIN_SECONDS = 2
# Twice as often as a node looks.
NOTICED_SECONDS = 10
CLI, REDIRECT = "ordersync-cli", "http://127.0.0.1:49152/callback"
# What syncs write, in transactions.
BUSY = ("users", "connections", "sessions", "retailer_sessions", "events", "orders", "line_items", "line_nodes")
APPLIED = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES ({}, 'made up', TRUE, '', 1);"
EXPAND, CONTRACT = 10001, 10002
EXPANDING = "CREATE TABLE later (id TEXT PRIMARY KEY, user_id TEXT REFERENCES users (id) ON DELETE CASCADE);" + "".join(
    f"ALTER TABLE {table} ADD COLUMN later BIGINT NOT NULL DEFAULT 7;" for table in BUSY)
# Whatever is written after it is counted.
CONTRACTING = (
    f"SELECT admit_from({CONTRACT});"
    "CREATE TABLE written_after (name TEXT);"
    "CREATE FUNCTION note_write() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN INSERT INTO written_after VALUES (TG_TABLE_NAME);"
    " RETURN NULL; END $$;"
    + "".join(f"CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON {table} FOR EACH ROW EXECUTE FUNCTION note_write();"
              for table in BUSY))


class ReadyNodes(Balancer):
    """Sends each request to the next node that says it is ready, and to another one if a node accepts no connection."""

    def __init__(self, nodes):
        self.nodes, self.ready, self.turn = nodes, [], itertools.count()
        self.refused, self.is_over = 0, False

    def __enter__(self):
        super().__enter__()
        threading.Thread(target=self.watch, daemon=True).start()
        return self

    def watch(self):
        while True:
            self.ready = [node for node in self.nodes if node.base and is_ready(node)]
            time.sleep(0.1)

    def ask(self, method, path, body=None, headers=None, token=None):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not self.is_over:
            ready = self.ready
            if not ready:
                time.sleep(0.05)
                continue
            base = ready[next(self.turn) % len(ready)].base
            # The nodes know the address that the balancer has.
            headers = {**(headers or {}), "Host": self.base.removeprefix("http://")}
            try:
                return request(base, method, path, body, token=token, headers=headers)
            except ConnectionRefusedError:
                self.refused += 1
            except (OSError, http.client.HTTPException) as why:
                raise Unrepeatable(f"{method} {path.split('?')[0]}: {why!r}") from why
        raise Unrepeatable(f"{method} {path.split('?')[0]}: no node is ready")


def is_ready(node):
    try:
        return request(node.base, "GET", "/readyz", timeout=5).status == 200
    except (OSError, http.client.HTTPException):
        return False


class Load:
    """What clients do all the time. `failures`: what no client repeats by itself."""

    def __init__(self, balancer, with_assets):
        self.balancer, self.with_assets = balancer, with_assets
        self.failures, self.done, self.repeated = [], {}, 0
        self.over, self.is_last_phase, self.lock = threading.Event(), False, threading.Lock()
        # All that a sandbox has, except the one of the user who only reads; nobody uses one twice at the same time.
        self.phones = itertools.cycle(range(15550101, 15550200))
        self.rows, self.threads = None, []

    def ask(self, method, path, body=None, token=None, headers=None, good=(200,)):
        while True:
            answer = self.balancer.ask(method, path, body, headers, token)
            if answer.status in good:
                return answer
            if answer.status != 503 or "retry-after" not in answer.headers:
                raise Unrepeatable(f"{method} {path.split('?')[0]}: {answer}")
            self.wait_to_repeat()

    def wait_to_repeat(self):
        self.repeated += 1
        if self.over.wait(0.2):
            raise Stopped

    def token(self, phone=None):
        return self.ask("POST", "/sandbox/token", {"phone": f"+{phone or next(self.phones)}"}).json["access_token"]

    # A user's account is synced from nothing, and then once more; all rows are there, and none twice.
    def sync(self):
        token = self.token()
        node = Shared(self, token)
        self.ask("POST", "/sandbox/reset", {}, token=token, good=(204,))
        answer = node.connect(token, RETAILER, ACCOUNT)
        connection, batch = answer.json.get("connectionId"), answer.json.get("batchId")
        # Repeated, because the node before had made it and could not say so.
        if answer.status == 409:
            batch = self.ask("GET", "/sync/sessions/latest", token=token).json["batchId"]
        for _ in range(2):
            session = self.followed(token, batch)
            if any(part["syncStatus"] != "completed" for part in session["retailerSyncSessions"]):
                raise Unrepeatable(f"a session did not complete: {session}")
            rows = node.export(token)
            if self.rows is None:
                self.rows = rows
            if rows != self.rows:
                raise Unrepeatable(f"{len(rows)} rows instead of {len(self.rows)}, or others")
            connection = connection or self.ask("GET", "/sync/connections", token=token).json["data"][0]["connectionId"]
            batch = self.ask("POST", f"/sync/connections/{connection}/sync", {}, token=token, good=(202,)).json["batchId"]

    def followed(self, token, batch):
        while True:
            session = self.ask("GET", f"/sync/sessions/{batch}", token=token).json
            if session["status"] == "normal":
                return session
            if self.over.wait(0.1):
                raise Stopped

    def read(self):
        for path in ("/sync/orders?limit=50&offset=300", "/sync/profile", "/sync/connections", "/sync/retailers", "/sync/sessions/latest"):
            self.ask("GET", path, token=self.quiet)

    def export(self):
        if (rows := Shared(self, self.quiet).export(self.quiet)) != self.rows:
            raise Unrepeatable(f"an export has {len(rows)} rows, not {len(self.rows)}, or others")

    # Pages of one node, forms and cookies sent to another one, tokens of a third.
    def sign_in(self):
        verifier = secrets.token_urlsafe(48)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
        query = {"response_type": "code", "client_id": CLI, "redirect_uri": REDIRECT, "scope": "orders:read", "state": "s",
                 "code_challenge": challenge, "code_challenge_method": "S256"}
        person = Person(phone=f"+{next(self.phones)}")
        url = f"{self.balancer.base}/oauth/authorize?{urllib.parse.urlencode(query)}"
        person.origin = urllib.parse.urlsplit(url)[:2]
        _, page = self.browsed(lambda: person.get(url))
        files = set(re.findall(r'(?:href|src)="(/assets/[^"]+)"', page))
        if not files:
            raise Unrepeatable(f"a page without files: {page[:300]}")
        for path in files if self.with_assets else ():
            for _ in range(NODES):
                answer = self.ask("GET", path)
                if "immutable" not in answer.headers["cache-control"] or not answer.body:
                    raise Unrepeatable(f"{path}: {answer.headers}")
        back = self.browsed(lambda: person.decide(url, "approve"))
        code = urllib.parse.parse_qs(urllib.parse.urlsplit(back).query).get("code")
        if not code:
            raise Unrepeatable(f"a sign-in ends at {back[:300]}")
        form = {"grant_type": "authorization_code", "code": code[0], "redirect_uri": REDIRECT, "client_id": CLI,
                "code_verifier": verifier}
        answer = self.ask("POST", "/oauth/token", urllib.parse.urlencode(form).encode(),
                          headers={"Content-Type": "application/x-www-form-urlencoded"})
        self.ask("GET", "/sync/orders?limit=1", token=answer.json["access_token"])

    def browsed(self, look):
        while True:
            try:
                return look()
            except urllib.error.HTTPError as why:
                if why.code != 503 or "Retry-After" not in why.headers:
                    text = re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", why.read().decode()))
                    raise Unrepeatable(f"a page: {why.code} {text[:400]}") from why
                self.wait_to_repeat()

    def again_and_again(self, what):
        while not self.over.is_set():
            try:
                what()
                with self.lock:
                    self.done[what.__name__] = self.done.get(what.__name__, 0) + 1
            except Stopped:
                return
            except (Unrepeatable, AssertionError, OSError, http.client.HTTPException) as why:
                # In the end there is no node left. What none of them may do even then is fail.
                is_last = self.over.is_set() and "no node is ready" in str(why)
                if is_last or self.is_last_phase and " 500 " not in str(why):
                    continue
                self.failures.append(f"{what.__name__}: {why!s:.600}")

    def __enter__(self):
        self.quiet = self.token(15550100)
        answer = Shared(self, self.quiet).connect(self.quiet, RETAILER, ACCOUNT)
        self.followed(self.quiet, answer.json["batchId"])
        self.rows = Shared(self, self.quiet).export(self.quiet)
        for what, number in ((self.sync, SYNCING), (self.read, READING), (self.export, EXPORTING), (self.sign_in, SIGNING_IN)):
            for _ in range(number):
                self.threads.append(threading.Thread(target=self.again_and_again, args=(what,), daemon=True))
                self.threads[-1].start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.balancer.is_over = True
        for thread in self.threads:
            thread.join(60)


class Stopped(Exception):
    """The load ends."""


class Shared(Service):
    """A service behind the balancer, as a client sees it."""

    def __init__(self, load, token):
        self.load, self.owner = load, token

    def request(self, method, path, body=None, token=None, **_):
        return self.load.ask(method, path, body, token=token, good=(200, 202, 409))


def applied(cluster, version, statements):
    """Applies a migration as a newer node would: in one transaction, which gives way to the statements of running nodes."""
    text = f"BEGIN; SET LOCAL lock_timeout = '2s'; {statements} {APPLIED.format(version)} COMMIT;"
    for _ in range(60):
        done = subprocess.run([cluster.bin / "psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--command", text,
                               cluster.address()], capture_output=True, text=True)
        if done.returncode == 0:
            return
        if "lock timeout" not in done.stderr and "deadlock" not in done.stderr:
            sys.exit(f"the made-up migration fails: {done.stderr}")
        time.sleep(0.3)
    sys.exit("the made-up migration gets no lock")


def replaced(nodes, load, program=None):
    for node in nodes:
        node.process.send_signal(signal.SIGTERM)
        if node.process.wait(60) != 0:
            sys.exit(f"a node did not stop well: {node.log.read_text()[-2000:]}")
        node.program = program
        node.start()
        before = dict(load.done)
        wait(lambda: is_ready(node) and load.done.get("read", 0) > before.get("read", 0) + 2, 60)


def wait(until, seconds):
    deadline = time.monotonic() + seconds
    while not (found := until()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def admin(cluster, folder, *command, program=None):
    return subprocess.run([program or binary(), "admin", *command, "--database", cluster.address()], capture_output=True, text=True,
                          env=clean_environment() | {"ORDERSYNC_HOME": f"{folder}/home"})


def between_versions(cluster, folder, nodes, load, verdict, new):
    replaced(nodes, load, new)
    time.sleep(3)
    checked = admin(cluster, folder, "store", "check", program=new)
    verdict.check("the store is sound", checked.returncode == 0, checked)


def with_made_up_migrations(cluster, folder, nodes, load, verdict):
    applied(cluster, EXPAND, EXPANDING)
    said = "a newer ordersync has changed the store"
    heard = wait(lambda: all(said in node.log.read_text() for node in nodes), NOTICED_SECONDS)
    verdict.check("each node says that the store is newer", heard)
    for command in (("sessions", "list"), ("store", "check")):
        done = admin(cluster, folder, *command)
        verdict.check(f"admin {' '.join(command)} works beside it", done.returncode == 0, done)
    replaced(nodes, load)
    time.sleep(1)
    for node in nodes:
        log = node.log.read_text()
        verdict.check("each process says it once", log.count(said) == 2, log.count(said))
        verdict.check("a start says the store's version", f'"store_version":{EXPAND}' in log, log[-500:])
    verdict.check("so far nothing failed", not load.failures, load.failures[:5])
    load.is_last_phase = True
    applied(cluster, CONTRACT, CONTRACTING)
    ended = wait(lambda: all(node.process.poll() is not None for node in nodes), NOTICED_SECONDS + 10)
    verdict.check("the nodes end by themselves", ended, [node.process.poll() for node in nodes])
    for node in nodes:
        verdict.check("with an error", node.process.poll() == 1, node.process.poll())
        verdict.check("and its reason", "a newer version of ordersync has changed it" in node.log.read_text(), node.log.read_text()[-900:])
    written = cluster.sql("SELECT name, count(*) FROM written_after GROUP BY name")
    verdict.check("nothing was written after the change", not written, written)
    done = admin(cluster, folder, "sessions", "list")
    verdict.check("admin commands are refused as well", done.returncode == 1 and "newer version" in done.stderr, done)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--old")
    parser.add_argument("--new")
    parser.add_argument("--without-assets", action="store_true", help="the old version keeps its pages' files to itself")
    arguments = parser.parse_args()
    if bool(arguments.old) != bool(arguments.new):
        parser.error("--old and --new belong together")
    verdict = Verdict()
    with contextlib.ExitStack() as stack:
        cluster = stack.enter_context(Cluster())
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        nodes = []
        balancer = stack.enter_context(ReadyNodes(nodes))
        for number in range(NODES):
            node = Service(f"{folder}/node{number}", "--rate-limit", "off", "--log", "json", "--speed", "30", "--drain", str(DRAIN_SECONDS), "--public-url", balancer.base, database=cluster.address(),
                           home=f"{folder}/home", program=arguments.old)
            nodes.append(stack.enter_context(node))
        began = time.monotonic()
        with Load(balancer, not arguments.without_assets) as load:
            wait(lambda: len(load.done) == 4, 60)
            if arguments.old:
                between_versions(cluster, folder, nodes, load, verdict, arguments.new)
            else:
                with_made_up_migrations(cluster, folder, nodes, load, verdict)
        verdict.check("no request failed that a client does not repeat by itself", not load.failures,
                      f"{len(load.failures)}, such as {load.failures[:5]}")
        verdict.check("users did everything meanwhile", len(load.done) == 4, load.done)
    print(f"upgrade: {load.done}; {load.repeated} requests were repeated after 503, {balancer.refused} sent to another node, in "
          f"{time.monotonic() - began:.0f} s")
    return verdict.end("upgrade")


if __name__ == "__main__":
    sys.exit(main())
