"""A load balancer before several nodes: one address, and the next request goes to the next node."""

import itertools
from http.server import BaseHTTPRequestHandler

from judge import Loopback, request

#: What a proxy takes off a message, or sets itself.
HOP = {"host", "connection", "content-length", "transfer-encoding", "accept-encoding", "date", "server"}


def end_to_end(headers):
    return [(name, value) for name, value in headers if name.lower() not in HOP]


class Unrepeatable(Exception):
    """A request that failed such that a client does not repeat it by itself."""


class Balancer(Loopback):
    def __init__(self, nodes):
        self.turns = itertools.cycle(nodes)

    def ask(self, method, path, body=None, headers=None):
        return request(next(self.turns).base, method, path, body, headers=headers)

    def __enter__(self):
        balancer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                try:
                    answer = balancer.ask(self.command, self.path, body or None, dict(end_to_end(self.headers.items())))
                except Unrepeatable as why:
                    return self.send_error(502, str(why)[:200])
                self.send_response(answer.status)
                for name, value in end_to_end(answer.lines):
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = pass_on

            def log_message(self, *_):
                pass

        return self.serve(Handler)
