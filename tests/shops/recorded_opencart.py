#!/usr/bin/env python3
"""Syncs every customer of a recorded OpenCart 4, and compares with the shop's database, line by line.

The shop is this program on 127.0.0.1: it answers as was recorded (`opencart.jsonl`, in the form that recordings.py describes). A
customer is known by the token in the address, which the answer to the sign-in gave.

    recorded_opencart.py
"""

import html
import json
import pathlib
import re
import sys
import tempfile
import threading
import urllib.parse
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import runs  # noqa: F401: finds the judges
from judge import Service, Verdict
from recordings import PASSWORD, folder as recordings

TOKEN = re.compile(r"customer_token=(\w+)")
STATUSES = {"Pending": "pending", "Processing": "processing", "Shipped": "shipped", "Complete": "completed", "Canceled": "cancelled",
            "Refunded": "refunded", "Processed": "processing"}


class Recording:
    """(customer or None, query of the address without its token) -> the exchange; and the rows of the database."""

    def __init__(self):
        path = recordings()
        self.truth = json.loads((path / "opencart.truth.json").read_text(encoding="utf-8"))
        self.pages, self.signed_in, self.tokens, self.refused, self.base = {}, {}, {}, None, None
        for line in (path / "opencart.jsonl").read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            url = urllib.parse.urlsplit(one["url"])
            self.base = f"{url.scheme}://{url.netloc}"
            if one["method"] == "POST":
                if "redirect" in json.loads(one["body"]):
                    self.signed_in[one["who"]] = one
                    self.tokens[TOKEN.search(one["body"])[1]] = one["who"]
                else:
                    self.refused = one
                continue
            token = TOKEN.search(url.query)
            who = self.tokens.get(token[1]) if token else None
            self.pages.setdefault((who, plain(url.query)), one)

    def find(self, query):
        token = TOKEN.search(query)
        who = self.tokens.get(token[1]) if token else None
        wanted = plain(query)
        if who is None:
            return self.pages[None, wanted if "account/login" in wanted else "route=account/order"]
        found = self.pages.get((who, wanted))
        if found is None and "page" in wanted:
            found = next(one for (_, known), one in self.pages.items() if "page=9" in known)
            asked = re.search(r"page=\d+", wanted)[0]
            found = {**found, "body": found["body"].replace("page=9", asked)}
        return found


def plain(query):
    """The address without what differs from one session or language to the next."""
    pairs = sorted(pair for pair in urllib.parse.parse_qsl(query) if pair[0] not in ("customer_token", "login_token", "language"))
    return urllib.parse.urlencode([pair for pair in pairs if pair != ("page", "1")], safe="/.")


