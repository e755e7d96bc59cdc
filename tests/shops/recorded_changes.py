"""Changes of a recorded WooCommerce shop's pages, as themes and plug-ins make them: see variants.py.

`must="equal"` says that the pages leave no doubt, so that every order has to be read. Of the others, an error, orders that
are kept back, or marked orders are right: never rows that are wrong and say nothing.
"""

import html
import re

from changes import Change
from recorded_troubles import Customer, Recorded, list_page, starts
from recordings import ACCOUNT, API, LIST, ORDER

CHANGES: list[Change] = []
PASSING = ("retailer_unavailable", "action_required")
AMOUNT = r'<span class="woocommerce-Price-amount amount">(?:<bdi>)?<span class="woocommerce-Price-currencySymbol">[^<]*</span>([\d.,]+)(?:</bdi>)?</span>'
LINE = r'<tr class="woocommerce-table__line-item order_item">.*?</tr>'
NAME = r'(<a href="[^"]*">)([^<]*)(</a>)( <strong class="product-quantity">)'
QUANTITY = r'<strong class="product-quantity">&times;&nbsp;((?:(?!</strong>).)*)</strong>'
CELL = rf'(<td class="woocommerce-table__product-total product-total">\s*)({AMOUNT})(\s*</td>)'
TABLE = '<table class="woocommerce-table woocommerce-table--order-details'
ORDERS = '<table class="woocommerce-orders-table'


class Marked(Customer):
    """An order that is marked says itself that it may differ."""

    def compare(self, items, may_lack=()):
        marked = {item["orderId"] for item in items if item.get("mismatch")}
        plain = [item for item in items if item["orderId"] not in marked]
        wrong, missing = super().compare(plain, may_lack)
        return wrong, missing - marked


class Themes(Recorded):
    """The recorded shop with other themes."""

    def ready(self):
        super().ready()
        self.customer = Marked(self.recording)


def money(amount):
    return f'<span class="woocommerce-Price-amount amount"><bdi><span class="woocommerce-Price-currencySymbol">&#36;</span>{amount}</bdi></span>'


def change(name, reads, edit, hit=None, **how):
    """`edit`: from (path, page) to another page."""
    hit = hit or {"list": starts(LIST), "order": starts(ORDER), "api": starts(API)}[reads]

    def response(path, status, body, fetch):
        return (status, edit(path, body)) if status == 200 and hit(path) else (status, body)

    CHANGES.append(Change(name, reads, {}, response=response, **{"codes": PASSING, **how}))


def replaced(pattern, new, count=0):
    return lambda path, body: re.sub(pattern, new, body, count=count, flags=re.S)


def order(name, pattern, new, **how):
    change(name, "order", replaced(pattern, new), **how)


def listed(name, pattern, new, **how):
    change(name, "list", replaced(pattern, new), **how)


def above_list(name, markup, **how):
    listed(name, ORDERS, lambda found: markup + found[0], **how)


def below_lines(name, markup, **how):
    order(name, r"(<p class=\"order-again\">|</section>\s*<section class=\"woocommerce-customer-details\")", lambda found: markup + found[0], **how)


def above_lines(name, markup, **how):
    order(name, TABLE, lambda found: markup + found[0], **how)


def per_line(edit):
    return lambda path, body: re.sub(LINE, lambda found: edit(found[0]), body, flags=re.S)


def price(line):
    """(total, price of one) of a line, as numbers."""
    total = float(re.search(CELL, line, re.S)[3].replace(",", ""))
    count = re.search(QUANTITY, line, re.S)[1]
    return total, total / float(re.search(r"\d+", count)[0])


def with_total(line, cell):
    return re.sub(CELL, lambda found: found[1] + cell + found[4], line, flags=re.S)


def shown(amount):
    return money(f"{amount:,.2f}")


