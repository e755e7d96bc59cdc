"""A load balancer before several nodes: one address, and the next request goes to the next node."""

import itertools

from judge import Loopback, request

HOP = {"host", "connection", "content-length", "transfer-encoding", "accept-encoding"}


class Balancer(Loopback):
    def __init__(self, nodes):
        self.next = itertools.cycle(nodes)

    def __enter__(self):
        from http.server import BaseHTTPRequestHandler

        nodes = self.next

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
                answer = request(next(nodes).base, self.command, self.path, body or None, headers=headers)
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    if name not in HOP | {"date", "server"}:
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            do_GET = do_POST = pass_on

            def log_message(self, *_):
                pass

        return self.serve(Handler)
