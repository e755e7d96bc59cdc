#!/usr/bin/env python3
"""What the judges share: a service of their own, plain HTTP, the command, sealing by another's JOSE library.

As a program it runs a command beside a sandbox: `judge.py [SERVE FLAGS] -- COMMAND...`, with ORDERSYNC_BASE_URL and
ORDERSYNC_TOKEN in the command's environment. The built command is `$ORDERSYNC_BIN`, else target/release/ordersync,
else target/debug/ordersync. With ORDERSYNC_JUDGE_DATABASE, services have their store in that PostgreSQL (tests/postgres/judges.py).
"""

import http.client
import itertools
import json
import os
import pathlib
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# More than a busy machine needs: only a service that hangs is found by them.
READY_SECONDS = 120
STOP_SECONDS = 60


def binary():
    named = os.environ.get("ORDERSYNC_BIN")
    candidates = [named] if named else [ROOT / "target/release/ordersync", ROOT / "target/debug/ordersync"]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return str(candidate)
    sys.exit("no ordersync to judge: build it, or name it in ORDERSYNC_BIN")


class Answer:
    """A response: status, headers (names in lower case), body. `lines`: its headers unchanged, of which several may have a
    name."""

    def __init__(self, status, headers, body, lines=()):
        self.status, self.headers, self.body, self.lines = status, headers, body, lines

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        try:
            return self.json.get("code")
        except (ValueError, AttributeError):
            return None

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


def request(base, method, path, body=None, token=None, headers=None, timeout=60):
    """One exchange. `body`: bytes as they are, anything else as JSON."""
    url = urllib.parse.urlsplit(base)
    headers = dict(headers or {})
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=timeout)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        lines = response.getheaders()
        return Answer(response.status, {k.lower(): v for k, v in lines}, response.read(), lines)
    finally:
        connection.close()


def own_database():
    """The address of a new database in the PostgreSQL of ORDERSYNC_JUDGE_DATABASE, for one service; None: it gets a file."""
    cluster = os.environ.get("ORDERSYNC_JUDGE_DATABASE")
    if not cluster:
        return None
    name = f"judge{secrets.token_hex(8)}"
    made = subprocess.run(["psql", "--no-psqlrc", "--quiet", "--command", f"CREATE DATABASE {name}", cluster], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"no database for a service: {made.stderr}")
    return f"{cluster.rsplit('/', 1)[0]}/{name}"


class Service:
    """`ordersync serve --sandbox` over a database in `folder`, or of ORDERSYNC_JUDGE_DATABASE; may be killed and started again on
    the same one. Nodes of one service name its `database`, and share a `home`, where its root key is.
    `program`: the command, if not the built one."""

    def __init__(self, folder, *flags, database=None, home=None, program=None):
        self.folder = pathlib.Path(folder)
        self.database = database or own_database() or self.folder / "db.sqlite3"
        self.home = pathlib.Path(home or self.folder / "home")
        self.program = program
        self.flags = flags
        self.log = self.folder / "serve.log"
        self.process = None
        self.base = None

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [self.program or binary(), "serve", "--sandbox", "--listen", "127.0.0.1:0", "--database", self.database]
        self.home.mkdir(exist_ok=True)
        environment = {**clean_environment(), "ORDERSYNC_HOME": str(self.home)}
        began = self.log.stat().st_size if self.log.exists() else 0
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*map(str, command), *self.flags], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline:
            said = self.log.read_bytes()[began:].decode(errors="replace")
            address = re.search(r"listening on http://127\.0\.0\.1:(\d+)", said)
            if address and "\n" in said[address.end():]:
                self.base = f"http://127.0.0.1:{address[1]}"
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        sys.exit(f"the service did not start:\n{self.log.read_text()[began:]}")

    def kill(self):
        """As a power cut would."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()
                sys.exit(f"the service did not stop within {STOP_SECONDS} seconds of SIGTERM")

    def request(self, *arguments, **named):
        return request(self.base, *arguments, **named)

    def token(self, phone="+15550100", client=None, scopes=None):
        wish = {"phone": phone}
        if client:
            wish["client_id"] = client
        if scopes is not None:
            wish["scopes"] = scopes
        answer = self.request("POST", "/sandbox/token", wish)
        assert answer.status == 200, answer
        return answer.json["access_token"]

    def seal(self, token, credentials):
        """(connectionInfo, currentStamp) for these credentials."""
        totp = self.request("GET", "/sync/auth/totp", token=token)
        assert totp.status == 200, totp
        return seal(totp.json["token"], totp.json["currentStamp"], credentials), totp.json["currentStamp"]

    def connect(self, token, retailer, username, password="pass_good", mode="CONNECT"):
        """The answer to a connect with freshly sealed credentials."""
        info, stamp = self.seal(token, {"username": username, "password": password})
        body = {"retailerId": retailer, "connectionInfo": info, "currentStamp": stamp, "mode": mode}
        return self.request("POST", "/sync/connections/connect", body, token=token)

    def session(self, token, batch):
        answer = self.request("GET", f"/sync/sessions/{batch}", token=token)
        assert answer.status == 200, answer
        return answer.json

    def follow(self, token, batch, until=lambda session: session["status"] == "normal", seconds=300):
        """The session as soon as it is as wished."""
        deadline = time.monotonic() + seconds
        while True:
            session = self.session(token, batch)
            if until(session):
                return session
            if time.monotonic() > deadline:
                sys.exit(f"session {batch} is not where it should be after {seconds} s: {json.dumps(session)}")
            time.sleep(0.05)

    def export(self, token, retailer=None):
        """The rows of the CSV of all orders, sorted, with the header first."""
        header, rows, offset = None, [], 0
        only = f"&retailer_id={retailer}" if retailer is not None else ""
        while True:
            path = f"/sync/orders?format=csv&limit=1000&offset={offset}{only}"
            answer = self.request("GET", path, token=token)
            assert answer.status == 200, answer
            # Line ends within quotes are part of a title; none of the shops here has such.
            header, *page = answer.body.decode().splitlines()
            rows += page
            offset += 1000
            if len(page) < 1000:
                return [header, *sorted(rows)]


def seal(key, stamp, credentials, **more):
    """A JWE in compact form by joserfc, knowing no more than decisions about the header and the key."""
    from joserfc import jwe
    from joserfc.jwk import OctKey

    header = {"alg": "dir", "enc": "A256GCM", "kid": stamp, **more}
    key = OctKey.import_key({"kty": "oct", "k": key})
    return jwe.encrypt_compact(header, json.dumps(credentials), key, algorithms=["dir", "A256GCM", "DEF"])


def clean_environment():
    """The environment without anything that would steer the command."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ORDERSYNC_")}