# The title of a line: links and words beside it.
for what, extra in {"vendor": '<a href="/store/oak/">Oak &amp; Sons</a>', "category": 'in <a href="/product-category/lamps/">Lamps</a>',
                    "review": '<a href="#reviews" class="review">Write a review</a>', "sku": "(SKU: A-17)", "brand_first": None,
                    "stock": '<span class="stock">In stock</span>', "badge": "<em>New</em>", "two_links": '<a href="/wishlist/">Save</a> <a href="/help/">Help</a>'}.items():
    def named(found, extra=extra):
        link = f"{found[1]}{found[2]}{found[3]}"
        return (f'<a href="/brand/x/">Brandless</a> {link}' if extra is None else f"{link} {extra}") + found[4]
    change(f"title_{what}", "order", replaced(NAME, named), must="equal")
change("title_thumb_link", "order", replaced(NAME, r'<a href="/product/x/"><img src="/x.jpg" alt="picture"></a> \1\2\3\4'), must="equal")
change("title_cut_words", "order", replaced(NAME, lambda found: found[1] + " ".join(found[2].split()[:1]) + "…" + found[3] + found[4]), must="equal")
change("title_cut_signs", "order", replaced(NAME, lambda found: found[1] + html.unescape(found[2])[:5].replace("<", "") + found[3] + found[4]), must="equal")
change("title_of_another", "order", replaced(NAME, lambda found: f"{found[1]}Special offer{found[3]}{found[4]}"))
change("title_two_of_others", "order", replaced(NAME, lambda found: f'{found[1]}Offer{found[3]} <a href="/x/">Deal</a>{found[4]}'))
no_route = {"hit": lambda path: path.startswith((ORDER, API))}


def without_route(edit):
    return lambda path, body: '{"code":"rest_no_route"}' if path.startswith(API) else edit(path, body)


for what, edit in {"cut": replaced(NAME, lambda found: found[1] + found[2].split()[0] + "…" + found[3] + found[4]),
                   "vendor": replaced(NAME, r'\1\2\3 <a href="/store/oak/">Oak</a>\4')}.items():
    change(f"title_{what}_without_route", "order", without_route(edit), **no_route, may_lack=("sku", "title"))

# The total of a line.
change("line_sale_price", "order", per_line(lambda line: with_total(line, f"<del>{shown(price(line)[0] * 1.25)}</del> <ins>{shown(price(line)[0])}</ins>")), must="equal")
change("line_sale_price_struck_is_paid", "order", per_line(lambda line: with_total(line, f"<del>{shown(price(line)[0])}</del> <ins>{shown(price(line)[0] / 2)}</ins>")), must="equal")
change("line_each", "order", per_line(lambda line: with_total(line, shown(price(line)[1]))), must="equal")
change("line_each_times", "order", per_line(lambda line: with_total(line, f"{shown(price(line)[1])} × n = {shown(price(line)[0])}")), must="equal")
change("line_total_in_small", "order", per_line(lambda line: with_total(line, f"{shown(price(line)[1])} <small>total {shown(price(line)[0])}</small>")), must="equal")
change("line_each_in_small", "order", per_line(lambda line: with_total(line, f"{shown(price(line)[0])} <small>{shown(price(line)[1])} each</small>")), must="equal")
change("line_two_totals", "order", per_line(lambda line: with_total(line, shown(price(line)[0]) * 2)), must="equal")
change("line_half", "order", per_line(lambda line: with_total(line, shown(price(line)[0] / 2))))
change("line_hidden", "order", per_line(lambda line: with_total(line, "")))
change("line_words", "order", per_line(lambda line: with_total(line, "on request")))
change("line_more", "order", per_line(lambda line: with_total(line, shown(price(line)[0] + 1))))
change("line_with_tax", "order", per_line(lambda line: with_total(line, shown(price(line)[0] * 1.0725))))
CHILD = '<tr class="woocommerce-table__line-item order_item"><td class="product-name"><a href="/product/part/">Part</a> <strong class="product-quantity">&times;&nbsp;1</strong></td><td class="product-total">{}</td></tr>'
for what, cell in (("hidden", ""), ("included", "Included"), ("free", money("0.00"))):
    order(f"bundle_part_{what}", r"(</tr>)(\s*</tbody>\s*<tfoot>)", lambda found, cell=cell: found[1] + CHILD.format(cell) + found[2])

