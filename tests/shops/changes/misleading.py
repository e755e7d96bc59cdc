"""Changes thought out to mislead: what is read still looks well formed, and only something else on the pages contradicts it."""

import re

from . import BASE, LIST, ORDER, SIGN_IN, change
from .lists import DATE, FILTER, HEAD as LIST_HEAD, INCLUDE, ITEMS, TABLE as LIST_TABLE, TOTAL, ROW, listed, rows, table as list_table
from .orders import (ENDED, EXCL, H_EXCL, H_INCL, H_QTY, HEAD, INCL, NAME, QTY, STATUS, lines, ordered, table,
                     tables, titles)
from .others import CRUMBS, FORM, product

# ---- The list of orders ----

ALL = "paginator.object_list"
CURRENT, THIS_YEAR = "order.status != 'Cancelled'", "order.date_placed.year == 2025"
NOT_FOUND = "<html lang='en-gb'><body><h1>Not found</h1></body></html>"


def one_page(path, status, body, fetch):
    """The list has one page; its filter, if it is there, works."""
    return (404, NOT_FOUND) if re.match(r"/accounts/orders/\?(.*&)?page=", path) else (status, body)


def part_of(name, before="", after="", when=CURRENT, shown=None, searchable=True, more=None):
    """The list has one page, which shows the orders that fit `when` only; `before` and `after` tell of the others."""
    body = shown or list_table(rows(loop=ALL, when=when))
    listed(name, (LIST_TABLE, before + body + after), (INCLUDE, ""), *([] if searchable else [(FILTER, "")]), response=one_page, more=more)


# The others are somewhere else.
part_of("x_archived_tab", '<ul class="nav nav-tabs"><li><a class="active" href="/accounts/orders/">Current</a></li><li><a href="?archived=1">Archived</a></li></ul>')
part_of("x_archive_page", after='<p><a href="/accounts/orders/archive/">Older orders</a></p>')
part_of("x_years_as_links", '<p><a class="active" href="?year=2025">2025</a> <a href="?year=2024">2024</a></p>', when=THIS_YEAR)
part_of("x_period_first_option", '<form><select name="period"><option value="365">This year</option><option value="all">All</option></select></form>', when=THIS_YEAR)
part_of("x_period_radio", '<form><label><input type="radio" name="period" value="2025" checked>2025</label><label><input type="radio" name="period" value="2024">2024</label></form>',
        when=THIS_YEAR)
part_of("x_period_hidden_field", '<form><input type="hidden" name="year" value="2025"><button name="year" value="">Show all</button></form>', when=THIS_YEAR)
part_of("x_period_select_without_name", '<select id="year" data-url="?year="><option value="2025" selected>2025</option><option value="2024">2024</option></select>', when=THIS_YEAR)
part_of("x_status_buttons", '<div class="btn-group"><button class="active" data-status="open">Current</button><button data-status="cancelled">Cancelled</button></div>')
part_of("x_no_orders_in_tab", after='<p><a href="?archived=1">Archived orders</a></p>', shown="<p>You haven't placed any orders.</p>")

# How many there are is said in a way of its own.
part_of("x_count_in_caption", shown="<table><caption>Showing 10 of 12 orders</caption><tr>" + LIST_HEAD + "</tr>" + rows(loop=ALL, when=CURRENT) + "</table>")
part_of("x_count_in_pager", after='<nav><ul class="pagination"><li><span>1–10 of 12</span></li></ul></nav>')
part_of("x_count_badge", '<h2>Orders <span class="badge">12</span></h2>')
part_of("x_count_with_colon", "<p>Total orders: 12</p>")
part_of("x_count_in_attribute", '<div id="order-list" data-count="10" data-total="12">', "</div>")
part_of("x_count_in_definitions", "<dl><dt>Orders</dt><dd>12</dd></dl>")
part_of("x_more_button", after='<button type="button" data-offset="10">Show 2 more orders</button>')
part_of("x_older_sentence", after="<p>2 older orders are kept in our archive.</p>", when=THIS_YEAR)
part_of("x_page_words", after='<p class="results">Page 1 of 2</p>', when=THIS_YEAR)

