"""Recorded exchanges of a WooCommerce shop, and the rows of its database.

A recording is a folder with two files. `woocommerce.jsonl` has an exchange per line: `who` (the customer's e-mail, or null),
`label`, `method`, `url`, `form` (what was sent), `status`, `headers` (pairs), `body`. `woocommerce.truth.json` has the orders:
`order_id`, `customer`, `created_local`, `created_gmt`, `status`, `total`, `currency`, `refunds`, and per line `name`, `qty`,
`subtotal`, `total`, `tax` and `sku`. `ORDERSYNC_RECORDINGS` names the folder; by default it is `shared/recorded` beside the
checkout.
"""

import copy
import dataclasses
import json
import os
import pathlib
import re
import sys
import urllib.parse
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = "ORDERSYNC_RECORDINGS"
WITHOUT = "ORDERSYNC_NO_RECORDINGS"
FILES = ("woocommerce.jsonl", "woocommerce.truth.json")
#: The recorded shop's own clock, and the password of all its customers.
ZONE, PASSWORD = ZoneInfo("America/Los_Angeles"), "OrderSync!2024"
ACCOUNT, LIST, ORDER, API = "/my-account/", "/my-account/orders/", "/my-account/view-order/", "/wp-json/wc/store/v1/order/"
ROW = re.compile(r'<tr class="woocommerce-orders-table__row .*?</tr>', re.S)
TIME = re.compile(r'<time datetime="([^"+]+)\+00:00">[^<]*</time>')
PLACED = re.compile(r'(<mark class="order-date">)[^<]*(</mark>)')
#: How far the orders of a copy are from the orders that they were copied from.
NUMBERS, DAYS = 1000, timedelta(days=500)
ORDERS_PER_PAGE = 10
#: Statuses of orders that need not be read again.
SETTLED = ("wc-completed", "wc-refunded", "wc-cancelled")


def folder():
    """The folder of the recordings; ends the program if it is missing."""
    named = os.environ.get(PLACE)
    path = pathlib.Path(named) if named else ROOT.parent / "shared/recorded"
    missing = [name for name in FILES if not (path / name).is_file()]
    if missing:
        sys.exit(f"There are no recordings of a WooCommerce shop in {path}: {', '.join(missing)} missing.\n"
                 f"Name their folder in {PLACE}, or set {WITHOUT}=1 to leave the comparison with WooCommerce out.")
    return path


@dataclasses.dataclass
class Exchange:
    """An answer of the shop."""

    status: int
    headers: list
    body: str