# Quantities.
order("quantity_packs", QUANTITY, r'<strong class="product-quantity">&times;&nbsp;\1 pack</strong>', must="equal")
order("quantity_pieces", QUANTITY, r'<strong class="product-quantity">\1 pcs</strong>', must="equal")
order("quantity_word", QUANTITY, r'<strong class="product-quantity">Qty: \1</strong>', must="equal")
order("quantity_sent", QUANTITY, r'<strong class="product-quantity">&times;&nbsp;\1 (0 shipped)</strong>', must="equal")
order("quantity_plain", QUANTITY, r"&times;&nbsp;\1", must="equal")
order("quantity_one_hidden", r' <strong class="product-quantity">&times;&nbsp;1</strong>', "", must="equal")
order("quantity_hidden", QUANTITY, "")
order("quantity_of_packs", QUANTITY, r'<strong class="product-quantity">2 &times; \1</strong>')
order("quantity_more", QUANTITY, r'<strong class="product-quantity">&times;&nbsp;9\1</strong>')


def in_column(heading, attributes):
    def edit(path, body):
        def moved(line):
            count = re.search(QUANTITY, line, re.S)
            line = line.replace(count[0], "")
            return line.replace('<td class="woocommerce-table__product-total', f"<td{attributes}>{count[1]}</td><td class=\"woocommerce-table__product-total", 1)
        body = re.sub(r'(<th class="woocommerce-table__product-table product-total">)', rf"<th>{heading}</th>\1", body, count=1)
        return per_line(moved)(path, body)
    return edit


change("quantity_column", "order", in_column("Quantity", ' class="product-quantity"'), must="equal")
change("quantity_column_by_heading", "order", in_column("Qty", ""), must="equal")
change("quantity_column_unnamed", "order", in_column("", ""))

# The rows and tables of an order.
GOODS = f'<ul class="products"><li><a href="/product/hat/">Hat</a> {money("12.00")}</li></ul>'
SIDE = f'<table class="shop"><tr><td>Hat</td><td>{money("12.00")}</td></tr></table>'
below_lines("recommended_list", "<h2>You may also like</h2>" + GOODS, must="equal")
below_lines("recommended_table", "<h2>You may also like</h2>" + SIDE, must="equal")
above_lines("recommended_above", "<h2>Customers bought</h2>" + SIDE, must="equal")
above_lines("suborders", f'<table class="suborders"><tr><th>Sub-order</th><th>Total</th></tr><tr><td>A-1</td><td>{money("5.00")}</td></tr></table>', must="equal")
below_lines("refunds_table", f'<table><tr><td>Refunds</td><td>{money("0.00")}</td></tr></table>', must="equal")
order("upsell_row", r"(</tr>)(\s*</tbody>\s*<tfoot>)", rf'\1<tr class="upsell"><td>Add a hat</td><td>{money("12.00")}</td></tr>\2', must="equal")
order("gift_row", r"(</tr>)(\s*</tbody>\s*<tfoot>)", r'\1<tr class="gift"><td>Free gift: mug</td><td>1</td></tr>\2', must="equal")
order("group_row", r"(<tbody>)(\s*<tr class=\"woocommerce-table__line-item)", r'\1<tr class="group"><th colspan="2">From the depot</th></tr>\2', must="equal")
order("weight_row", "(<tfoot>)", r"\1<tr><th>Weight:</th><td>3.20 kg</td></tr>", must="equal")
order("points_row", "(<tfoot>)", r"\1<tr><th>Points earned:</th><td>120 points</td></tr>", must="equal")
order("unmarked_row", "(<tfoot>)", r"\1<tr><th>Wrapping:</th><td>$2.00</td></tr>")
order("extra_fee_row", "(<tfoot>)", rf'\1<tr><th>Wrapping:</th><td>{money("2.00")}</td></tr>')
order("saved_row", "(<tfoot>)", rf'\1<tr><th>You saved:</th><td>{money("12.50")}</td></tr>')
order("totals_in_body", r"</tbody>\s*<tfoot>(.*?)</tfoot>", r"\1</tbody>", must="equal")
order("totals_in_body_by_cells", r"</tbody>\s*<tfoot>(.*?)</tfoot>", lambda found: re.sub(r"<th[^>]*>(.*?)</th>", r"<td>\1</td>", found[1], flags=re.S) + "</tbody>", must="equal")
order("totals_in_own_table", r"<tfoot>(.*?)</tfoot>\s*</table>", r'</table><table class="totals"><tbody>\1</tbody></table>', must="equal")
order("lines_twice", LINE, r"\g<0>\g<0>", must="equal")
change("lines_twice_below", "order", lambda path, body: re.sub(r"<tbody>(.*?)</tbody>", r"<tbody>\1\1</tbody>", body, count=1, flags=re.S), must="equal")
change("one_line_less", "order", replaced(LINE, "", 1))
order("item_class_lost", "order_item", "item")
order("two_tables", rf"({TABLE}.*?</table>)", r"\1\1")
order("number_mark_lost", r'<mark class="order-number">(\d+)</mark>', r"\1")
order("number_of_another", r'(<mark class="order-number">)(\d+)', r"\g<1>9\2")