# Another way leads to them.
part_of("x_offset_pager", after='<p><a href="?offset=10">Older</a></p>', when=THIS_YEAR)
part_of("x_path_pager", after='<p><a rel="next" href="/accounts/orders/older/2/">Older</a></p>', when=THIS_YEAR)
part_of("x_rel_next_cursor", when=THIS_YEAR, more={BASE: [("</head>", '<link rel="next" href="/accounts/orders/?cursor=b2">\n</head>')]})
part_of("x_data_next", after='<div class="infinite" data-next="/api/orders/?cursor=b2"></div>', when=THIS_YEAR)
listed("x_more_on_each_page", (ROW, '{% for order in orders|slice:":4" %}<tr>'), (FILTER, ""),
       (INCLUDE, '{% if orders|length > 4 %}<button type="button" data-load="1">Show 1 more</button>{% endif %}' + INCLUDE))

# They are there, but not as rows with a link.
CANCELLED = "order.status == 'Cancelled'"
PLAIN_ROW = "<td>{{ order.number }}</td>" + ITEMS + TOTAL + DATE
part_of("x_table_without_links", after="<h3>Cancelled</h3>" + list_table(rows(PLAIN_ROW, loop=ALL, when=CANCELLED)))
part_of("x_tracking_links", after="<ul>{% for order in paginator.object_list %}{% if " + CANCELLED + " %}<li><a href=\"/accounts/order-status/{{ order.number }}/ab12/\">"
        "Order {{ order.number }}</a></li>{% endif %}{% endfor %}</ul>")
part_of("x_closed_details", after="<details><summary>2 cancelled</summary><ul>{% for order in paginator.object_list %}{% if " + CANCELLED
        + " %}<li>{{ order.number }}: {{ order.total_incl_tax|currency:order.currency }}</li>{% endif %}{% endfor %}</ul></details>")
part_of("x_data_attributes", after="<div>{% for order in paginator.object_list %}{% if " + CANCELLED + " %}<button data-order=\"{{ order.number }}\">Cancelled order"
        "</button>{% endif %}{% endfor %}</div>")
part_of("x_print_only_rest", after='<div class="d-none d-print-block">' + list_table(rows(PLAIN_ROW, loop=ALL)) + "</div>")

# Dates: no other page shows them.
listed("x_date_after_badge", (DATE, DATE.replace("<td>", "<td>{% if order.date_placed.day < 9 %}<span class='badge'>1</span>{% endif %}")))
listed("x_date_in_other_zone", (DATE, '{% load tz %}<td><time datetime="{{ order.date_placed|date:"c" }}">{{ order.date_placed|timezone:"America/New_York"|date:"j M Y, P" }}</time></td>'))
listed("x_date_beside_placed", (DATE, "<td>{% now 'j M Y, P' %}</td>" + DATE), ('<th>{% trans "Date submitted" %}</th>', "<th>Date</th><th>Placed</th>"))
listed("x_date_struck", (DATE, "<td><del>1 Jan 2024, noon</del> {{ order.date_placed }}</td>"))
listed("x_date_nbsp", (DATE, '<td>{{ order.date_placed|date:"j"|add:"&nbsp;"|safe }}{{ order.date_placed|date:"M Y, P" }}</td>'))
listed("x_date_month_first", (DATE, '<td>{{ order.date_placed|date:"M j, Y, P" }}</td>'))
listed("x_date_24h", (DATE, '<td>{{ order.date_placed|date:"j M Y H:i" }}</td>'))
listed("x_date_direction_marks", (DATE, DATE.replace("<td>", "<td>&rlm;")))
listed("x_items_full_width", (ITEMS, "<td>{% if order.num_items == 1 %}１{% else %}{{ order.num_items }}{% endif %}</td>"))
listed("x_items_two_numbers", (ITEMS, "<td>{{ order.num_items }}<span class='sr-only'>0</span></td>"))
listed("x_oldest_first", (ROW, "{% for order in orders reversed %}\n<tr>"))
listed("x_second_currency", (TOTAL, TOTAL.replace("</td>", " (€17.25)</td>")))
listed("x_points_column", (TOTAL, TOTAL + "<td>120</td>"), ("<th>{% trans \"Date submitted\" %}</th>", "<th>Points</th><th>{% trans \"Date submitted\" %}</th>"))