class Shop(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, recording):
        super().__init__(("127.0.0.1", 0), Handler)
        self.recording, self.base = recording, f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, *_):
        """A client that hangs up is nothing to report."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120

    def log_message(self, *_):
        pass

    def do_POST(self):
        sent = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()))
        known = self.server.recording.signed_in.get(sent.get("email"))
        self.answer(known if known and sent.get("password") == PASSWORD else self.server.recording.refused)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        self.answer(self.server.recording.find(url.query) if url.path == "/index.php" else None)

    def answer(self, found):
        found = found or {"status": 404, "headers": [["Content-Type", "text/html"]], "body": "<h1>Not recorded</h1>"}
        there, here = self.server.recording.base, self.server.base
        body = (found["body"] or "").replace(there, here).replace(there.replace("/", "\\/"), here.replace("/", "\\/")).encode()
        self.send_response(found["status"])
        for name, value in found["headers"]:
            if name.lower() in ("content-type", "location", "set-cookie"):
                self.send_header(name, value.replace(there, here))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def converted(amount, order):
    """As the shop shows it: its database has all amounts in its own currency."""
    return (Decimal(amount) * Decimal(order["rate"])).quantize(Decimal("0.01"), ROUND_HALF_UP)


def of_order(order, items):
    first, problems = items[0], []
    wanted = (order["created"][:10], converted(order["total"], order), order["currency"], STATUSES[order["status"]])
    shown = (first["orderDate"][:10], Decimal(str(first["orderTotal"])), first["currency"], first["shipmentStatus"])
    if wanted != shown:
        problems.append(f"the shop has {wanted}, the row {shown}")
    # The page shows lines with their tax, each rounded.
    gross = {place: Decimal(line["total"]) + Decimal(line["tax"]) * line["qty"] for place, line in enumerate(order["lines"])}
    lines = Counter((html.unescape(line["name"]), line["model"], Decimal(line["qty"]), converted(gross[place], order))
                    for place, line in enumerate(order["lines"]))
    rows = Counter((item["itemName"], item["retailerSku"], *(Decimal(str(item[name])) for name in ("quantity", "lineTotal"))) for item in items)
    problems += [f"lacks {count} x {line}" for line, count in (lines - rows).items()]
    problems += [f"has in excess {count} x {line}" for line, count in (rows - lines).items()]
    return problems


class Customer:
    """What the shop's database has, to compare rows with."""

    def __init__(self, recording, who):
        self.orders = {str(order["order_id"]): order for order in recording.truth if order["customer"] == who}

    def compare(self, items, may_lack=()):
        """(what differs, numbers of the orders that the rows lack altogether). Orders that are marked say themselves that they differ."""
        got, marked = {}, set()
        for item in items:
            got.setdefault(item["orderId"], []).append(item)
            marked |= {item["orderId"]} if item.get("mismatch") else set()
        problems = [f"order {number}: is not the customer's" for number in got.keys() - self.orders.keys()]
        problems += [f"order {number}: {problem}" for number in (self.orders.keys() & got.keys()) - marked
                     for problem in of_order(self.orders[number], got[number])]
        return problems, self.orders.keys() - got.keys()


def rows_of(service, token):
    answer = service.request("GET", "/sync/orders?limit=1000&include=adjustments", token=token)
    assert answer.status == 200, answer
    return json.loads(answer.body, parse_float=Decimal)


def main():
    recording, verdict = Recording(), Verdict()
    shop = Shop(recording)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        retailers = folder / "retailers.toml"
        retailers.write_text(f'[[retailer]]\nid = 501\ndisplay_name = "Recorded OpenCart"\nconnector = "opencart"\nbase_url = "{shop.base}"\n'
                             f'allow_private_network = true\nmin_interval_ms = 0\ncurrency = "USD"\n')
        with Service(folder / "service", "--rate-limit", "off", "--retailers", str(retailers)) as service:
            for place, who in enumerate(sorted(recording.signed_in)):
                orders = {str(order["order_id"]): order for order in recording.truth if order["customer"] == who}
                token = service.token(phone=f"+155501{place:02}")
                answer = service.connect(token, 501, who, PASSWORD, "CONNECT")
                part, = service.follow(token, answer.json["batchId"])["retailerSyncSessions"]
                verdict.check(f"{who}: completed", part["syncStatus"] == "completed", part)
                before, got = rows_of(service, token), {}
                for item in before:
                    got.setdefault(item["orderId"], []).append(item)
                verdict.check(f"{who}: every order", got.keys() == orders.keys(), got.keys() ^ orders.keys())
                for number in got.keys() & orders.keys():
                    problems = of_order(orders[number], got[number])
                    verdict.check(f"{who}: order {number}", not problems, problems)
                answer = service.request("POST", f"/sync/connections/{answer.json['connectionId']}/sync", token=token)
                again, = service.follow(token, answer.json["batchId"])["retailerSyncSessions"]
                verdict.check(f"{who}: a second sync finds nothing new", again["itemsNew"] == 0 and rows_of(service, token) == before, again)
                print(f"{who}: orders {len(orders)}, rows {len(before)}", flush=True)
    shop.shutdown()
    shop.server_close()
    return verdict.end("customers of a recorded OpenCart")


if __name__ == "__main__":
    sys.exit(main())