# Dates.
listed("date_is_of_update", r'<time datetime="[^"]*">[^<]*</time>', '<time datetime="2024-11-25T06:44:34+00:00">November 25, 2024</time>', must="retailer_incomplete")
listed("date_is_next_day", r'<time datetime="(\d+)-(\d+)-(\d+)T', lambda found: f'<time datetime="{int(found[1]) + 1}-{found[2]}-{found[3]}T')
listed("date_in_words", r"(<time[^>]*>)[^<]*</time>", r"\1a while ago</time>", must="equal")
listed("date_relative", r"(<time[^>]*>)[^<]*</time>", r"\g<1>2 years ago</time>", must="equal")
listed("date_words_of_update", r'<time datetime="[^"]*">[^<]*</time>', '<time datetime="2024-11-25T06:44:34+00:00">a while ago</time>', must="retailer_incomplete")
order("date_other_on_page", r'(<mark class="order-date">)[^<]*', r"\1January 3, 2019", must="retailer_incomplete")

# The list.
NUMBER = r'(<a href="[^"]*/view-order/\d+/"[^>]*>\s*)#(\d+)'
for what, shape in (("words", "Order no. "), ("word", "Order "), ("sign", "# "), ("nr", "Nr. ")):
    listed(f"number_{what}", NUMBER, rf"\1{shape}\2", must="equal")
listed("number_with_picture", NUMBER, r'<a href="/my-account/"><img src="/x.jpg"></a>\1#\2')
listed("number_links_to_picture", r'(<a href="[^"]*/view-order/\d+/")([^>]*>\s*#)', r'\1><img src="/x.jpg"></a>\1\2', must="equal")
listed("items_not_shown", r" for \d+ items?", "", must="equal")
listed("items_not_shown_and_more", r" for \d+ items?", " for some of 3 items, 4 pieces")
listed("total_of_another", rf'{AMOUNT} for', money("1.00") + " for", must="retailer_incomplete")
above_list("subscriptions_above", f'<table class="woocommerce-orders-table my_account_subscriptions"><tbody><tr class="woocommerce-orders-table__row order"><td class="subscription-id order-number"><a href="/my-account/view-subscription/7/">#7</a></td><td>Active</td><td>{money("9.00")}</td></tr></tbody></table>', must="equal")
above_list("recommended_above_list", SIDE, must="equal")
TABS = '<div class="tabs" role="tablist">{}</div>'
BUTTON = '<button role="tab" aria-selected="{}" data-filter="{}">{}</button>'
above_list("tabs_all", TABS.format(BUTTON.format("true", "all", "All") + BUTTON.format("false", "open", "Open")), must="equal")
above_list("tabs_all_counted", TABS.format(BUTTON.format("true", "all", "All (11)") + BUTTON.format("false", "open", "Open (3)")), must="equal")
above_list("tabs_that_add_up", TABS.format("".join(BUTTON.format("false", name, f"{name.title()} ({count})") for name, count in (("open", 4), ("done", 7)))), must="equal")
above_list("tabs_of_links", '<ul class="tabs"><li class="active"><a href="/my-account/orders/?status=open">Open (4)</a></li><li><a href="/my-account/orders/?status=done">Done (7)</a></li></ul>', must="equal")


