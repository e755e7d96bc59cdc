#!/usr/bin/env python3
"""Syncs every customer of a recorded OpenCart 4, and compares with the shop's database, line by line; then the pages are changed, one
thing at a time, and no sync may say more than it knows.

The shop is this program on 127.0.0.1: it answers as was recorded (`opencart.jsonl`, in the form that recordings.py describes). A
customer is known by the token in the address, which the answer to the sign-in gave. runs.py says how a sync with a change may end.

    recorded_opencart.py [--only REGEX] [--once] [--every N] [--report FILE]
"""

import html
import json
import pathlib
import re
import sys
import tempfile
import urllib.parse
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal

import changes
import runs
from judge import Service, Verdict
from quiet_server import QuietHandler, QuietServer
from recordings import PASSWORD, compared, folder as recordings

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


class Shop(QuietServer):
    def __init__(self, recording):
        super().__init__(Handler)
        self.recording = recording
        self.start()


class Handler(QuietHandler):
    def do_POST(self):
        sent = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()))
        known = self.server.recording.signed_in.get(sent.get("email"))
        self.answer(known if known and sent.get("password") == PASSWORD else self.server.recording.refused)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        self.answer(self.server.recording.find(url.query) if url.path == "/index.php" else None)

    def answer(self, found):
        found = found or {"status": 404, "headers": [["Content-Type", "text/html"]], "body": "<h1>Not recorded</h1>"}
        # The client may know this server by another address, that of a proxy.
        there, here = self.server.recording.base, f"http://{self.headers['Host']}"
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
        return compared(self.orders, items, lambda number, rows: of_order(self.orders[number], rows))


def rows_of(service, token):
    answer = service.request("GET", "/sync/orders?limit=1000&include=adjustments", token=token)
    assert answer.status == 200, answer
    return json.loads(answer.body, parse_float=Decimal)


def entry(number, name, base, lines=""):
    return (f'[[retailer]]\nid = {number}\ndisplay_name = "{name}"\nconnector = "opencart"\nbase_url = "{base}"\n'
            f'allow_private_network = true\nmin_interval_ms = 0\ncurrency = "USD"\n{lines}\n')


class OpenCart:
    """The shop, for runs.judge."""

    #: Eleven orders on two pages.
    email = "cust11@shop.test"
    reads = {"list": re.compile(r"/index\.php\?route=account/order&(?!.*order_id)"), "order": re.compile(r"/index\.php\?route=account/order\.info")}
    entry = staticmethod(entry)

    def __init__(self, *_):
        self.recording = Recording()
        self.shop = Shop(self.recording)

    def ready(self):
        self.base, self.customer = self.shop.base, Customer(self.recording, self.email)

    def stop(self):
        self.shop.shutdown()
        self.shop.server_close()


CHANGES = []
PASSING = ("retailer_unavailable", "action_required")
LINE = r'<tr id="product-row-\d+">.*?</tr>'
NAME = r'(<td><a href="[^"]*route=product/product[^"]*">)([^<]*)(</a>)'
NUMBERS = r'(<td class="text-end">)(\d+)(</td>\s*<td class="text-end">)([^<]*)(</td>\s*<td class="text-end">)([^<]*)(</td>)'
FIGURE = r'<tr>\s*<td colspan="2"></td>\s*<td class="text-end"><strong>{}</strong></td>\s*<td class="text-end">[^<]*</td>\s*<td></td>\s*</tr>'
LAST = FIGURE.format("Total")
ROW = r'<tr>\s*<td class="text-end">#\d+</td>.*?</tr>'
TABLE = r'<div class="table-responsive">\s*<table.*?</table>\s*</div>'
SIDE = '<table class="table"><tbody><tr><td>Hat</td><td class="text-end">$12.00</td></tr></tbody></table>'


def change(name, reads, pattern, new, count=0, **how):
    def response(path, status, body, fetch):
        if status != 200 or not OpenCart.reads[reads].match(path):
            return status, body
        return status, re.sub(pattern, new, body, count=count, flags=re.S)

    assert all(other.name != name for other in CHANGES), name
    CHANGES.append(changes.Change(name, reads, {}, response=response, **{"codes": PASSING, **how}))


def order(name, pattern, new, count=0, **how):
    change(name, "order", pattern, new, count, **how)


def listed(name, pattern, new, count=0, **how):
    change(name, "list", pattern, new, count, **how)


def amounts(edit):
    """Changes the digits of every amount that is found."""
    return lambda found: re.sub(r"[\d,]+\.\d\d", lambda number: edit(Decimal(number[0].replace(",", ""))), found[0])


def figure(label, amount):
    return f'<tr><td colspan="2"></td><td class="text-end"><strong>{label}</strong></td><td class="text-end">{amount}</td><td></td></tr>'


AMOUNTS = r'<td class="text-end">[^<]*\d\.\d\d[^<]*</td>'

