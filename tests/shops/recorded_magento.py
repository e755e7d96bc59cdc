#!/usr/bin/env python3
"""Syncs from a recorded Magento shop, whose answers are JSON: every customer is compared with the shop's database, and then the
answers are changed, one thing at a time, and no sync may say more than it knows.

The shop is this program on 127.0.0.1: it answers GraphQL requests with the recorded orders (`magento.jsonl`, in the form that
recordings.py describes), as many on a page as it is asked for. runs.py says how a sync with a change may end.

    recorded_magento.py [--only REGEX] [--once] [--report FILE]
"""

import json
import math
import pathlib
import re
import sys
import tempfile
from collections import Counter
from datetime import datetime, timezone
from decimal import Decimal

import changes
import runs
from judge import Service, Verdict
from quiet_server import QuietHandler, QuietServer
from recordings import PASSWORD, compared, folder as recordings

WHO = "cust25@shop.test"
COIN = Decimal("0.01")
STATUSES = {"complete": "completed", "processing": "processing", "canceled": "cancelled"}
REFUSED = {"errors": [{"message": "The account sign-in was incorrect or your account is disabled temporarily.",
                       "extensions": {"category": "graphql-authentication"}}], "data": {"generateCustomerToken": None}}
SIGNED_OUT = {"errors": [{"message": "The current customer isn't authorized.", "extensions": {"category": "graphql-authorization"}}],
              "data": {"customer": None}}


class Recording:
    """customer -> the orders, as the shop answers them; and the rows of its database."""

    def __init__(self):
        path = recordings()
        self.answers, self.truth = {}, json.loads((path / "magento.truth.json").read_text(encoding="utf-8"))
        for line in (path / "magento.jsonl").read_text(encoding="utf-8").splitlines():
            one = json.loads(line)
            orders = ((json.loads(one["body"]).get("data") or {}).get("customer") or {}).get("orders")
            if orders is not None:
                known = self.answers.setdefault(one["who"], [])
                known += [order for order in orders["items"] if order["number"] not in {other["number"] for other in known}]

    def of(self, who):
        return [order for order in self.truth if order["customer"] == who]


class Shop(QuietServer):
    def __init__(self, recording):
        super().__init__(Handler)
        self.recording = recording
        self.start()

    def answer(self, sent, token):
        query, values = sent["query"], sent.get("variables") or {}
        if "generateCustomerToken" in query:
            who = next((value for value in values.values() if value in self.recording.answers), None)
            is_right = who and PASSWORD in values.values()
            return {"data": {"generateCustomerToken": {"token": f"token-{who}"}}} if is_right else REFUSED
        who = (token or "").removeprefix("Bearer token-")
        if who not in self.recording.answers:
            return SIGNED_OUT
        orders, page, size = self.recording.answers[who], values["page"], values["size"]
        assert isinstance(page, int) and isinstance(size, int), values
        return {"data": {"customer": {"orders": {"total_count": len(orders), "items": orders[(page - 1) * size:page * size]}}}}


class Handler(QuietHandler):
    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        known = self.path == "/graphql" and self.headers["Content-Type"] == "application/json"
        answer = self.server.answer(sent, self.headers["Authorization"]) if known else {}
        body = json.dumps(answer).encode()
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Customer:
    """What the shop's database has, to compare rows with."""

    def __init__(self, recording, who):
        self.orders = {order["order_id"]: order for order in recording.of(who)}
        self.shipments = {order["number"]: order["shipments"] for order in recording.answers.get(who, [])}

    def compare(self, items, may_lack=()):
        return compared(self.orders, items, self.differences)

    def differences(self, number, rows):
        return of_order(self.orders[number], rows) + of_shipments(self.shipments[number], rows)


def status(order, line):
    """Where the pieces of a line are, by the shop's database."""
    ordered, shipped, refunded, cancelled = (Decimal(line[name]) for name in ("qty", "qty_shipped", "qty_refunded", "qty_canceled"))
    if ordered == cancelled:
        return "cancelled"
    if ordered == refunded + cancelled and STATUSES[order["status"]] != "cancelled":
        return "refunded"
    is_under_way = STATUSES[order["status"]] == "processing"
    return "shipped" if is_under_way and ordered == shipped + cancelled else STATUSES[order["status"]]