def command(*arguments, home, base=None, token=None, stdin=""):
    """Runs the command as a script would."""
    environment = {**clean_environment(), "ORDERSYNC_HOME": str(home), "CI": "true"}
    if base:
        environment["ORDERSYNC_BASE_URL"] = base
    if token:
        environment["ORDERSYNC_TOKEN"] = token
    return subprocess.run(
        [binary(), *map(str, arguments)], env=environment, input=stdin, capture_output=True, text=True, timeout=1800)


def private_file(path, content):
    """A file that only its owner can read."""
    with open(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
        file.write(content)
    return path


class Loopback:
    """A server of HTTP on a port of the system's choosing, for as long as the context lasts."""

    def serve(self, handler):
        from http.server import ThreadingHTTPServer

        class Server(ThreadingHTTPServer):
            # A caller that is not taken at once would wait for a second, or for more.
            request_queue_size = 64

        self.server = Server(("127.0.0.1", 0), handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


#: What a proxy takes off a message, or sets itself.
HOP = {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "date", "server"}


class Unrepeatable(Exception):
    """A request that failed such that a client does not repeat it by itself."""


class Proxy(Loopback):
    """Passes on to `upstream` what it is asked, and back what it is answered."""

    def __init__(self, upstream):
        self.upstream = upstream

    def ask(self, method, path, body=None, headers=None):
        """The answer to a request."""
        return request(self.upstream, method, path, body, headers=headers)

    def __enter__(self):
        from http.server import BaseHTTPRequestHandler

        proxy, end_to_end = self, lambda headers: [(name, value) for name, value in headers if name.lower() not in HOP]

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                try:
                    answer = proxy.ask(self.command, self.path, body or None, dict(end_to_end(self.headers.items())))
                except Unrepeatable as why:
                    return self.send_error(502, str(why)[:200])
                self.send_response(answer.status)
                for name, value in end_to_end(answer.lines):
                    self.send_header(name, value)
                if answer.status != 204:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = do_PUT = do_DELETE = pass_on

            def log_message(self, *_):
                pass

        return self.serve(Handler)


class Recorder(Proxy):
    """A proxy between the command and the service, which records everything."""

    def __init__(self, upstream):
        super().__init__(upstream)
        self.exchanges = []

    def ask(self, method, path, body=None, headers=None):
        answer = super().ask(method, path, body, headers)
        self.exchanges.append((method, path, headers, body or b"", answer))
        return answer

    def find(self, method, path):
        return [exchange for exchange in self.exchanges if exchange[:2] == (method, path)]


class Balancer(Proxy):
    """Before several nodes: the next request goes to the next node."""

    def __init__(self, nodes):
        self.turns = itertools.cycle(nodes)

    def ask(self, method, path, body=None, headers=None):
        return request(next(self.turns).base, method, path, body, headers=headers)


class Verdict:
    """Counts what was looked at, says what is wrong."""

    def __init__(self):
        self.looked, self.wrong = 0, []

    def check(self, what, ok, seen=""):
        self.looked += 1
        if not ok:
            self.wrong.append(what)
            print(f"WRONG: {what}: {seen}", file=sys.stderr)
        return ok

    def end(self, name):
        # Named again, because what was printed of each is far above.
        print(f"{name}: {self.looked} checks, {len(self.wrong)} wrong", *self.wrong[:20], sep="\n  ")
        return 1 if self.wrong else 0


def main():
    flags, _, inner = (lambda a: (a[: a.index("--")], "--", a[a.index("--") + 1:]))(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder, Service(folder, *flags) as service:
        environment = {**os.environ, "ORDERSYNC_BASE_URL": service.base, "ORDERSYNC_TOKEN": service.token()}
        status = subprocess.run(inner, env=environment).returncode
        if service.process.poll() is not None:
            status = status or 1
            print("the service died", file=sys.stderr)
        if status:
            log = service.log.read_text(errors="replace").splitlines()
            print("the end of the service's log:", *log[-20:], sep="\n", file=sys.stderr)
        return status


if __name__ == "__main__":
    sys.exit(main())