# The lines of an order.
order("title_with_vendor", NAME, r'\1\2\3 <a href="/brand/oak">Oak</a>')
order("title_with_badge", NAME, r"\1\2\3 <em>New</em>")
order("title_without_link", NAME, r"<td>\2")
order("title_link_is_empty", NAME, r"\1\3")
order("model_lost", r"<small> - Model: [^<]*</small>", "")
order("model_called_sku", " - Model: ", " - SKU: ")
order("option_added", r"(<small> - Model: [^<]*</small>\s*</li>)", r"\1<li><small> - Colour: Red</small></li>")
order("quantity_pieces", NUMBERS, r"\1\2 pcs\3\4\5\6\7")
order("quantity_hidden", NUMBERS, r"\1\3\4\5\6\7")
order("quantity_more", NUMBERS, r"\g<1>9\2\3\4\5\6\7")
order("price_and_total_swapped", NUMBERS, r"\1\2\3\6\5\4\7")
order("headings_swapped", r'(<th class="text-end">)Price(</th>\s*<th class="text-end">)Total', r"\1Total\2Price")
order("heading_of_quantity", ">Quantity<", ">Qty<")
order("heading_of_price", ">Price<", ">Unit Price<")
order("headings_lost", r"(<th>Product.*?)</thead>", "</tr></thead>")
order("total_hidden", NUMBERS, r"\1\2\3\4\5\7")
order("total_more", NUMBERS, lambda found: "".join(found.groups()[:5]) + amounts(lambda value: f"{value + 1:,.2f}")(re.match("(.*)", found[6])) + found[7])
order("price_rounded", NUMBERS, lambda found: "".join(found.groups()[:3]) + amounts(lambda value: f"{value:,.0f}")(re.match("(.*)", found[4])) + "".join(found.groups()[4:]))
order("free_lines", NUMBERS, r"\1\2\3\4\5Free\7")
order("one_line_less", LINE, "", 1)
order("every_line_twice", LINE, r"\g<0>\g<0>")
order("lines_without_ids", r'<tr id="product-row-\d+">', "<tr>")
order("gift_line", LINE, r'\g<0><tr id="product-row-99"><td>Free gift</td><td class="text-end">1</td><td class="text-end">$0.00</td><td class="text-end">$0.00</td><td></td></tr>', 1)
order("group_row", r"(<tbody>\s*)(<tr id=\"product-row)", r'\1<tr><th colspan="5">From the depot</th></tr>\2')

# The figures below them.
order("subtotal_lost", FIGURE.format("Sub-Total"), "")
order("subtotal_renamed", "<strong>Sub-Total</strong>", "<strong>Goods</strong>")
order("subtotal_more", FIGURE.format("Sub-Total"), amounts(lambda value: f"{value + 3:,.2f}"))
order("shipping_lost", FIGURE.format("Flat Shipping Rate"), "")
order("shipping_renamed", "<strong>Flat Shipping Rate</strong>", "<strong>Postage</strong>")
order("tax_lost", FIGURE.format(r"(?:VAT|Eco Tax)[^<]*"), "")
order("tax_renamed", r"<strong>(?:VAT|Eco Tax)[^<]*</strong>", "<strong>Duty</strong>")
order("coupon_without_minus", FIGURE.format("Coupon[^<]*"), lambda found: found[0].replace("-", ""))
order("total_lost", LAST, "")
order("total_other", LAST, amounts(lambda value: f"{value * 2:,.2f}"))
order("fee_added", LAST, lambda found: figure("Wrapping", "$2.00") + found[0])
order("savings_added", LAST, lambda found: figure("You saved", "$12.50") + found[0])
order("weight_added", LAST, lambda found: figure("Weight", "3.20 kg") + found[0])
order("points_added", LAST, lambda found: found[0] + figure("Points earned", "120"))
order("due_later", LAST, lambda found: found[0] + figure("Due later", "$-5.00"))
order("figures_in_own_table", r'(<tr>\s*<td colspan="2"></td>.*?)(</tbody>\s*</table>)', r'\2<table class="totals"><tbody>\1\2')
order("figures_in_foot", r'(<tr>\s*<td colspan="2"></td>.*?)</tbody>', r"</tbody><tfoot>\1</tfoot>")
order("labels_swapped", r"<strong>(Sub-Total|Total)</strong>", lambda found: f"<strong>{'Total' if found[1] == 'Sub-Total' else 'Sub-Total'}</strong>")

# Amounts.
order("amounts_whole", AMOUNTS, amounts(lambda value: f"{value:,.0f}"))
order("amounts_with_comma", AMOUNTS, amounts(lambda value: f"{value:.2f}".replace(".", ",")))
order("amounts_in_cents", AMOUNTS, amounts(lambda value: f"{value * 100:.0f}"))
order("amounts_without_sign", AMOUNTS, lambda found: found[0].replace("$", "").replace("€", "").replace("£", ""))
order("amounts_in_another_currency", AMOUNTS, lambda found: found[0].replace("$", "£"))
order("amounts_twice", AMOUNTS, lambda found: found[0].replace("</td>", " ($1.00)</td>"))