def of_shipments(shipments, items):
    """Every parcel is at the rows of its articles, and at no other."""
    wanted = {(item["product_sku"], one["title"], one["number"]) for sent in shipments for one in sent["tracking"] for item in sent["items"]}
    shown = {(item["retailerSku"], one["carrier"], one["trackingNumber"]) for item in items for one in item.get("shipments", [])}
    return [f"the shop has the parcels {sorted(wanted)}, the rows {sorted(shown)}"] if wanted != shown else []


def of_order(order, items):
    first, problems = items[0], []
    placed = datetime.fromisoformat(order["created_utc"]).replace(tzinfo=timezone.utc)
    wanted = (placed, Decimal(order["total"]), order["currency"])
    shown = (datetime.fromisoformat(first["orderDate"].replace("Z", "+00:00")), Decimal(str(first["orderTotal"])), first["currency"])
    if wanted != shown:
        problems.append(f"the shop has {wanted}, the row {shown}")
    lines = Counter((line["name"], line["sku"], status(order, line), Decimal(line["qty"]), Decimal(line["price"]), Decimal(line["row_total"]))
                    for line in order["lines"])
    rows = Counter((item["itemName"], item["retailerSku"], item["shipmentStatus"], *(Decimal(str(item[name])) for name in ("quantity", "price", "lineTotal")))
                   for item in items)
    problems += [f"lacks {count} x {line}" for line, count in (lines - rows).items()]
    problems += [f"has in excess {count} x {line}" for line, count in (rows - lines).items()]
    sums = Counter()
    for one in first["orderAdjustments"] or []:
        sums[one["type"]] += Decimal(str(one["amount"]))
    if -sums.pop("refund", 0) != Decimal(order["refunded"] or 0):
        problems.append(f"the shop has refunds of {order['refunded']}, the row {first['orderAdjustments']}")
    coins = COIN * len(order["lines"])
    for kind, sign, name in (("discount", -1, "discount"), ("tax", 1, "tax")):
        if abs(sums[kind] * sign - sum(Decimal(line[name]) for line in order["lines"])) > coins:
            problems.append(f"the shop has other {kind} than {sums[kind]}")
    if abs(sum(Decimal(str(item["lineTotal"])) for item in items) + sum(sums.values()) - Decimal(order["total"])) > coins:
        problems.append("lines and figures do not add up to the total")
    return problems


def entry(number, name, base, lines=""):
    return (f'[[retailer]]\nid = {number}\ndisplay_name = "{name}"\nconnector = "magento"\nbase_url = "{base}"\n'
            f'allow_private_network = true\nmin_interval_ms = 0\n{lines}\n')


class Magento:
    """The shop, for runs.judge."""

    email, reads = WHO, {"list": re.compile("^/graphql")}

    def __init__(self, *_):
        self.recording = Recording()
        self.shop = Shop(self.recording)

    def ready(self):
        self.base, self.customer = self.shop.base, Customer(self.recording, WHO)

    def stop(self):
        self.shop.shutdown()
        self.shop.server_close()

    entry = staticmethod(entry)


CHANGES = []
PASSING = ("retailer_unavailable", "action_required")


def change(name, edit, **how):
    """`edit`: of the orders' object of an answer of the list, in place; or the whole answer, if it gives another."""
    def response(path, status, body, fetch):
        answer = json.loads(body)
        orders = ((answer.get("data") or {}).get("customer") or {}).get("orders")
        if orders is None:
            return status, body
        changed = edit(orders)
        return status, json.dumps(answer if changed is None else changed)

    CHANGES.append(changes.Change(name, "list", {}, response=response, **{"codes": PASSING, **how}))


def each(edit):
    def all_of(orders):
        for order in orders["items"]:
            edit(order)
    return all_of


def first(edit):
    return lambda orders: edit(orders["items"][0]) if orders["items"] else None


def lines(edit):
    return each(lambda order: [edit(line) for line in order["items"]] and None)


