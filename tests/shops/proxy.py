"""A proxy between the service and a shop, on one port per retailer, which changes requests and answers on request."""

import hashlib
import http.client
import re
import threading
import urllib.parse

from quiet_server import QuietHandler, QuietServer

HOP = {"host", "connection", "content-length", "transfer-encoding", "keep-alive"}
#: What differs between two renderings of the same page.
NOISE = re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"|<meta name="created"[^>]*>|\?next=[^"]*')


class Door(QuietServer):
    """One port. `header`: name of the changed templates; `request`, `response`: see changes.Change; None: all as it is."""

    def __init__(self, upstream):
        super().__init__(Handler)
        self.upstream = urllib.parse.urlsplit(upstream)
        self.header, self.request, self.response = "", None, None
        self.lock, self.seen, self.altered, self.asked = threading.Lock(), {}, [], []
        self.start()

    def become(self, header="", request=None, response=None):
        """Changes what the shop shows from now on; gives what was read until now: path -> digest of the last answer, and
        the paths whose answers `response` altered."""
        with self.lock:
            seen, self.seen, altered, self.altered = self.seen, {}, self.altered, []
            self.header, self.request, self.response = header, request, response
        return seen, altered

    def take_asked(self):
        """The paths that were asked for since the last time, one for each request."""
        with self.lock:
            asked, self.asked = self.asked, []
        return asked

    def ask(self, method, path, body=None, headers=()):
        """(status, headers, body) of the shop behind."""
        connection = http.client.HTTPConnection(self.upstream.hostname, self.upstream.port, timeout=60)
        try:
            headers = {name: value for name, value in headers if name.lower() not in HOP | {"accept-encoding"}}
            connection.request(method, path, body, {**headers, "Host": f"127.0.0.1:{self.server_port}", "X-Variant": self.header})
            answer = connection.getresponse()
            return answer.status, answer.getheaders(), answer.read()
        finally:
            connection.close()

    def remember(self, path, status, body):
        text = NOISE.sub("", body.decode(errors="replace"))
        with self.lock:
            self.asked.append(path)
            self.seen[path] = f"{status} {hashlib.sha256(text.encode()).hexdigest()}"

    def close(self):
        self.shutdown()
        self.server_close()


class Handler(QuietHandler):
    def handle_any(self):
        door, path = self.server, self.path
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
        asked = door.request(path) if door.request else path
        status, headers, body = door.ask(self.command, asked, sent, self.headers.items())
        if door.response:
            def fetch(other):
                status, _, body = door.ask("GET", other, None, self.headers.items())
                return status, body.decode(errors="replace")

            fetch.door = door
            text = body.decode(errors="replace")
            answer = door.response(path, status, text, fetch)
            if answer is None or answer[:2] != (status, text):
                door.altered.append(path)
            if answer is None:
                self.close_connection = True
                return
            status, changed, *more = answer
            body = changed if isinstance(changed, bytes) else changed.encode()
            if more:
                names = {name.lower() for name in more[0]}
                headers = [*((name, value) for name, value in headers if name.lower() not in names), *more[0].items()]
        door.remember(path, status, body)
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in HOP | {"date", "server"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = handle_any
