#!/usr/bin/env python3
"""Serves the recorded exchanges of a WooCommerce shop (recordings.py) as if it were the shop, on 127.0.0.1.

The customer is found by the e-mail of the sign-in form, and then by the session cookie that the recorded answer set. What was
not recorded is answered with 404. As a program it prints its address, and stops with its parent.

    replay.py [--port N] [--recordings DIR]
"""

import argparse
import os
import pathlib
import sys
import threading
import time
import urllib.parse

from quiet_server import QuietHandler, QuietServer
from recordings import ACCOUNT, Exchange, Recording

#: Whose settled orders are copied how often, for a customer with more than a hundred.
COPIED = ("cust25@shop.test", 6)
#: What another server sets anew, or what would be wrong of a body that was changed.
OWN = {"host", "date", "connection", "content-length", "transfer-encoding", "content-encoding", "server", "keep-alive"}


class Replay(QuietServer):
    """The shop. `asked`: (customer, path) of each request, as far as `take_asked` has not fetched them."""

    def __init__(self, recording, port=0):
        super().__init__(Handler, port)
        self.recording = recording
        self.lock, self.asked = threading.Lock(), []

    def take_asked(self, *who):
        """The paths that these customers asked for since the last time, one for each request. None: before the sign-in."""
        with self.lock:
            own = [path for asking, path in self.asked if asking in who]
            self.asked = [one for one in self.asked if one[0] not in who]
        return own

    def remember(self, who, path):
        with self.lock:
            self.asked.append((who, path))

    def sign_in(self, form):
        """(the customer whose sign-in it is, the answer)."""
        who = form.get("username")
        wanted, answer = self.recording.forms.get(who, (None, None))
        is_right = wanted is not None and all(form.get(name) == value for name, value in wanted.items())
        return who, answer if is_right else self.recording.refused


class Handler(QuietHandler):
    def do_POST(self):
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
        if self.path != ACCOUNT:
            return self.answer(None)
        who, answer = self.server.sign_in(dict(urllib.parse.parse_qsl(sent, keep_blank_values=True)))
        self.server.remember(who, self.path)
        return self.answer(answer)

    def do_GET(self):
        cookies = [one.strip().partition("=")[2] for one in (self.headers.get("Cookie") or "").split(";")]
        who = next((self.server.recording.sessions[value] for value in cookies if value in self.server.recording.sessions), None)
        self.server.remember(who, self.path)
        self.answer(self.server.recording.find(who, self.path))

    def answer(self, found):
        found = found or Exchange(404, [("Content-Type", "text/html; charset=UTF-8")], "<html><h1>Not recorded</h1></html>")
        # The client may know this server by another address, that of a proxy.
        here, there = f"http://{self.headers.get('Host', '')}", self.server.recording.base
        body = found.body.replace(there, here).replace(there.replace("/", "\\/"), here.replace("/", "\\/")).encode()
        self.send_response(found.status)
        for name, value in found.headers:
            if name.lower() not in OWN:
                self.send_header(name, value.replace(there, here))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def stop_with(parent):
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0, help="0: one of the system's choosing")
    parser.add_argument("--recordings", type=pathlib.Path, help="the folder, instead of ORDERSYNC_RECORDINGS")
    arguments = parser.parse_args()
    recording = Recording(arguments.recordings)
    recording.copied(*COPIED)
    replay = Replay(recording, arguments.port)
    threading.Thread(target=stop_with, args=(os.getppid(),), daemon=True).start()
    print(replay.base, *recording.customers(), flush=True)
    replay.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