def put(path, value):
    """Sets a value, or computes it from the one before."""
    def edit(order):
        *above, last = path.split(".")
        for name in above:
            order = order[name]
        if value is None:
            order.pop(last, None)
        else:
            order[last] = value(order.get(last)) if callable(value) else value
    return edit


def null(path):
    return put(path, lambda _: None)


# What is missing or null.
for field in ("number", "order_date", "total", "total.grand_total", "total.grand_total.value", "total.grand_total.currency", "items",
              "total.subtotal", "total.subtotal.value"):
    change(f"without_{field}", each(put(field, None)))
    change(f"null_{field}", first(null(field)))
for field in ("product_name", "quantity_ordered", "product_sale_price", "product_sale_price.value"):
    change(f"lines_without_{field}", lines(put(field, None)))
for field in ("total.total_tax", "total.total_shipping", "total.discounts", "credit_memos"):
    change(f"without_{field}", each(put(field, None)))
change("without_total_count", lambda orders: orders.pop("total_count") and None)
change("without_items_of_the_list", lambda orders: orders.pop("items") and None)
change("list_is_null", lambda orders: orders.update(items=None))
change("list_is_an_object", lambda orders: orders.update(items={str(place): order for place, order in enumerate(orders["items"])}))

# Other types, which say the same or nothing.
change("amounts_as_text", each(put("total.grand_total.value", lambda value: f"{value:.2f}")), must="equal")
change("amounts_with_four_decimals", each(put("total.grand_total.value", lambda value: f"{value:.4f}")), must="equal")
change("amounts_with_noise", each(put("total.subtotal.value", lambda value: math.nextafter(value, math.inf))), must="equal")
change("amounts_with_comma", each(put("total.grand_total.value", lambda value: f"{value:.2f}".replace(".", ","))))
change("amounts_formatted", each(put("total.grand_total.value", lambda value: f"${value:,.2f}")))
change("titles_are_numbers", lines(put("product_name", 42)))
change("quantities_as_text", lines(put("quantity_ordered", str)), must="equal")
change("quantities_in_words", lines(put("quantity_ordered", "two")))
change("dates_are_unix", each(put("order_date", 1_700_000_000)))
change("dates_without_time", each(put("order_date", lambda text: text[:10])))
change("dates_with_a_zone", each(put("order_date", lambda text: text + "+02:00")))
change("discounts_are_an_object", each(put("total.discounts", lambda _: {"amount": {"value": 1}})))

# Other units, other figures.
change("cents", each(lambda order: [put(f"total.{name}", lambda value: round(value * 100))(order) for name in ("grand_total.value", "subtotal.value")] and None))
change("total_in_cents", each(put("total.grand_total.value", lambda value: round(value * 100))))
change("lines_in_cents", lines(put("product_sale_price.value", lambda value: round(value * 100))))
change("unknown_currency", first(put("total.grand_total.currency", "$")))
change("one_line_lost", first(lambda order: order["items"].pop() and None))
change("one_line_twice", first(lambda order: order["items"].append(order["items"][0])))
change("quantity_less_refunds", lines(lambda line: put("quantity_ordered", lambda value: value - line["quantity_refunded"])(line)))
change("discounts_lost", each(put("total.discounts", lambda _: [])))
change("tax_lost", each(put("total.total_tax.value", 0)))
change("price_rounded", lines(put("product_sale_price.value", round)))
change("refunds_lost", each(put("credit_memos", lambda _: [])))
change("new_fields", each(put("gift_message", "für Ada")), must="equal")


# Partial answers, and lists that contradict themselves.
def partial(orders):
    orders["items"][1:2] = [None]
    return {"errors": [{"message": "Internal server error", "path": ["customer", "orders", "items", 1]}], "data": {"customer": {"orders": orders}}}


change("partial_errors", partial, must="retailer_incomplete")
change("partial_without_errors", lambda orders: orders["items"].__setitem__(slice(1, 2), [None]) if orders["items"] else None)
change("errors_beside_everything", lambda orders: {"errors": [{"message": "Deprecated"}], "data": {"customer": {"orders": orders}}},
       must="retailer_incomplete")