class Recording:
    """What the shop answered, by customer and path; and the rows of its database."""

    def __init__(self, path=None):
        path = path or folder()
        #: (customer or None, path) -> Exchange
        self.pages = {}
        #: customer -> (form that signs in, Exchange)
        self.forms = {}
        #: value of the session cookie -> customer
        self.sessions = {}
        self.refused, self.past_the_end, self.base = None, None, None
        with open(path / FILES[0], encoding="utf-8") as lines:
            for line in lines:
                self.take(json.loads(line))
        self.orders = json.loads((path / FILES[1]).read_text(encoding="utf-8"))

    def take(self, one):
        url = urllib.parse.urlsplit(one["url"])
        self.base = self.base or f"{url.scheme}://{url.netloc}"
        exchange = Exchange(one["status"], [tuple(pair) for pair in one["headers"]], one["body"] or "")
        if one["method"] == "POST":
            if exchange.status == 302:
                self.forms[one["who"]] = (one["form"], exchange)
                self.sessions |= {value: one["who"] for value in session_cookies(exchange)}
            else:
                self.refused = exchange
            return
        # Before the sign-in, every page of the account is the sign-in.
        who = None if one["label"] in ("login page", "signed out list") else one["who"]
        path = url.path + (f"?{url.query}" if url.query else "")
        if one["label"] == "past the end":
            self.past_the_end = exchange
        self.pages.setdefault((who, path), exchange)

    def customers(self):
        return sorted(self.forms, key=lambda who: len(self.of(who)))

    def of(self, who):
        return [order for order in self.orders if order["customer"] == who]

    def find(self, who, path):
        """What the shop answers this customer; None: nothing of the kind was recorded."""
        if who is None:
            return self.pages.get((None, path if (None, path) in self.pages else ACCOUNT)) if path.startswith(ACCOUNT) else None
        found = self.pages.get((who, path))
        if found is None and re.fullmatch(rf"{LIST}\d+/", path):
            # It is the same for all, and was recorded once.
            return self.past_the_end
        return found

    def copied(self, who, times):
        """A further customer, with the orders of `who` and the settled ones of them so many times more; the name of that
        customer. Copies have numbers and dates of their own, and the same figures."""
        orders = self.of(who)
        settled = [order for order in orders if order["status"] in SETTLED]
        name = f"cust{len(orders) + len(settled) * times}@shop.test"
        form, answer = self.forms[who]
        self.forms[name] = ({**form, "username": name}, copy.deepcopy(answer))
        marked = [(header, value.replace("=", f"={times}x", 1) if header.lower() == "set-cookie" else value)
                  for header, value in answer.headers]
        self.forms[name][1].headers[:] = marked
        self.sessions |= {value: name for value in session_cookies(self.forms[name][1])}
        pages = [self.pages[who, LIST], *(self.pages[who, f"{LIST}{n}/"] for n in range(2, (len(orders) - 1) // ORDERS_PER_PAGE + 2))]
        rows = [row for page in pages for row in ROW.findall(page.body)]
        assert len(rows) == len(orders), f"{len(rows)} rows of {len(orders)} orders"
        copies = []
        for place in range(times + 1):
            chosen = settled if place else orders
            numbers = {str(order["order_id"]) for order in chosen}
            copies += [self.copied_row(row, place) for row in rows if re.search(rf"{ORDER}(\d+)/", row)[1] in numbers]
            for order in chosen:
                self.copy_order(who, name, order, place)
        self.list_pages(name, pages, copies)
        return name

    @staticmethod
    def copied_row(row, place):
        number = re.search(rf"{ORDER}(\d+)/", row)[1]
        row = re.sub(rf"(view-order/|number |#){number}\b", lambda found: f"{found[1]}{int(number) - NUMBERS * place + NUMBERS * 100}", row)

        def moved(found):
            at = datetime.fromisoformat(found[1]) - DAYS * place
            return f'<time datetime="{at.isoformat()}+00:00">{words(at)}</time>'
        return TIME.sub(moved, row)

    def copy_order(self, who, name, order, place):
        number, local = order["order_id"], datetime.fromisoformat(order["created_local"]) - DAYS * place
        other = number - NUMBERS * place + NUMBERS * 100
        page = copy.copy(self.pages[who, f"{ORDER}{number}/"])
        page.body = re.sub(rf"(#|order-number\">|order_again=|view-order/){number}\b", lambda found: f"{found[1]}{other}", page.body)
        page.body = PLACED.sub(lambda found: f"{found[1]}{words(local)}{found[2]}", page.body)
        self.pages[name, f"{ORDER}{other}/"] = page
        if api := self.pages.get((who, f"{API}{number}")):
            body = api.body.replace(f'"id":{number},', f'"id":{other},', 1)
            self.pages[name, f"{API}{other}"] = Exchange(api.status, api.headers, body)
        self.orders.append({
            **order, "order_id": other, "customer": name, "created_local": str(local),
            "created_gmt": str(local.replace(tzinfo=ZONE).astimezone(timezone.utc).replace(tzinfo=None))})

    def list_pages(self, name, pages, rows):
        """The pages of the list, with the links of a recorded first, middle and last one."""
        count = (len(rows) - 1) // ORDERS_PER_PAGE + 1
        for number in range(1, count + 1):
            frame = pages[0 if number == 1 else -1 if number == count else 1]
            page, own = copy.copy(frame), rows[(number - 1) * ORDERS_PER_PAGE:number * ORDERS_PER_PAGE]
            found = list(ROW.finditer(page.body))
            page.body = page.body[:found[0].start()] + "\n".join(own) + page.body[found[-1].end():]
            page.body = re.sub(rf'(button--(next|previous)[^>]*href="[^"]*{LIST})\d+/',
                               lambda link: f"{link[1]}{number + (1 if link[2] == 'next' else -1)}/", page.body)
            self.pages[name, LIST if number == 1 else f"{LIST}{number}/"] = page


def words(at):
    """As the shop writes a date."""
    return f"{at:%B} {at.day}, {at.year}"


def session_cookies(exchange):
    return [value.split(";")[0].split("=", 1)[1] for name, value in exchange.headers
            if name.lower() == "set-cookie" and value.startswith("wordpress_logged_in_")]


def entry(number, name, base, lines=""):
    """The shop in a file of retailers."""
    return (f'[[retailer]]\nid = {number}\ndisplay_name = "{name}"\nconnector = "woocommerce"\nbase_url = "{base}"\n'
            f'allow_private_network = true\ntime_zone = "{ZONE}"\ncurrency = "USD"\nmin_interval_ms = 0\n{lines}\n')


def compared(orders, items, differences):
    """(what differs, numbers of the orders that the rows lack altogether). Orders that are marked say themselves that they differ.
    `orders`: those of the shop's database, by number; `differences(number, rows)`: how the rows of one differ from it."""
    got, marked = {}, set()
    for item in items:
        got.setdefault(item["orderId"], []).append(item)
        marked |= {item["orderId"]} if item.get("mismatch") else set()
    problems = [f"order {number}: is not the customer's" for number in got.keys() - orders.keys()]
    for number in (orders.keys() & got.keys()) - marked:
        problems += [f"order {number}: {problem}" for problem in differences(number, got[number])]
    return problems, orders.keys() - got.keys()