def only_first(count, markup):
    """A list that shows its first orders alone, with controls above it."""
    def edit(path, body):
        rows = re.findall(r'<tr class="woocommerce-orders-table__row .*?</tr>', body, re.S)
        for row in rows[count:]:
            body = body.replace(row, "")
        body = re.sub(r'<div class="woocommerce-pagination.*?</div>', "", body, flags=re.S)
        return body.replace(ORDERS, markup + ORDERS, 1)
    return edit


def part(name, markup):
    """Three of eleven orders; pages above the first show none."""
    def response(path, status, body, fetch):
        if path == LIST:
            return status, only_first(3, markup)(path, body)
        return fetch(f"{LIST}9/") if path.startswith(LIST) else (status, body)
    CHANGES.append(Change(name, "list", {}, response=response, codes=PASSING, must="retailer_incomplete"))


OPEN = [("Open", 3), ("Completed", 6), ("Cancelled", 2)]
part("part_tabs_of_buttons", TABS.format("".join(BUTTON.format(str(not place).lower(), name.lower(), f"{name} ({count})") for place, (name, count) in enumerate(OPEN))))
part("part_buttons_without_roles", "<div>" + "".join(f"<button>{name} ({count})</button>" for name, count in OPEN) + "</div>")
part("part_tabs_without_numbers", TABS.format(BUTTON.format("true", "x", "Open") + BUTTON.format("false", "y", "Completed")))
part("part_list_items", '<ul class="filters">' + "".join(f"<li>{name} <span>{count}</span></li>" for name, count in OPEN) + "</ul>")
part("part_labels", "<fieldset>" + "".join(f'<label><input type="radio" name="f">{name} ({count})</label>' for name, count in OPEN) + "</fieldset>")
part("part_select", '<select name="status">' + "".join(f'<option value="{name}">{name} ({count})</option>' for name, count in OPEN) + "</select>")
part("part_unnamed_select", "<select>" + "".join(f"<option>{name} ({count})</option>" for name, count in OPEN) + "</select>")
part("part_links", "<nav>" + "".join(f'<a href="/my-account/orders/?status={name}">{name} ({count})</a>' for name, count in OPEN) + "</nav>")
part("part_all_counted", "<p><span>All (11)</span> <span>Open (3)</span></p>")
part("part_load_more", '<button data-next="/my-account/orders/?offset=3">Load more</button>')

PAGER = r'<div class="woocommerce-pagination.*?</div>'
NUMBERS = '<nav class="pages"><a class="page-numbers" href="/my-account/orders/">1</a> <a class="page-numbers" href="/my-account/orders/2/">2</a></nav>'
listed("pager_of_numbers", PAGER, NUMBERS, must="equal")
listed("pager_load_more", PAGER, '<a class="more" href="/my-account/orders/2/">Load more</a>', hit=list_page(1), must="equal")
listed("pager_of_script", PAGER, '<div class="infinite" data-next="/my-account/orders/2/"></div>', hit=list_page(1), must="equal")
listed("pager_lost", PAGER, "")
listed("row_lost_its_total", rf"{AMOUNT} for", "for", hit=lambda path: path == LIST)
change("one_row_lost_its_total", "list", replaced(rf"{AMOUNT} for", "for", 1), must="retailer_incomplete")
change("one_row_in_euro", "list", lambda path, body: re.sub(r"&#0?36;", "&euro;", body, count=1), hit=list_page(1), must="retailer_incomplete")