# ---- The page of an order ----

READ = re.compile(r"/accounts/orders/")


def everywhere(edit):
    """Changes the list and the pages of orders. What the list cannot show is never read of an order: such changes read the list."""
    def response(path, status, body, fetch):
        return (status, edit(body)) if READ.match(path) else (status, body)
    return response


def figure(label, amount):
    return f'<tr><th colspan="4">{label}</th><td colspan="2">{{{{ {amount}|currency:order.currency }}}}</td></tr>'


def totals(kind="incl", *others):
    return "".join([figure("Basket total", f"order.basket_total_{kind}_tax"), figure("Shipping total", f"order.shipping_{kind}_tax"), *others])


TAX, GROSS = figure("VAT", "order.total_tax"), figure("Order total", "order.total_incl_tax")
PLAIN_TITLE, LAST = f"<td>{NAME}</td>", "<td></td>"

# All amounts alike, so that no sum tells.
change("x_pence_superscript", "list", response=everywhere(lambda body: re.sub(r"£([\d,]+)\.(\d\d)", r"£\1<sup>\2</sup>", body)))
change("x_pence_superscript_no_groups", "order", response=everywhere(
    lambda body: re.sub(r"£([\d,]+)\.(\d\d)", lambda found: f"£{found[1].replace(',', '')}<sup>{found[2]}</sup>", body)))
change("x_pence_in_span", "list", response=everywhere(lambda body: re.sub(r"£([\d,]+)\.(\d\d)", r"£\1<span class='dot' aria-label='.'></span><span>\2</span>", body)))
change("x_rounded_with_data", "order", response=everywhere(
    lambda body: re.sub(r"£([\d,]+\.\d\d)", lambda found: f"<data value='{found[1]}'>£{float(found[1].replace(',', '')):,.0f}</data>", body)))
change("x_pence_as_decimals_of_three", "list", response=everywhere(lambda body: re.sub(r"£([\d,]+\.\d\d)", r"£\g<1>0", body)))
change("x_one_decimal", "list", response=everywhere(lambda body: re.sub(r"£([\d,]+\.\d)\d", r"£\1", body)))
change("x_thousands_by_space", "order", response=everywhere(lambda body: re.sub(r"£(\d+),(\d{3})", r"£\1&nbsp;\2", body)))
change("x_quantity_decimals_german", "order", ORDER, (QTY, "<td>{{ line.quantity }}.000</td>"), more={LIST: [(ITEMS, "<td>{{ order.num_items }}.000</td>")]}, settings='locale = "de"')

change("x_quantity_with_footnote", "order", ORDER, (QTY, "<td>{{ line.quantity }}<sup>1</sup></td>"), more={LIST: [(ITEMS, "<td>{{ order.num_items }}<sup>1</sup></td>")]})

# Net amounts that add up.
NET = PLAIN_TITLE + QTY + EXCL

# Rows that change no sum.
ZERO = "<tr><td><p>TITLE</p></td><td>0</td><td>NET</td><td>GROSS</td><td></td></tr>"


def zero(title, net="£0.00", gross="£0.00"):
    return ZERO.replace("TITLE", title).replace("NET", net).replace("GROSS", gross)


ordered("x_sample_of_none", (ENDED, ENDED + zero("Free sample, sent apart")))
ordered("x_cancelled_line_of_none", (ENDED, ENDED + zero("<del>Oil Lamp</del>")))
ordered("x_note_of_none", (ENDED, ENDED + zero("Gift message: to Ann", "", "£0.00")))
ordered("x_bundle_parts_of_none", (ENDED, ENDED.replace("</tr>", "</tr>" + zero("– Spare bulb"))))
ordered("x_voucher_of_none", tables(lambda _: table(
    lines() + "{% if order.basket_discounts %}" + zero("Voucher AUTUMN", "", "-{{ order.total_discount_incl_tax|currency:order.currency }}") + "{% endif %}" + totals("incl", GROSS))))
