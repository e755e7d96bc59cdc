#!/usr/bin/env python3
"""Syncs from a real shop whose pages come broken, and asks: is anything right deleted, is anything silent, does the next
good sync heal it?

Pages cut at every row (and ended cleanly, so that nothing but their content tells), pages of other orders and of another
customer, errors and other pages in the place of the list, of orders and of products, sessions that end again and again.
Each trouble is synced four times, by a user of its own: into an empty store, without the trouble, with it again over rows
that are right (every order read again), and without it. runs.py says how a sync may end.

    troubles.py [--work DIR] [--only REGEX] [--short] [--report FILE] [--recorded]

--recorded: of a recorded WooCommerce shop (recorded_troubles.py) instead of a running oscar.
"""

import re
import sys
import threading

import recorded_troubles
import runs
from breaks import ANSWERS, at, cut_at_share, ends_every, fails_once
from changes import READS, Change
from changes.others import SECONDARY
from oscar_shop import PASSWORD

PASSING = ("retailer_unavailable", "retailer_rate_limited", "action_required", "retailer_session_expired")
ONE = "100222"
SESSION = {"Content-Type": "text/html; charset=utf-8"}
NUMBERS = [str(100201 + 7 * place) for place in range(12)]
TROUBLES: list[Change] = []


def trouble(name, reads, response=None, **how):
    how = {"codes": PASSING, **how}
    if reads == "product":
        how["may_lack"] = SECONDARY
    TROUBLES.append(Change(name, reads, {}, response=response, **how))


def list_page(number):
    def hit(path):
        found = re.search(r"[?&]page=(\d+)", path)
        return bool(READS["list"].match(path)) and int(found[1] if found else 1) == number
    return hit


def order_page(number=None):
    return lambda path: path.startswith(f"/accounts/orders/{number}/") if number else bool(READS["order"].match(path))


def product_page(path):
    return bool(READS["product"].match(path))


# Cut pages. A page that has fewer rows than that comes whole.
def cut_after_row(count, ending=""):
    def cut(path, status, body, fetch):
        table = body.find("<table", max(body.find('<div class="page-header">'), 0))
        end = table
        for _ in range(count + 1):
            end = body.find("</tr>", end)
            if end < 0:
                return status, body
            end += len("</tr>")
        return status, body[:end] + ending
    return cut


for page, rows in ((1, 5), (2, 5), (3, 2)):
    for row in range(rows + 1):
        trouble(f"t_list_{page}_cut_after_row_{row}", "list", at(list_page(page), cut_after_row(row)))
for row in range(12):
    trouble(f"t_orders_cut_after_row_{row}", "order", at(order_page(), cut_after_row(row)))
# The same, closed again, as something that mends HTML on the way does it: the page has its end.
CLOSED = "</tbody></table></div></div></div></div></body></html>"
for page in (1, 2):
    for row in range(5):
        trouble(f"t_list_{page}_closed_after_row_{row}", "list", at(list_page(page), cut_after_row(row, CLOSED)))
for row in range(8):
    trouble(f"t_orders_closed_after_row_{row}", "order", at(order_page(), cut_after_row(row, CLOSED)))
for percent in (1, 20, 40, 60, 80, 99):
    trouble(f"t_list_cut_at_{percent}", "list", at(list_page(1), cut_at_share(percent)))
    trouble(f"t_orders_cut_at_{percent}", "order", at(order_page(), cut_at_share(percent)))
for percent in (1, 30, 60, 90):
    trouble(f"t_products_cut_at_{percent}", "product", at(product_page, cut_at_share(percent)))

# Other answers.


def sign_in(path, status, body, fetch):
    """The sign-in page in the place of another, without a redirect."""
    return 200, fetch.door.ask("GET", "/accounts/login/")[2].decode()


def front(path, status, body, fetch):
    return fetch("/catalogue/")


def account(path, status, body, fetch):
    return fetch("/accounts/profile/")


PLACES = {"list_1": ("list", list_page(1)), "list_2": ("list", list_page(2)), "order": ("order", order_page(ONE)),
          "orders": ("order", order_page()), "products": ("product", product_page)}