# The page of an order.
NUMBER = r"(<strong class=\"lead\">Order ID</strong>\s*<br/>\s*)(\d+)"
order("number_of_another", NUMBER, r"\g<1>9\2")
order("number_lost", NUMBER, r"\1")
order("number_of_the_first", NUMBER, r"\g<1>1")
order("table_lost", TABLE, '<p class="app">See our app.</p>', 1)
order("table_twice", TABLE, r"\g<0>\g<0>", 1)
order("suborder_above", TABLE, lambda found: SIDE + found[0], 1)
order("recommended_below", r'(<h2>Order History</h2>)', lambda found: SIDE + found[0])
order("history_lost", r'<div id="history">', '<div id="steps">')
order("language_not_read", r'<html[^>]*lang="[^"]*"', '<html dir="ltr" lang="sw"')

# The list.
DATE = r"<td>(\d\d)/(\d\d)/(\d{4})</td>"
listed("date_month_first", DATE, r"<td>\2/\1/\3</td>", must="retailer_changed")
listed("date_iso", DATE, r"<td>\3-\2-\1</td>", must="equal")
# The day of the last change, where the day of the order should be: the history on the page of the order begins before.
listed("date_is_later", DATE, r"<td>28/12/\3</td>", must="retailer_incomplete")
listed("date_lost", DATE, "<td></td>")
listed("date_in_words", DATE, "<td>a while ago</td>")
listed("number_without_sign", r">#(\d+)<", r">\1<")
listed("number_with_word", r">#(\d+)<", r">No. \1<")
listed("number_of_list_other", r">#(\d+)<", r">#9\1<")
listed("link_lost", r'<a href="[^"]*order_id=\d+"[^>]*>(.*?)</a>', r"\1")
listed("link_to_another", r"order_id=\d+", "order_id=24")
listed("headings_lost_of_list", r"<thead>.*?</thead>", "")
listed("heading_of_date", ">Date Added<", ">Last Changed<")
listed("heading_of_total", ">Total<", ">Amount<")
TOTAL = r'(<td class="text-end">#\d+</td>\s*<td class="text-end">\d+</td>\s*<td>[^<]*</td>\s*)(<td class="text-end">[^<]*</td>)'
listed("total_of_list_lost", TOTAL, r'\1<td class="text-end"></td>')
listed("total_of_list_other", TOTAL, lambda found: found[1] + amounts(lambda value: f"{value + 1:,.2f}")(re.match("(.*)", found[2])))
listed("count_of_pieces", r'(<td class="text-end">#\d+</td>\s*<td class="text-end">)(\d+)', r"\g<1>9\2")
listed("status_lost", r"<td>(Complete|Shipped|Pending|Processing|Processed|Refunded|Canceled)</td>", "<td></td>")
listed("one_row_less", ROW, "", 1)
listed("one_row_twice", ROW, r"\g<0>\g<0>", 1)
listed("rows_of_cards", ROW, lambda found: found[0].replace("<tr>", '<tr class="card"><td></td>', 1))
listed("pager_lost", r'<ul class="pagination">.*?</ul>', "")
listed("pager_and_count_lost", r'<ul class="pagination">.*?Pages\)', "")
listed("count_too_large", r"of 11 \(2 Pages\)", "of 21 (3 Pages)")
listed("count_too_small", r"of 11 \(2 Pages\)", "of 10 (1 Pages)")
listed("table_of_list_lost", TABLE, '<p class="app">See our app.</p>')
listed("says_no_orders", TABLE, "<p>You have not made any previous orders!</p>")
listed("page_is_cut", r"</tbody>.*", "")
TABS = '<ul class="nav nav-tabs"><li class="active"><a>Open (3)</a></li><li><a href="/index.php?route=account/order&amp;filter=done">Done (8)</a></li></ul>'
listed("only_three_in_tabs", r"(<div class=\"table-responsive\">.*?<tbody>)(.*?)(</tbody>.*?)<div class=\"row mb-3\">.*?\(\d+ Pages\)</div>\s*</div>",
       lambda found: TABS + found[1] + "".join(re.findall(ROW, found[2], re.S)[:3]) + found[3])


def customers(verdict):
    """Every customer's rows against the database, and a second sync that changes nothing."""
    recording = Recording()
    shop = Shop(recording)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        retailers = folder / "retailers.toml"
        retailers.write_text(entry(501, "Recorded OpenCart", shop.base))
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


def main():
    arguments = runs.arguments_of(__doc__)
    verdict = Verdict()
    customers(verdict)
    code = verdict.end("customers of a recorded OpenCart")
    steps = [runs.EMPTY, runs.UNCHANGED, runs.RIGHT]
    return runs.judge("variants of OpenCart", CHANGES, steps, arguments, OpenCart) or code


if __name__ == "__main__":
    sys.exit(main())