ordered("x_shipping_of_none", tables(lambda _: table(lines() + zero("Delivery", "", "{{ order.shipping_incl_tax|currency:order.currency }}") + GROSS)))
ordered("x_minus_and_plus", (ENDED, ENDED + "<tr><td><p>Oil Lamp</p></td><td>1</td><td>£5.00</td><td>£6.00</td><td></td></tr>"
                             "<tr><td><p>Oil Lamp, taken back</p></td><td>-1</td><td>-£5.00</td><td>-£6.00</td><td></td></tr>"))
ordered("x_shipments_totals", (ENDED, ENDED.replace("</tr>", "</tr>") + '<tr><th colspan="4">Shipment 1</th><td colspan="2">£1.00</td></tr>'))
ordered("x_refund_row", ("{% endblock order_total %}", '<tr><th colspan="4">Refunded</th><td colspan="2">-£5.00</td></tr>{% endblock order_total %}'))
ordered("x_points_table", ("{% block order_actions %}", "<table><tr><td>Points earned</td><td>120</td></tr></table>{% block order_actions %}"))
ordered("x_payments_table", ("{% block order_actions %}", "<table><tr><td>Paid by card</td><td>{{ order.total_incl_tax|currency:order.currency }}</td></tr></table>"
                             "{% block order_actions %}"))
ordered("x_gift_message_row", (ENDED, ENDED + '<tr><td colspan="4">Gift message</td><td>To Ann, 30 years old</td></tr>'))
ordered("x_foot_before_body", tables(lambda rest: f"<table><thead><tr>{HEAD}</tr></thead><tfoot>{rest}</tfoot><tbody>{lines()}</tbody></table>"))
ordered("x_print_copy", ("{% block order_actions %}", '<div class="d-none d-print-block">' + table(lines()) + "</div>{% block order_actions %}"))
ordered("x_two_times_price", (INCL, "<td>{{ line.quantity }} × {{ line.unit_price_incl_tax|currency:order.currency }}</td>"))
ordered("x_lines_of_sellers", tables(lambda rest: table(lines(when="forloop.first"), f"<th colspan='5'>Seller A</th></tr><tr>{HEAD}") + table(lines(when="not forloop.first") + rest)))
TWIN = "{% if order.number == '100229' %}BOTH{% for other in user.orders.all %}{% if other.number == '100236' %}OTHER{% endif %}{% endfor %}{% else %}OWN{% endif %}"
ordered("x_lines_of_twin", tables(lambda rest: TWIN.replace("BOTH", "<h2>Items of order 100236</h2>").replace("OTHER", "").replace("OWN", "") + table(
    TWIN.replace("BOTH", "").replace("OTHER", lines(loop="other.lines.all")).replace("OWN", lines()) + rest)))

# Titles: only the page of the product shows them once more.
LINE_TITLE = "{{ line.description }}"


def retitled(name, html, **how):
    """Another text for a title, in its link and without; `html` has TEXT for the line's own."""
    ordered(name, (LINE_TITLE, html.replace("TEXT", LINE_TITLE)), **how)


DESCRIBED = "<td>{{ line.description }}</td>"
LINKED = '{% if product.is_public %}<a href="{{ product.get_absolute_url }}">TEXT</a>{% else %}TEXT{% endif %}'


def described(name, heading, cell):
    """The first column is something else; a column of another heading has the title."""
    ordered(name, tables(lambda rest: table(lines(f"<td>{cell}</td>" + DESCRIBED + QTY + EXCL + INCL) + rest, f"<th>{heading}</th><th>Description</th>{H_QTY}{H_EXCL}{H_INCL}")))


