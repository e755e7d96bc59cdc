"""A small shop with the pages of stock django-oscar, on a port of its own, for what a real one cannot be made to do.

Everybody may sign in and has the same orders, of LINES lines each. `bomb`: path -> HTML that is shown in its place.
"""

import contextlib
from http.server import BaseHTTPRequestHandler

from judge import Loopback

HEAD = "<!DOCTYPE html><html lang='en-gb'><head><title>{0} | Account | Small Shop</title></head><body><ul class='nav'><li><a href='/accounts/orders/' class='nav-link active'>Order History</a></li></ul>" \
       "<div class='page-header'><h1>{0}</h1></div>"
SIGN_IN = """<!DOCTYPE html><html lang='en-gb'><body><form id='login_form' action='/accounts/login/' method='post'><input type='hidden' name='csrfmiddlewaretoken' value='token'>
<input type='email' name='login-username'><input type='password' name='login-password'><button name='login_submit' type='submit' value='Log In'>Log In</button></form></body></html>"""
ROW = "<tr><td><a href='/accounts/orders/{0}/'>{0}</a></td><td>3</td><td>£34.95</td><td>{1} Oct 2025, 6:20 p.m.</td></tr>"
LIST = HEAD.format("Order History") + """<form method='get'><input type='text' name='date_from'><input type='text' name='date_to'><input type='text' name='order_number'></form>
<h2>Orders</h2><table class='table'><tr><th>Order number</th><th>Num items</th><th>Total inc tax</th><th>Date submitted</th></tr>
{rows}</table></body></html>"""
ORDER = HEAD.format("Order #{0}") + """<h2>Status</h2><p>Complete</p><hr><table class='table'><thead><tr><th>Product</th><th>Qty</th><th>Line price excl. tax</th>
<th>Line price incl. tax</th><th></th></tr></thead><tbody>
<tr><td><p><a href='/catalogue/lamp_{0}/'>Lamp {0}</a></p></td><td>1</td><td>£10.00</td><td>£10.00</td><td></td></tr>
<tr><td><p>Shade</p></td><td>2</td><td>£20.00</td><td>£20.00</td><td></td></tr>
<tr><th colspan='4'>Basket total</th><td colspan='2'>£30.00</td></tr><tr><th colspan='4'>Shipping total</th><td colspan='2'>£4.95</td></tr>
<tr><th colspan='4'>Order total</th><td colspan='2'>£34.95</td></tr></tbody></table></body></html>"""
PRODUCT = """<!DOCTYPE html><html lang='en-gb'><head><title>Lamp {0} | Small Shop</title></head><body><ol class='breadcrumb'><li class='breadcrumb-item'><a href='/catalogue/'>Home</a></li>
<li class='breadcrumb-item'><a href='/catalogue/category/lighting_1/'>Lighting</a></li><li class='breadcrumb-item active'>Lamp {0}</li></ol>
<article class='product_page'><h1>Lamp {0}</h1><table class='table'><tr><th>UPC</th><td>4000000{0}</td></tr></table></article></body></html>"""
LINES = 2


def pages(orders):
    """What is at each address, for so many orders (20 at most: the list has one page)."""
    numbers = [100001 + place for place in range(orders)]
    return {
        "/accounts/login/": SIGN_IN, "/accounts/": HEAD.format("Account") + "</body></html>",
        "/accounts/orders/": LIST.format(rows="".join(ROW.format(number, 30 - place) for place, number in enumerate(numbers))),
        **{f"/accounts/orders/{number}/": ORDER.format(number) for number in numbers},
        **{f"/catalogue/lamp_{number}/": PRODUCT.format(number) for number in numbers},
    }


class SmallShop(Loopback):
    def __init__(self, bomb=None, orders=1):
        self.pages, self.asked = {**pages(orders), **(bomb or {})}, []

    def __enter__(self):
        shop = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, status, body="", headers=()):
                body = body.encode()
                self.send_response(status)
                for name, value in (("Content-Type", "text/html; charset=utf-8"), ("Content-Length", str(len(body))), *headers):
                    self.send_header(name, value)
                self.end_headers()
                # Who is sent too much may hang up.
                with contextlib.suppress(OSError):
                    self.wfile.write(body)

            def do_GET(self):
                shop.asked.append(self.path)
                if self.path != "/accounts/login/" and "sessionid" not in (self.headers.get("Cookie") or ""):
                    self.answer(302, headers=[("Location", "/accounts/login/")])
                elif self.path in shop.pages:
                    self.answer(200, shop.pages[self.path])
                else:
                    self.answer(404, "<html lang='en-gb'><h1>Not found</h1></html>")

            def do_POST(self):
                shop.asked.append(self.path)
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.answer(302, headers=[("Location", "/accounts/"), ("Set-Cookie", "sessionid=one; Path=/; HttpOnly")])

            def log_message(self, *_):
                pass

        return self.serve(Handler)

    def entry(self, number, more=""):
        """The shop in a file of retailers."""
        return (f'[[retailer]]\nid = {number}\ndisplay_name = "Small Shop {number}"\nconnector = "oscar"\nbase_url = "{self.base}"\n'
                f'allow_private_network = true\ntime_zone = "Europe/London"\n{more}\n')
