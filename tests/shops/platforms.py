"""Shops of the platforms that do not run here, each a server on 127.0.0.1: Magento and OpenCart 4 as they were recorded
(recordings.py), Medusa, Vendure, OpenCart 3 and Zen Cart from their saved answers (saved/).

A customer of a recorded shop has the recorded orders. The saved answers have five whole orders each; the customer has them
COPIES times, with numbers and years of their own, so that the list has several pages. Sessions are real: each sign-in gives
another token, which may be good for a number of requests only, and orders may appear while the list is read.

    shop = Shop(Medusa()); shop.start(); shop.base; shop.entry(601)
"""

import dataclasses
import html
import json
import pathlib
import re
import threading
import time
import urllib.parse
from collections import Counter
from decimal import Decimal

import recorded_magento
import recorded_opencart
from quiet_server import QuietHandler, QuietServer
from recordings import PASSWORD

SAVED = pathlib.Path(__file__).resolve().parent / "saved"
COPIES = 5
#: How far the number of a copy is from that of the order that was saved.
NUMBERS = 1000
JSON, HTML = "application/json", "text/html; charset=utf-8"
PAGE = "<!DOCTYPE html><html lang='en'><head><title>{0}</title></head><body><div id='content'><h1>{0}</h1>{1}</div></body></html>"
ENDLESS = 10**9
#: What only a customer who is signed in gets.
INSIDE = ("list", "order")


@dataclasses.dataclass
class Answer:
    status: int
    body: str = ""
    headers: tuple = ()
    kind: str = HTML


def in_json(value, status=200, headers=()):
    return Answer(status, json.dumps(value), headers, JSON)


class Request:
    def __init__(self, method, path, headers, sent):
        url = urllib.parse.urlsplit(path)
        self.method, self.path, self.headers, self.sent = method, url.path, headers, sent
        self.query = dict(urllib.parse.parse_qsl(url.query))

    @property
    def json(self):
        return json.loads(self.sent or "{}")

    @property
    def form(self):
        return dict(urllib.parse.parse_qsl(self.sent, keep_blank_values=True))

    def bearer(self):
        return (self.headers["Authorization"] or "").removeprefix("Bearer ")

    def cookie(self, name):
        return dict(one.strip().partition("=")[::2] for one in (self.headers["Cookie"] or "").split(";")).get(name)


class Platform:
    """What a platform answers. `numbers`: of the customer's orders, newest first."""

    connector = settings = ""
    #: What it is called here, if not as its connector.
    name = None
    email, currency = "ada@shop.test", None
    #: Whether the page of an order is asked for, beside the list.
    has_orders = True
    #: Whether a page asks for a second factor, which its recipe does not describe.
    has_code_page = False

    def __str__(self):
        return self.name or self.connector

    def other(self, request):
        """What else is asked for, such as the page after the sign-in."""
        return Answer(200, PAGE.format("My Account", ""))

    def form_page(self):
        return None


class Magento(Platform):
    connector, email, has_orders = "magento", recorded_magento.WHO, False
    per_page = 20

    def __init__(self):
        self.recording = recorded_magento.Recording()
        self.orders = {order["number"]: order for order in self.recording.answers[self.email]}
        self.numbers = list(self.orders)
        self.customer = recorded_magento.Customer(self.recording, self.email)

    def kind(self, request):
        if request.path != "/graphql":
            return "other"
        return "sign-in" if "generateCustomerToken" in request.json["query"] else "list"

    def token(self, request):
        return request.bearer()

    def is_right(self, request):
        return set(request.json["variables"].values()) == {self.email, PASSWORD}

    def taken(self, token):
        return in_json({"data": {"generateCustomerToken": {"token": token}}})

    def refused(self):
        return in_json(recorded_magento.REFUSED)

    #: It says no more about a locked account.
    locked = None

    def code_wanted(self):
        """No customer of Magento has a second factor; an extension may ask for one."""
        return in_json({"errors": [{"message": "Please enter the code that was sent to you.", "extensions": {"category": "graphql-input"}}],
                        "data": {"generateCustomerToken": None}})

    def signed_out(self, kind):
        return in_json(recorded_magento.SIGNED_OUT)

    def listed(self, request, numbers):
        values = request.json["variables"]
        shown = numbers[(values["page"] - 1) * values["size"]:values["page"] * values["size"]]
        return in_json({"data": {"customer": {"orders": {"total_count": len(numbers), "items": [self.orders[one] for one in shown]}}}})

    def compare(self, items):
        return self.customer.compare(items)