described("x_item_is_position", "Item", "{{ forloop.counter }}")
described("x_product_is_code", "Product", LINKED.replace("TEXT", "{{ line.partner_sku }}"))
described("x_product_is_view_link", "Product", LINKED.replace("TEXT", "View product"))
described("x_product_is_maker", "Product", "Acme")
retitled("x_title_cut_in_brackets", "{{ line.description|slice:':6' }}[…]")
retitled("x_title_cut_with_more", "{{ line.description|slice:':6' }}… more")
retitled("x_title_cut_two_dots", "{{ line.description|slice:':6' }}..")
retitled("x_title_soft_hyphen", "{{ line.description|slice:':4' }}&shy;{{ line.description|slice:'4:' }}")
retitled("x_title_zero_width", "&#8203;TEXT")
retitled("x_title_joined_by_wbr", "{{ line.description|slice:':4' }}<wbr>{{ line.description|slice:'4:' }}")
retitled("x_title_in_abbreviation", '<abbr title="TEXT">{{ line.description|slice:":6" }}</abbr>')
ordered("x_title_cut_with_tooltip", titles('<p title="{{ line.description }}">TITLE</p>'), ("{{ line.description }}</a>", "{{ line.description|slice:':8' }}</a>"))
ordered("x_title_is_button", titles("<p>TITLE</p><p>Colour: oak</p>"), ('<a href="{{ product.get_absolute_url }}">', '<a class="btn btn-link" href="{{ product.get_absolute_url }}">'))
ordered("x_title_in_nested_table", titles("<table><tr><td>TITLE</td></tr></table><p>Colour: oak</p>"))
ordered("x_title_in_picture", titles('<a href="{{ product.get_absolute_url }}"><img alt="{{ line.description }}"></a><p>Sold by Acme</p>'))

# The status.
SAID = "<p>{{ order.status }}</p>"
STEPS = '<ol class="steps"><li class="active">{{ order.status }}</li></ol>'
ordered("x_status_struck", (SAID, "<p><del>Pending</del> {{ order.status }}</p>"))
ordered("x_status_with_icon", (SAID, '<p><i class="material-icons">done</i> {{ order.status }}</p>'))
ordered("x_status_with_note", (SAID, "<p>{{ order.status }} <small>updated</small></p>"))
ordered("x_status_in_sentence", (SAID, '<p><span class="sr-only">Your order is</span> {{ order.status }}</p>'))
ordered("x_status_of_payment", (STATUS, STEPS + "<h2>Payment</h2><p>Status: Complete</p>"))
ordered("x_status_of_member", (STATUS, STEPS + "<h2>Your account</h2><p>Status: Gold</p>"))
ordered("x_status_of_delivery", (STATUS, STEPS + "<h3>Delivery</h3><dl><dt>Status</dt><dd>Shipped</dd></dl>"))
ordered("x_status_left_hidden", (SAID, '<p style="display:none">Complete</p><p>It is {{ order.status }}!</p>'))
ordered("x_status_upper", (SAID, "<p>{{ order.status|upper }}</p>"))
ordered("x_status_in_two_words", (SAID, "<p>{{ order.status }} ({{ order.lines.count }})</p>"))

# ---- Products, the sign-in ----

UPC = '<th>{% trans "UPC" %}</th><td>{{ product.upc }}</td>'
CRUMB = '<li class="breadcrumb-item"><a href="{{ c.get_absolute_url }}">{{ c.name }}</a></li>'


def coded(name, html):
    product(name, (UPC, UPC.replace("{{ product.upc }}", html.replace("UPC", "{{ product.upc }}"))))


coded("x_code_with_button", "UPC <button>Copy</button>")
coded("x_code_after_old_one", "<del>4099999999999</del> UPC")
coded("x_code_with_kind", "UPC (EAN-13)")
coded("x_code_cut", '<span title="UPC">{{ product.upc|slice:":4" }}…</span>')
coded("x_code_labelled", '<span class="sr-only">Code:</span> UPC')
product("x_brand_in_breadcrumb", (CRUMBS, CRUMBS + '<li class="breadcrumb-item"><a href="/brands/acme_3/">Acme</a></li>'))
product("x_category_labelled", (CRUMB, CRUMB.replace("{{ c.name }}", '<span class="sr-only">Category:</span> {{ c.name }}')))
product("x_breadcrumb_collapsed", (CRUMB, "{% if forloop.last %}" + CRUMB + '{% elif forloop.first %}<li class="breadcrumb-item">…</li>{% endif %}'))
product("x_category_with_count", (CRUMB, CRUMB.replace("{{ c.name }}", "{{ c.name }} (12)")))
change("x_honeypot", "sign-in", SIGN_IN, ("{% csrf_token %}", '{% csrf_token %}<input name="website" style="display:none" value="">'))
change("x_sign_in_in_dialog", "sign-in", SIGN_IN, (FORM, '<div class="modal" hidden><form action="/accounts/login/" method="post"><input type="email" name="m"><input type="password" name="p">'
                                                   "</form></div>" + FORM))