change("errors_are_empty", lambda orders: {"errors": [], "data": {"customer": {"orders": orders}}}, must="equal")
change("count_too_large", lambda orders: orders.update(total_count=orders["total_count"] + 1))
change("count_too_small", lambda orders: orders.update(total_count=orders["total_count"] - 1))
change("count_is_text", lambda orders: orders.update(total_count="many"))
change("pages_of_five", lambda orders: orders.update(items=orders["items"][:5]))
change("one_order_lost", lambda orders: orders["items"].pop() and None)
change("one_order_twice", lambda orders: orders["items"].insert(0, orders["items"][-1]))
change("orders_reversed", lambda orders: orders["items"].reverse(), must="equal")
change("every_list_empty", lambda orders: orders.update(items=[]))


def other_body(name, body, status=200, kind="text/html", **how):
    def response(path, _, text, fetch):
        return (status, body, {"Content-Type": kind}) if '"orders"' in text else (_, text)
    CHANGES.append(changes.Change(name, "list", {}, response=response, **{"codes": (*PASSING, "retailer_rate_limited"), **how}))


other_body("maintenance_with_status_200", "<html><title>Maintenance</title><h1>We will be back soon: maintenance</h1></html>", must="retailer_unavailable")
other_body("captcha", '<html><title>Just a moment</title><form><div class="g-recaptcha"></div></form></html>', must="action_required")
other_body("cut_off", '{"data":{"customer":{"orders":{"total_count":11,"items":[{"num', kind="application/json")
other_body("too_many_requests", "{}", status=429, kind="application/json", must="retailer_rate_limited")
other_body("server_failure", "{}", status=503, kind="application/json", must="retailer_unavailable")
other_body("forbidden", "{}", status=403, kind="application/json")


def customers(verdict):
    """Every customer's rows against the database, and a second sync that changes nothing."""
    recording = Recording()
    shop = Shop(recording)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        retailers = folder / "retailers.toml"
        retailers.write_text(entry(401, "Recorded Magento", shop.base))
        with Service(folder / "service", "--rate-limit", "off", "--retailers", str(retailers)) as service:
            for place, who in enumerate(sorted(recording.answers)):
                token, customer = service.token(phone=f"+155501{place:02}"), Customer(recording, who)
                answer = service.connect(token, 401, who, "wrong" + PASSWORD, "CONNECT")
                part, = service.follow(token, answer.json["batchId"])["retailerSyncSessions"]
                verdict.check(f"{who}: a wrong password is refused", (part.get("error") or {}).get("code") == "credentials_refused", part)
                token = service.token(phone=f"+155501{place + 50:02}")
                answer = service.connect(token, 401, who, PASSWORD, "CONNECT")
                part, = service.follow(token, answer.json["batchId"])["retailerSyncSessions"]
                verdict.check(f"{who}: completed", part["syncStatus"] == "completed", part)
                before = rows_of(service, token)
                wrong, missing = customer.compare(before)
                marked = [item["orderId"] for item in before if item.get("mismatch")]
                verdict.check(f"{who}: equal to the database", not wrong and not missing and not marked, (wrong[:5], missing, marked))
                answer = service.request("POST", f"/sync/connections/{answer.json['connectionId']}/sync", token=token)
                again, = service.follow(token, answer.json["batchId"])["retailerSyncSessions"]
                verdict.check(f"{who}: a second sync finds nothing new", again["itemsNew"] == 0 and rows_of(service, token) == before, again)
                print(f"equal: {who}: orders {len(customer.orders)}, rows {len(before)}", flush=True)
    shop.shutdown()
    shop.server_close()


def rows_of(service, token):
    answer = service.request("GET", "/sync/orders?limit=1000&include=adjustments", token=token)
    assert answer.status == 200, answer
    return json.loads(answer.body, parse_float=Decimal)


def main():
    arguments = runs.arguments_of(__doc__)
    verdict = Verdict()
    customers(verdict)
    code = verdict.end("customers of a recorded Magento")
    steps = [runs.EMPTY, runs.UNCHANGED, runs.RIGHT]
    return runs.judge("variants of JSON", CHANGES, steps, arguments, Magento) or code


if __name__ == "__main__":
    sys.exit(main())