def rows_between(page, pattern):
    """(what is before the rows, the rows, what is after them)."""
    found = list(re.finditer(pattern, page, re.S))
    return page[:found[0].start()], [one[0] for one in found], page[found[-1].end():]


class Pages(Platform):
    """A platform of pages. `rows`: number -> its row in the list; `pages`: number -> its page."""

    per_page = 10

    def is_right(self, request):
        return (request.form.get(self.name_field), request.form.get("password")) == (self.email, PASSWORD)

    def list_page(self, request, numbers):
        page, last = int(request.query.get("page") or 1), max(-(-len(numbers) // self.per_page), 1)
        page = min(page, last) if self.repeats_last else page
        first = (page - 1) * self.per_page
        shown = numbers[first:first + self.per_page]
        if not shown:
            return self.empty.replace("page=9", f"page={page}")
        return self.head + "\n".join(self.rows[one] for one in shown) + self.pager(self.tail, page, last, first + 1, first + len(shown), len(numbers))


def opencart_pager(tail, page, last, first, to, count, address):
    links = "".join(f'<li class="active"><span>{one}</span></li>' if one == page else f'<li><a href="{address}&amp;page={one}">{one}</a></li>'
                    for one in range(1, last + 1))
    tail = re.sub(r'<ul class="pagination">.*?</ul>', f'<ul class="pagination">{links}</ul>' if last > 1 else "", tail, count=1, flags=re.S)
    return re.sub(r"Showing \d+ to \d+ of \d+ \(\d+ Pages\)", f"Showing {first} to {to} of {count} ({last} Pages)", tail, count=1)


class OpenCart(Pages):
    connector, email, name_field, repeats_last, currency = "opencart", "cust25@shop.test", "email", False, "USD"
    login_token = re.compile(r"login_token=\w+")

    def __init__(self):
        recording = recorded_opencart.Recording()
        self.base, self.recording = recording.base, recording
        own = {query: one["body"] for (who, query), one in recording.pages.items() if who == self.email and one["status"] == 200}
        self.recorded = next(token for token, who in recording.tokens.items() if who == self.email)
        self.pages = {urllib.parse.parse_qs(query)["order_id"][0]: body for query, body in own.items() if "order_id" in query}
        self.empty = next(body for query, body in own.items() if "page=9" in query)
        self.rows = {}
        for query in ("route=account/order", "page=2&route=account/order", "page=3&route=account/order"):
            before, rows, after = rows_between(own[query], r"<tr>\s*<td class=\"text-end\">#\d+.*?</tr>")
            if not self.rows:
                self.head, self.tail = before, after
            self.rows |= {re.search(r"#(\d+)", row)[1]: row for row in rows}
        self.numbers = list(self.rows)
        self.customer = recorded_opencart.Customer(recording, self.email)

    def kind(self, request):
        route = request.query.get("route", "") if request.path == "/index.php" else ""
        kinds = {"account/login": "form", "account/login.login": "sign-in", "account/order": "list", "account/order.info": "order"}
        return kinds.get(route, "other")

    def pager(self, *about):
        return opencart_pager(*about, f"{self.base}/index.php?route=account/order&amp;language=en-gb&amp;customer_token={self.recorded}")

    def token(self, request):
        return request.query.get("customer_token")

    def form_page(self):
        return Answer(200, self.recording.pages[None, "route=account/login"]["body"])

    def taken(self, token):
        body = self.recording.signed_in[self.email]["body"].replace(self.recorded, token)
        return Answer(200, body, (("Set-Cookie", f"OCSESSID={token}; path=/"),), JSON)

    def refused(self):
        return Answer(200, self.recording.refused["body"], (), JSON)

    def locked(self):
        return in_json({"error": {"warning": "Warning: Your account has exceeded allowed number of login attempts. Please try again in 1 hour."}})

    def code_wanted(self):
        return in_json({"error": {"code": "Enter the code of your authenticator app."}})

    def code_page(self):
        """Its own second factor, which comes after the sign-in in place of any page."""
        field = '<input type="text" name="code" value="" placeholder="Code" id="input-code" class="form-control">'
        form = f'<form id="form-authorize" action="{self.base}/index.php?route=account/authorize.save" method="post" data-oc-toggle="ajax">{field}</form>'
        return Answer(200, PAGE.format("Security", form))

    def signed_out(self, kind):
        return Answer(302, "", (("Location", f"{self.base}/index.php?route=account/login&language=en-gb"),))

    def listed(self, request, numbers):
        return self.with_token(request, self.list_page(request, numbers))

    def order(self, request):
        return self.with_token(request, self.pages.get(request.query["order_id"]))

    def with_token(self, request, body):
        return Answer(200, body.replace(self.recorded, self.token(request))) if body else Answer(404, PAGE.format("Not found", ""))

    def compare(self, items):
        return self.customer.compare(items)


class Saved:
    """The answers of a folder of saved/: the list, and the page of each order that was saved."""

    base = "https://shop.example"

    def __init__(self, name):
        self.folder = SAVED / name
        requests = json.loads((self.folder / "requests.json").read_text())
        pages = [(one, (self.folder / one["page"]).read_text()) for one in requests if one["page"]]
        self.sign_in, (_, self.list), *orders = [pages[0][1], *pages[1:]]
        self.orders = [body for _, body in orders]


class Copied:
    """What the customer of saved answers has: number -> (total, quantities of the lines), to compare rows with."""

    def compare(self, items):
        got = {}
        for item in items:
            got.setdefault(item["orderId"], []).append(item)
        problems = [f"order {number}: is not the customer's" for number in got.keys() - self.truth.keys()]
        for number in self.truth.keys() & got.keys():
            shown = Decimal(str(got[number][0]["orderTotal"])), Counter(Decimal(str(item["quantity"])) for item in got[number])
            if shown != self.truth[number]:
                problems.append(f"order {number}: the shop has {self.truth[number]}, the rows {shown}")
        return problems, self.truth.keys() - got.keys()


class Medusa(Copied, Platform):
    connector, per_page = "medusa", 10
    settings = 'values = { publishable_key = "pk_a1b2c3" }\n'
    code, challenge = "123456", "chal_1"

    def __init__(self):
        saved = Saved("medusa")
        self.orders, self.truth = {}, {}
        rows = {row["id"]: row for row in json.loads(saved.list)["orders"]}
        for place in range(COPIES):
            for body in saved.orders:
                order = json.loads(body)["order"]
                row = dict(rows[order["id"]])
                for one in (order, row):
                    one |= {"id": f"{one['id']}{place}", "display_id": one["display_id"] + NUMBERS * (COPIES - place),
                            "created_at": f"{int(one['created_at'][:4]) - place}{one['created_at'][4:]}"}
                number = str(row["display_id"])
                self.orders[number] = row, order
                self.truth[number] = Decimal(str(order["total"])), Counter(Decimal(str(item["quantity"])) for item in order["items"])
        self.numbers = sorted(self.orders, key=lambda one: self.orders[one][0]["created_at"], reverse=True)

    def kind(self, request):
        if request.path.startswith("/auth/mfa/"):
            return "code"
        kinds = {"/auth/customer/emailpass": "sign-in", "/store/orders": "list"}
        return kinds.get(request.path) or ("order" if request.path.startswith("/store/orders/") else "other")

    def token(self, request):
        return request.bearer()

    def is_right(self, request):
        return request.json == {"email": self.email, "password": PASSWORD}

    def taken(self, token):
        return in_json({"token": token})

    def refused(self):
        return in_json({"type": "unauthorized", "message": "Invalid email or password"}, 401)

    #: It knows no locked accounts.
    locked = None

    def code_wanted(self):
        return in_json({"mfa_required": True, "mfa_challenge": {"id": self.challenge}, "token": "begun"})

    def code_answer(self, request, token):
        is_right = request.json["code"] == self.code and request.bearer() == "begun" and self.challenge in request.path
        return self.taken(token) if is_right else in_json({"type": "unauthorized", "message": "Invalid code"}, 401)

    def signed_out(self, kind):
        return in_json({"type": "unauthorized", "message": "Unauthorized"}, 401)

    def listed(self, request, numbers):
        offset, limit = int(request.query["offset"]), int(request.query["limit"])
        shown = [self.orders[one][0] for one in numbers[offset:offset + limit]]
        return in_json({"orders": shown, "count": len(numbers), "offset": offset, "limit": limit})

    def order(self, request):
        key = request.path.rsplit("/", 1)[1]
        found = next((order for row, order in self.orders.values() if row["id"] == key), None)
        return in_json({"order": found}) if found else in_json({"type": "not_found"}, 404)


class Vendure(Copied, Platform):
    connector, per_page = "vendure", 20

    def __init__(self):
        saved = Saved("vendure")
        self.rows, self.orders, self.truth = {}, {}, {}
        rows = {row["code"]: row for row in json.loads(saved.list)["data"]["activeCustomer"]["orders"]["items"]}
        for place in range(COPIES):
            for body in saved.orders:
                answer = json.loads(body)
                order = answer["data"]["orderByCode"]
                row, code = rows[order["code"]], f"{order['code']}{'' if place == 0 else place}"
                order["code"] = code
                at = f"{int(row['orderPlacedAt'][:4]) - place}{row['orderPlacedAt'][4:]}"
                self.rows[code], self.orders[code] = {**row, "code": code, "orderPlacedAt": at}, answer
                self.truth[code] = Decimal(order["totalWithTax"]) / 100, Counter(Decimal(line["quantity"]) for line in order["lines"])
        self.numbers = sorted(self.rows, key=lambda one: self.rows[one]["orderPlacedAt"], reverse=True)

    def kind(self, request):
        if request.path != "/shop-api":
            return "other"
        query = request.json["query"]
        return "sign-in" if "login(" in query else "order" if "orderByCode" in query else "list"

    def token(self, request):
        return request.cookie("session")

    def is_right(self, request):
        return request.json["variables"] == {"username": self.email, "password": PASSWORD}

    def taken(self, token):
        return in_json({"data": {"login": {"__typename": "CurrentUser"}}}, headers=(("Set-Cookie", f"session={token}; Path=/; HttpOnly"),))

    def refused(self, code="INVALID_CREDENTIALS_ERROR"):
        return in_json({"data": {"login": {"__typename": "ErrorResult", "errorCode": code, "message": "The provided credentials are invalid"}}})

    def locked(self):
        return self.refused("NOT_VERIFIED_ERROR")

    def code_wanted(self):
        return self.refused("NATIVE_AUTH_STRATEGY_ERROR")

    def signed_out(self, kind):
        more = {"orderByCode": None} if kind == "order" else {}
        return in_json({"data": {"__typename": "Query", "activeCustomer": None, **more}})

    def listed(self, request, numbers):
        values = request.json["variables"]
        shown = [self.rows[one] for one in numbers[values["offset"]:values["offset"] + values["size"]]]
        return in_json({"data": {"__typename": "Query", "activeCustomer": {"orders": {"totalItems": len(numbers), "items": shown}}}})

    def order(self, request):
        found = self.orders.get(request.json["variables"]["code"])
        return in_json(found or {"data": {"__typename": "Query", "activeCustomer": {"id": "2"}, "orderByCode": None}})


class VendureByToken(Vendure):
    """With `tokenMethod` set to `bearer`: no cookies, and the token in a header of the answer."""

    name = "vendure-token"

    def token(self, request):
        return request.bearer()

    def taken(self, token):
        return in_json({"data": {"login": {"__typename": "CurrentUser"}}}, headers=(("vendure-auth-token", token),))


class SavedPages(Copied, Pages):
    """Saved pages, whose customers are known by a cookie. A sign-in is answered with a redirect."""

    has_code_page = True

    def __init__(self):
        saved = Saved(self.connector)
        self.base, self.form = Saved.base, saved.sign_in
        self.head, rows, self.tail = rows_between(saved.list, self.row)
        by_number = {re.search(self.number, row)[1]: row for row in rows}
        self.rows, self.pages, self.truth = {}, {}, {}
        for place in range(COPIES):
            for body in saved.orders:
                old = re.search(self.on_page, body)[1]
                number = old if place == 0 else str(int(old) + NUMBERS * (COPIES - place))
                self.rows[number] = self.copied(by_number[old], old, number, place)
                self.pages[number] = self.copied(body, old, number, place)
                quantities = Counter(Decimal(one) for one in re.findall(self.quantity, body))
                self.truth[number] = Decimal(re.search(self.total, body, re.S)[1].replace(",", "")), quantities
        self.numbers = list(self.rows)

    def copied(self, text, old, number, place):
        text = re.sub(rf"(#|order_id=|Order Number: ){old}\b", rf"\g<1>{number}", text)
        return re.sub(r"\b(\d\d/\d\d/|\d\d \w+, )(20\d\d)\b", lambda found: f"{found[1]}{int(found[2]) - place}", text)

    def token(self, request):
        return request.cookie(self.cookie)

    def form_page(self, notice=""):
        return Answer(200, re.sub(r"(<form )", notice + r"\1", self.form, count=1))

    def taken(self, token):
        return Answer(302, "", (("Location", f"{self.base}/{self.account}"), ("Set-Cookie", f"{self.cookie}={token}; path=/")))

    def refused(self):
        return self.form_page(self.notice.format(self.refusal))

    def locked(self):
        return self.form_page(self.notice.format(self.lock))

    def code_wanted(self):
        form = '<form method="post" action="/code"><label>Code <input name="otp" autocomplete="one-time-code"></label><button>Send</button></form>'
        return Answer(200, PAGE.format("Enter your code", form))

    code_page = code_wanted

    def signed_out(self, kind):
        return Answer(302, "", (("Location", f"{self.base}/{self.sign_in_page}"),))

    def listed(self, request, numbers):
        return Answer(200, self.list_page(request, numbers))

    def order(self, request):
        found = self.pages.get(request.query.get("order_id"))
        return Answer(200, found) if found else Answer(404, PAGE.format("Not found", ""))


class OpenCart3(SavedPages):
    connector, name_field, repeats_last, currency = "opencart3", "email", False, "USD"
    row, number, on_page = r"<tr>\s*<td class=\"text-right\">#\d+.*?</tr>", r"#(\d+)", r"<b>Order ID:</b> #(\d+)"
    quantity = r'<td class="text-left">[^<]*</td>\s*<td class="text-right">(\d+)</td>\s*<td class="text-right">[^<]*</td>'
    total = r"<b>Total</b></td>\s*<td class=\"text-right\">\$?([\d,.]+)"
    cookie, account, sign_in_page = "OCSESSID", "index.php?route=account/account", "index.php?route=account/login"
    notice = '<div class="alert alert-danger">{}</div>'
    refusal = "Warning: No match for E-Mail Address and/or Password."
    lock = "Warning: Your account has exceeded allowed number of login attempts. Please try again in 1 hour."
    empty = PAGE.format("Order History", "<p>You have not made any previous orders!</p>")

    def kind(self, request):
        route = request.query.get("route", "") if request.path == "/index.php" else ""
        kinds = {"account/login": "sign-in" if request.method == "POST" else "form", "account/order": "list", "account/order/info": "order"}
        return kinds.get(route, "other")

    def pager(self, *about):
        return opencart_pager(*about, f"{self.base}/index.php?route=account/order")


class ZenCart(SavedPages):
    connector, name_field, repeats_last, currency = "zencart", "email_address", True, "USD"
    row, number, on_page = r"<fieldset>\s*<legend>Order Number.*?</fieldset>", r"Order Number: (\d+)", r"Order #(\d+)"
    quantity, total = r'accountQuantityDisplay">(\d+)', r'.*<div class="amount larger forward">[$€£]?([\d,.]+)</div>\s*<div class="lineTitle larger forward">Total:'
    cookie, account, sign_in_page = "zenid", "index.php?main_page=account", "index.php?main_page=login"
    notice = '<div class="messageStackError larger">{}</div>'
    refusal = "Error: Sorry, there is no match for that email address and/or password."
    lock = "Error: Access denied."

    def kind(self, request):
        page = request.query.get("main_page", "") if request.path == "/index.php" else ""
        kinds = {"login": "sign-in" if request.method == "POST" else "form", "account_history": "list", "account_history_info": "order"}
        return kinds.get(page, "other")

    def pager(self, tail, page, last, first, to, count):
        address = f"{self.base}/index.php?main_page=account_history"
        links = "".join(f'<li class="current active">{one}</li>' if one == page else
                        f'<li><a href="{address}&amp;page={one}" title="Page {one}">{one}</a></li>' for one in range(1, last + 1))
        after = f'<li class="pagination-next"><a href="{address}&amp;page={page + 1}" title="Next Page">[Next&nbsp;»]</a></li>' if page < last else ""
        tail = re.sub(r'<ul class="pagination">.*?</ul>', f'<ul class="pagination">{links}{after}</ul>', tail, count=1, flags=re.S)
        shown = f"Displaying <strong>{first}</strong> to <strong>{to}</strong> (of <strong>{count}</strong> orders)"
        return re.sub(r'(<div class="navSplitPagesResult">).*?(</div>)', rf"\g<1>{shown}\2", tail, count=1, flags=re.S)


PLATFORMS = (Magento, OpenCart, Medusa, Vendure, VendureByToken, OpenCart3, ZenCart)


class Shop(QuietServer):
    """A shop. What may be set while it runs: `trouble(kind, request)`, which answers in its place, gives None, or raises Dropped;
    `uses`, for how many requests a token is valid; `hidden`, how many of the newest orders are still to come; `asks_for_code`."""

    def __init__(self, platform):
        super().__init__(Handler)
        self.platform = platform
        self.lock = threading.Lock()
        #: token -> how many requests it is still valid for.
        self.sessions, self.serial = {}, 0
        #: (time, kind) of each request.
        self.asked = []
        self.calm()

    def stop(self):
        self.shutdown()
        self.server_close()

    def calm(self):
        """Without trouble from now on."""
        self.trouble, self.uses, self.hidden, self.asks_for_code = None, ENDLESS, 0, False

    def end_sessions(self):
        with self.lock:
            self.sessions = {}

    def take_asked(self):
        with self.lock:
            asked, self.asked = self.asked, []
        return asked

    def entry(self, number, name=None, interval=0):
        platform = self.platform
        currency = f'currency = "{platform.currency}"\n' if platform.currency else ""
        return (f'[[retailer]]\nid = {number}\ndisplay_name = "{name or platform}"\nconnector = "{platform.connector}"\nbase_url = "{self.base}"\n'
                f'allow_private_network = true\nmin_interval_ms = {interval}\n{currency}{platform.settings}\n')

    def answer(self, request):
        kind = self.platform.kind(request)
        with self.lock:
            self.asked.append((time.monotonic(), kind))
        found = self.trouble(kind, request) if self.trouble else None
        return found or self.natural(kind, request)

    def natural(self, kind, request):
        platform = self.platform
        if kind == "form":
            return platform.form_page()
        if kind == "sign-in":
            return (platform.code_wanted() if self.asks_for_code else platform.taken(self.new_token())) if platform.is_right(request) else platform.refused()
        if kind == "code":
            return platform.code_answer(request, self.new_token())
        if kind not in INSIDE:
            return platform.other(request)
        with self.lock:
            token = platform.token(request)
            if self.sessions.get(token, 0) <= 0:
                return platform.signed_out(kind)
            self.sessions[token] -= 1
            numbers = platform.numbers[self.hidden:]
        return platform.listed(request, numbers) if kind == "list" else platform.order(request)

    def new_token(self):
        with self.lock:
            self.serial += 1
            token = f"token{self.serial:05}"
            self.sessions[token] = self.uses
        return token


class Dropped(Exception):
    """The connection is closed without an answer."""


class Handler(QuietHandler):
    def handle_any(self):
        sent = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        try:
            answer = self.server.answer(Request(self.command, self.path, self.headers, sent))
        except Dropped:
            self.close_connection = True
            return
        there, here = getattr(self.server.platform, "base", Saved.base), self.server.base
        body = answer.body.replace(there, here).replace(there.replace("/", "\\/"), here.replace("/", "\\/")).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        for name, value in answer.headers:
            self.send_header(name, value.replace(there, here))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = handle_any
