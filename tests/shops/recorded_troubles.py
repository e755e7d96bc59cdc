"""What may go wrong with a WooCommerce shop, done to a recorded one (recordings.py): see troubles.py."""

import re

from breaks import ANSWERS, HTML, at, cut_at_share, ends_every, fails_once
from changes import Change
from recorded_truth import differences
from recordings import ACCOUNT, API, LIST, ORDER, Recording, entry
from replay import Replay

#: Eleven orders on two pages, in every status, one refunded.
EMAIL, STRANGER = "cust11@shop.test", "cust10@shop.test"
ONE, ANOTHER = 44, 47
PASSING = ("retailer_unavailable", "retailer_rate_limited", "action_required", "retailer_session_expired")
READS = {"list": re.compile(LIST), "order": re.compile(ORDER), "api": re.compile(API), "sign-in": re.compile(f"{ACCOUNT}$"),
         "moved": re.compile("/my-account/bestellungen/")}
TROUBLES: list[Change] = []


class Customer:
    """What the recorded shop's database has, to compare rows with."""

    def __init__(self, recording):
        self.orders = {str(order["order_id"]): order for order in recording.of(EMAIL)}

    def compare(self, items, may_lack=()):
        """(what differs, numbers of the orders that the rows lack altogether)."""
        missing = self.orders.keys() - {item["orderId"] for item in items}
        orders = [order for number, order in self.orders.items() if number not in missing]
        return differences(orders, items, may_lack), missing


class Recorded:
    """The recorded shop, as runs.py needs a shop."""

    email, reads, entry = EMAIL, READS, staticmethod(entry)

    def __init__(self, *_):
        self.recording = Recording()
        self.replay = Replay(self.recording)

    def ready(self):
        self.replay.start()
        self.base, self.customer = self.replay.base, Customer(self.recording)

    def stop(self):
        self.replay.shutdown()


def trouble(name, reads, response=None, **how):
    if reads == "api":
        how["may_lack"] = ("sku", "title")
    TROUBLES.append(Change(name, reads, {}, response=response, **{"codes": PASSING, **how}))


def list_page(number):
    return lambda path: path == (LIST if number == 1 else f"{LIST}{number}/")


def starts(beginning):
    return lambda path: path.startswith(beginning)


def needs_sign_in(path):
    return path.startswith((LIST, ORDER))


def replaced(pattern, new):
    """Changes the page, which has to have what is changed."""
    def instead(path, status, body, fetch):
        changed, count = re.subn(pattern, new, body, flags=re.S)
        assert count or status != 200, f"{path} has no {pattern}"
        return status, changed
    return instead


def sign_in(path, status, body, fetch):
    """The sign-in page in the place of another, with status 200, as WooCommerce has it."""
    return 200, fetch.door.ask("GET", ACCOUNT)[2].decode()


def signed_out_again(make):
    """The sessions of the recording never end, so that their sign-in page has to be put in its place."""
    def stateful():
        ends = make()
        return lambda path, status, body, fetch: (sign_in if path == ACCOUNT and status == 404 else ends)(path, status, body, fetch)
    return stateful


def other(path):
    return lambda _path, _status, _body, fetch: fetch(path)


# The sign-in. It is wanted for each sync: the remembered one has ended.
def refused(text):
    """The shop refuses every sign-in, and shows the customer this notice."""
    def response(path, status, body, fetch):
        if path != ACCOUNT and not needs_sign_in(path):
            return status, body
        page = fetch.door.ask("GET", ACCOUNT)[2].decode()
        if path != ACCOUNT or status != 302:
            return 200, page
        notice = f'<div class="wc-block-components-notice-banner is-error" role="alert"><div class="wc-block-components-notice-banner__content">{text}</div></div>'
        return 200, page.replace('<div class="woocommerce-notices-wrapper"></div>', f'<div class="woocommerce-notices-wrapper">{notice}</div>', 1), {"Location": ""}
    return response


def instead_of_sign_in(answer):
    return lambda path, status, body, fetch: answer if path == ACCOUNT else sign_in(path, status, body, fetch) if needs_sign_in(path) else (status, body)


trouble("w_wrong_password", "sign-in", refused("<strong>Error:</strong> The password you entered for the email address is incorrect."), must="credentials_refused")
trouble("w_locked_account", "sign-in", refused("<strong>Error:</strong> Your account is locked. Please contact us."), must="account_locked")
trouble("w_too_many_attempts", "sign-in", refused("<strong>Error:</strong> Too many failed login attempts. Please try again in 20 minutes."), must="account_locked")
for what, code in (("captcha", "action_required"), ("maintenance", "retailer_unavailable"), ("429", "retailer_rate_limited"),
                   ("500", "retailer_unavailable"), ("empty", "retailer_unavailable")):
    trouble(f"w_sign_in_{what}", "sign-in", instead_of_sign_in(ANSWERS[what]), must=code)