# The addresses of the list and of orders, renamed.
def moved(path):
    return path.replace("/bestellungen/", "/orders/").replace("/bestellung-ansehen/", "/view-order/")


def renamed(path, status, body, fetch):
    if path.startswith((LIST, ORDER)):
        return 404, "<html lang=\"en\"><h1>Not found</h1></html>"
    if path == ACCOUNT and status == 404:
        # The account's first page is not recorded; its navigation is that of every page.
        status, body = fetch(LIST)
    return status, body.replace(LIST, "/my-account/bestellungen/").replace(ORDER, "/my-account/bestellung-ansehen/")


CHANGES.append(Change("addresses_renamed", "moved", {}, request=moved, response=renamed, codes=PASSING, must="equal"))

# Amounts.
def rounded(path, body):
    return re.sub(AMOUNT, lambda found: money(f"{float(found[1].replace(',', '')):,.0f}"), body, flags=re.S)


CENTS = re.compile(r"(?<=\d)\.00(?=<)")
change("whole_amounts", "order", rounded, hit=starts(LIST.replace("orders/", "")))
change("whole_amounts_of_orders", "order", rounded)
change("zeros_left_out", "order", lambda path, body: CENTS.sub("", body), hit=lambda path: path.startswith((LIST, ORDER)), must="equal")
change("whole_lines", "order", per_line(lambda line: re.sub(AMOUNT, lambda found: money(f"{float(found[1].replace(',', '')):,.0f}"), line, flags=re.S)))


def deposit(path, body):
    """The total shows a half, and a row takes off the other."""
    total = re.search(rf'(<th scope="row">Total:</th>\s*<td>){AMOUNT}', body)
    half = money(f"{float(total[2].replace(',', '')) / 2:.2f}") if total else ""
    row = f'<tr><th>Due later:</th><td>-{half}</td></tr>'
    return body.replace(total[0], total[1] + half).replace("<tfoot>", "<tfoot>" + row) if total else body


change("deposit_on_pages", "order", deposit)
change("deposit_everywhere", "order", lambda path, body: re.sub(
    AMOUNT + " for", lambda found: money(f"{float(found[1].replace(',', '')) / 2:.2f}") + " for", body) if path.startswith(LIST) else deposit(path, body),
    hit=lambda path: path.startswith((LIST, ORDER)))

# Figures of the shop's record that the page lacks or contradicts.
order("tax_row_lost", r'<tr>\s*<th scope="row">Sales tax:</th>.*?</tr>', "")
order("shipping_row_lost", r'<tr>\s*<th scope="row">Shipping:</th>.*?</tr>', "")
order("discount_row_lost", r'<tr>\s*<th scope="row">Discount:</th>.*?</tr>', "")
order("refund_rows_lost", r'<tr>\s*<th scope="row">Refund:</th>.*?</tr>', "")
order("labels_swapped", r"(Shipping|Sales tax):</th>", lambda found: ("Sales tax" if found[1] == "Shipping" else "Shipping") + ":</th>")
change("refunds_not_shown", "order", lambda path, body: re.sub(r"<del[^>]*>([^<]*)</del> <ins>.*?</ins>", lambda found: money(found[1].split(";")[-1]), re.sub(
    r'<tr>\s*<th scope="row">Refund:</th>.*?</tr>', "", body, flags=re.S), flags=re.S), hit=lambda path: path.startswith((LIST, ORDER)))
for figure in ("total_price", "total_tax", "total_shipping", "total_refund"):
    change(f"record_other_{figure}", "api", replaced(rf'"{figure}":"(\d+)"', rf'"{figure}":"1\1"'), must="retailer_incomplete" if figure == "total_price" else "")