for where, (reads, hit) in PLACES.items():
    for what, answer in ANSWERS.items():
        trouble(f"t_{where}_{what}", reads, at(hit, lambda *_, answer=answer: answer))
    for what in (sign_in, front, account):
        trouble(f"t_{where}_{what.__name__}", reads, at(hit, what))


# Pages of others.
class Stranger:
    """Another customer's pages, as from a cache in front of the shop that mixes customers up."""

    lock, cookies = threading.Lock(), None

    @classmethod
    def sign_in(cls, door):
        with cls.lock:
            if cls.cookies is None:
                _, headers, body = door.ask("GET", "/accounts/login/")
                jar = dict(value.split(";")[0].split("=", 1) for name, value in headers if name.lower() == "set-cookie")
                token = re.search(r'id="login_form".*?csrfmiddlewaretoken" value="([^"]+)"', body.decode(), re.S)[1]
                form = f"csrfmiddlewaretoken={token}&login-username=stranger%40shop.test&login-password={PASSWORD.replace('!', '%21')}&login-redirect_url=&login_submit=x"
                headers = door.ask("POST", "/accounts/login/", form.encode(), [
                    ("Content-Type", "application/x-www-form-urlencoded"), ("Cookie", "; ".join(f"{n}={v}" for n, v in jar.items()))])[1]
                jar |= dict(value.split(";")[0].split("=", 1) for name, value in headers if name.lower() == "set-cookie")
                cls.cookies = "; ".join(f"{n}={v}" for n, v in jar.items())
        return cls.cookies

    @classmethod
    def page(cls, path, status, body, fetch):
        status, _, body = fetch.door.ask("GET", path, None, [("Cookie", cls.sign_in(fetch.door))])
        return status, body.decode()


def another(number):
    return lambda path, status, body, fetch: fetch(f"/accounts/orders/{number}/")


def another_list(page):
    return lambda path, status, body, fetch: fetch(f"/accounts/orders/?page={page}")


for number in NUMBERS[:4]:
    trouble(f"t_order_{number}_is_another", "order", at(order_page(number), another(NUMBERS[(NUMBERS.index(number) + 5) % 12])))
trouble("t_list_1_is_2", "list", at(list_page(1), another_list(2)))
trouble("t_list_2_is_1", "list", at(list_page(2), another_list(1)))
trouble("t_list_2_is_3", "list", at(list_page(2), another_list(3)))
trouble("t_stranger_list_1", "list", at(list_page(1), Stranger.page))
trouble("t_stranger_order", "order", at(order_page(ONE), lambda path, status, body, fetch: Stranger.page("/accounts/orders/300302/", status, body, fetch)))
# Into an empty store, nothing says whose pages they are: the user's own orders have to be there first.
trouble("t_stranger_everywhere", "list", at(lambda path: path.startswith("/accounts/orders/"), Stranger.page), codes=(*PASSING, "account_mismatch"),
        steps=[runs.Step("into an empty store", False, False), runs.UNCHANGED, runs.RIGHT, runs.AFTER])


# What passes, or comes again and again.
def signed_out(path, *_):
    return 302, "", {"Location": "/accounts/login/?next=" + path.split("?")[0],
                     "Set-Cookie": "sessionid=; expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/"}


def needs_sign_in(path):
    return path.startswith("/accounts/orders/")


for count in (1, 3, 6, 12):
    trouble(f"t_session_ends_every_{count}", "list", stateful=ends_every(count, needs_sign_in, signed_out), must="equal" if count > 5 else "")
for where in ("list_2", "order", "products"):
    reads, hit = PLACES[where]
    for what in ("500", "503", "429"):
        trouble(f"t_{where}_{what}_once", reads, stateful=fails_once(hit, ANSWERS[what]), must="equal")
    trouble(f"t_{where}_dropped_once", reads, stateful=fails_once(hit, None), must="equal")


def main():
    arguments = runs.arguments_of(__doc__, recorded=True)
    steps = [runs.EMPTY, runs.UNCHANGED, *([] if arguments.short else [runs.RIGHT, runs.AFTER])]
    if arguments.recorded:
        return runs.judge("troubles of a recorded shop", recorded_troubles.TROUBLES, steps, arguments, recorded_troubles.Recorded)
    return runs.judge("troubles", TROUBLES, steps, arguments)


if __name__ == "__main__":
    sys.exit(main())