trouble("w_sign_in_is_a_page", "sign-in", instead_of_sign_in((200, HTML.format("Welcome", "<p>News</p>"))), must="retailer_changed")

# Other answers in the place of a page.
CODES = {"404": "retailer_changed", "410": "retailer_changed", "403": "retailer_changed", "500": "retailer_unavailable", "503": "retailer_unavailable",
         "429": "retailer_rate_limited", "empty": "retailer_unavailable", "json": "retailer_unavailable", "captcha": "action_required",
         "maintenance": "retailer_unavailable"}
PLACES = {"list_1": ("list", list_page(1)), "list_2": ("list", list_page(2)), "order": ("order", starts(f"{ORDER}{ONE}/")),
          "orders": ("order", starts(ORDER)), "api": ("api", starts(API)), "api_order": ("api", starts(f"{API}{ONE}"))}
for where, (reads, hit) in PLACES.items():
    for what, answer in ANSWERS.items():
        must = CODES[what] if where == "list_1" else ""
        trouble(f"w_{where}_{what}", reads, at(hit, lambda *_, answer=answer: answer), must=must)
    trouble(f"w_{where}_sign_in", reads, signed_out_again(lambda hit=hit: at(hit, sign_in))())

# Themes and languages.
NO_TABLE = replaced(r'<table class="woocommerce-orders-table.*?</table>', '<div class="orders">See your orders in our app.</div>')
trouble("w_list_without_table", "list", at(list_page(1), NO_TABLE), must="retailer_incomplete")
trouble("w_orders_without_table", "order", at(starts(ORDER), replaced(r'<table class="woocommerce-table.*?</table>', "<div>See our app.</div>")), must="retailer_incomplete")
trouble("w_list_with_other_classes", "list", at(starts(LIST), replaced("woocommerce-orders-table", "shop-orders")), must="retailer_incomplete")
trouble("w_unread_language", "list", at(needs_sign_in, replaced(r'lang="en-US"', 'lang="sw"')), must="retailer_misconfigured")
trouble("w_other_language", "list", at(needs_sign_in, replaced(r'lang="en-US"', 'lang="de-DE"')))

# Cut pages.
for percent in (1, 20, 40, 60, 80, 99):
    trouble(f"w_list_cut_at_{percent}", "list", at(list_page(1), cut_at_share(percent)))
    trouble(f"w_orders_cut_at_{percent}", "order", at(starts(ORDER), cut_at_share(percent)))
    trouble(f"w_api_cut_at_{percent}", "api", at(starts(API), cut_at_share(percent)))

# Pages of others.
trouble("w_order_is_another", "order", at(starts(f"{ORDER}{ONE}/"), other(f"{ORDER}{ANOTHER}/")))
trouble("w_list_1_is_2", "list", at(list_page(1), other(f"{LIST}2/")))
trouble("w_list_2_is_1", "list", at(list_page(2), other(LIST)))
trouble("w_order_of_a_stranger", "order", at(starts(f"{ORDER}{ONE}/"), other(f"{ORDER}24/")))
trouble("w_api_is_another", "api", at(starts(f"{API}{ONE}"), other(f"{API}{ANOTHER}")))
trouble("w_api_of_a_stranger", "api", at(starts(API), other(f"{API}24")))

# The Store API contradicts the page, or knows less.
for name, pattern, new in (
        ("quantity", r'"quantity":(\d+),', r'"quantity":9\1,'), ("total", r'"line_subtotal":"', '"line_subtotal":"9'),
        ("one_line_less", r'"items":\[\{.*?"catalog_visibility":"visible"\},?', '"items":['), ("no_items", r'"items":\[.*\],"coupons"', '"items":[],"coupons"')):
    trouble(f"w_api_{name}", "api", at(starts(API), replaced(pattern, new)), must="retailer_incomplete")
trouble("w_api_no_sku", "api", at(starts(API), replaced(r'"sku":"[^"]*",', "")))
trouble("w_api_closed", "api", at(starts(API), lambda *_: (401, '{"code":"rest_login_required"}', {"Content-Type": "application/json"})))
trouble("w_api_unknown_route", "api", at(starts(API), lambda *_: (404, '{"code":"rest_no_route"}', {"Content-Type": "application/json"})))

# What passes, or comes again and again.
for count in (1, 3, 6, 12):
    trouble(f"w_session_ends_every_{count}", "list" if count == 1 else "order", stateful=signed_out_again(ends_every(count, needs_sign_in, sign_in)),
            must="equal" if count > 5 else "")
for where in ("list_2", "order", "api"):
    reads, hit = PLACES[where]
    for what in ("500", "503", "429"):
        trouble(f"w_{where}_{what}_once", reads, stateful=fails_once(hit, ANSWERS[what]), must="equal")
    trouble(f"w_{where}_dropped_once", reads, stateful=fails_once(hit, None), must="equal")
