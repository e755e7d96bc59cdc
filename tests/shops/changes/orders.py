"""Changes of the page of an order: its lines and their columns."""

import re

from . import ORDER, change, part

LOOP = "{% for line in order.lines.all %}\n{% with product=line.product %}\n<tr>\n"
ENDED = "</tr>\n{% endwith %}\n{% endfor %}\n"
QTY = "<td>{{ line.quantity }}</td>"
EXCL = "<td>{{ line.line_price_before_discounts_excl_tax|currency:order.currency }}</td>"
INCL = "<td>{{ line.line_price_before_discounts_incl_tax|currency:order.currency }}</td>"
UNIT = "<td>{{ line.unit_price_incl_tax|currency:order.currency }}</td>"
BUTTON = ('<td width="90">', "</td>")
HEAD = """<th>{% trans 'Product' %}</th>
<th>{% trans 'Qty' %}</th>
<th>{% trans 'Line price excl. tax' %}</th>
<th>{% trans 'Line price incl. tax' %}</th>
<th></th>"""
H_PRODUCT, H_QTY, H_EXCL, H_INCL, H_BUTTON = HEAD.split("\n")
OPEN = '<table class="table table-striped table-bordered">\n<thead>'
TOTALS = ("{% with discounts=order.basket_discounts %}", "{% endblock order_total %}")
TABLE = ('<table class="table table-striped table-bordered">\n<thead>', "</tbody>\n</table>")
STATUS = "<h2>{% trans 'Status' %}</h2>\n<p>{{ order.status }}</p>\n<hr>"
TITLE_LINK = '<p>\n<a href="{{ product.get_absolute_url }}">{{ line.description }}</a>\n</p>'
NAME = '<p>{% if product.is_public %}<a href="{{ product.get_absolute_url }}">{{ line.description }}</a>{% else %}{{ line.description }}{% endif %}</p>'
LINE = f"<td>{NAME}</td>{QTY}{EXCL}{INCL}<td></td>"
MANY = "line.quantity > 1"


def lines(cells=LINE, loop="order.lines.all", when=None, row="<tr>"):
    line = f"{row}{cells}</tr>"
    line = f"{{% if {when} %}}{line}{{% endif %}}" if when else line
    return f"{{% for line in {loop} %}}{{% with product=line.product %}}{line}{{% endwith %}}{{% endfor %}}"


def table(body, head=HEAD, attributes='class="table"'):
    return f"<table {attributes}><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def ordered(name, *edits, **how):
    change(name, "order", ORDER, *edits, **how)


def tables(build):
    """An edit: `build(totals)` takes the place of the table of lines."""
    def edit(text):
        totals = part(text, *TOTALS)
        return text.replace(part(text, *TABLE), build(totals))
    return edit


def titles(html):
    """An edit: other HTML for a title, wherever it is given."""
    def edit(text):
        text = text.replace(TITLE_LINK, html.replace("TITLE", '<a href="{{ product.get_absolute_url }}">{{ line.description }}</a>'))
        return re.sub(r"<p>\s*{{ line.description }}\s*</p>", lambda _: html.replace("TITLE", "{{ line.description }}"), text)
    return edit


# Several tables.
EVEN = "forloop.counter|divisibleby:2"
ordered("d_two_tables", tables(lambda totals: table(lines(when="forloop.counter0|divisibleby:2")) + "<h3>Parcel 2</h3>" + table(lines(when=EVEN) + totals)))
ordered("d_two_tables_totals_first", tables(lambda totals: table(lines(when="forloop.counter0|divisibleby:2") + totals) + "<h3>Sent later</h3>" + table(lines(when=EVEN))))
ordered("d_table_per_line", tables(lambda totals: "{% for line in order.lines.all %}{% with product=line.product %}" + table(f"<tr>{LINE}</tr>") + "{% endwith %}{% endfor %}"
                                   + f"<table>{totals}</table>"))
ordered("d_tracking_table", (OPEN, table("<tr><td><p>Parcel 1</p></td><td>1</td><td>£4.95</td><td>£4.95</td><td></td></tr>",
                                         "<th>Parcel</th><th>Pieces</th><th>Cost</th><th>Insured</th><th></th>") + OPEN))
ordered("d_recommended_above", (OPEN, "<h3>Bought together</h3>" + table('<tr><td><p><a href="/catalogue/desk-lamp-noon_1/">Desk Lamp</a></p></td><td>1</td>'
                                                                          "<td>£12.50</td><td>£15.00</td><td></td></tr>") + OPEN))
ordered("d_recommended_below", ("{% block order_actions %}", table('<tr><td><p><a href="/catalogue/desk-lamp-noon_1/">Desk Lamp</a></p></td><td>1</td><td>£12.50</td>'
                                                                   "<td>£15.00</td><td></td></tr>") + "{% block order_actions %}"))
ordered("d_order_before", (OPEN, "{% with earlier=user.orders.all.0 %}{% if earlier != order %}<h2>Your latest order {{ earlier.number }}</h2>"
                           + table(lines(loop="earlier.lines.all")) + "{% endif %}{% endwith %}" + OPEN))
ordered("d_printed_twice", tables(lambda totals: table(lines()) + table(lines() + totals)))
ordered("d_nested_everywhere", (TITLE_LINK, TITLE_LINK + "<table><tr><td>Colour</td><td>oak</td></tr></table>"))
ordered("d_nested_partial", (TITLE_LINK, TITLE_LINK + "{% if " + MANY + " %}<table><tr><td>Colour</td><td>oak</td></tr></table>{% endif %}"))
ordered("d_nested_first", ("<td>\n{% if product %}", "<td><table><tr><td>Photo</td></tr></table>{% if product %}"))
ordered("d_layout_table", (OPEN, "<table><tr><td>" + OPEN), ("{% block order_actions %}", "</td></tr></table>{% block order_actions %}"))

# Only some of the lines.
ordered("d_lines_first", ("order.lines.all %}", 'order.lines.all|slice:":1" %}'), (ENDED, ENDED + "<tr><td colspan='5'>and {{ order.lines.count|add:-1 }} more</td></tr>"))
ordered("d_lines_limited", ("order.lines.all %}", 'order.lines.all|slice:":2" %}'), (ENDED, ENDED + "<tr><td colspan='5'><a href='?lines=all'>Show more</a></td></tr>"))
ordered("d_lines_limited_quietly", ("order.lines.all %}", 'order.lines.all|slice:":2" %}'))
ordered("d_lines_paged", ("order.lines.all %}", 'order.lines.all|slice:":3" %}'), ("{% block order_actions %}", '<ul class="pagination"><li><a href="?lines=2">next</a></li></ul>'
                                                                                   "{% block order_actions %}"))
ordered("d_lines_collapsed", (LOOP, LOOP.replace("<tr>", "<tr{% if forloop.counter > 1 %} class='collapse' style='display:none'{% endif %}>")))
ordered("d_lines_of_hidden_products_left_out", (LOOP, LOOP.replace("<tr>", "{% if product.is_public %}<tr>")), (ENDED, ENDED.replace("</tr>", "</tr>{% endif %}")))
ordered("d_free_lines_left_out", (LOOP, LOOP.replace("<tr>", "{% if line.line_price_incl_tax %}<tr>")), (ENDED, ENDED.replace("</tr>", "</tr>{% endif %}")))
ordered("d_same_titles_merged", (LOOP, LOOP.replace("<tr>", "{% ifchanged line.title %}<tr>")), (ENDED, ENDED.replace("</tr>", "</tr>{% endifchanged %}")))
ordered("d_lines_by_script", (("{% for line in order.lines.all %}", "{% endwith %}\n{% endfor %}"), "<tr><td colspan='5'>Loading…</td></tr>"))
ordered("d_no_lines_at_all", (("{% for line in order.lines.all %}", "{% endwith %}\n{% endfor %}"), ""))

# Rows that differ from the others.
ordered("d_colspan_partial", (f"{EXCL}\n{INCL}", "{% if " + MANY + " %}" + INCL.replace("<td>", '<td colspan="2">') + "{% else %}" + EXCL + INCL + "{% endif %}"))
ordered("d_colspan_qty", (f"{QTY}\n{EXCL}", '<td colspan="2">{{ line.quantity }}</td>'))
ordered("d_rowspan_prices", (f"{EXCL}\n{INCL}", "{% if forloop.counter == 1 %}" + (EXCL + INCL).replace("<td>", '<td rowspan="{{ order.lines.count }}">') + "{% endif %}"))
ordered("d_two_rows_a_line", (QTY, "</tr><tr><td></td>" + QTY))
ordered("d_heading_cell_partial", tables(lambda totals: table(lines(f"{{% if {MANY} %}}<th scope='row'>{NAME}</th>{{% else %}}<td>{NAME}</td>{{% endif %}}{QTY}{EXCL}{INCL}<td></td>") + totals)))
ordered("d_heading_cells", tables(lambda totals: table(lines(f"<th scope='row'>{NAME}</th>{QTY}{EXCL}{INCL}<td></td>") + totals)))
ordered("d_no_button_partial", tables(lambda totals: table(lines(f"<td>{NAME}</td>{QTY}{EXCL}{INCL}{{% if product.is_public %}}<td></td>{{% endif %}}") + totals)))
ordered("d_extra_cell_partial", tables(lambda totals: table(lines(f"<td>{NAME}</td>{QTY}{EXCL}{INCL}<td></td>{{% if {MANY} %}}<td>Bulk</td>{{% endif %}}") + totals)))
ordered("d_price_missing_partial", tables(lambda totals: table(lines(f"<td>{NAME}</td>{QTY}{EXCL}{{% if {MANY} %}}<td>on request</td>{{% else %}}{INCL}{{% endif %}}<td></td>") + totals)))
ordered("d_qty_missing_partial", tables(lambda totals: table(lines(f"<td>{NAME}</td>{{% if {MANY} %}}{QTY}{{% else %}}<td></td>{{% endif %}}{EXCL}{INCL}<td></td>") + totals)))
ordered("d_parcel_rows", (LOOP, LOOP.replace("<tr>", '<tr><td colspan="5">Parcel {{ forloop.counter }}</td></tr><tr>')))
ordered("d_parcel_headings", (LOOP, LOOP.replace("<tr>", '<tr><th colspan="5">Parcel {{ forloop.counter }}</th></tr><tr>')))
ordered("d_tax_rows", (ENDED, ENDED.replace("</tr>", "</tr><tr><td>of which VAT</td><td></td><td></td><td>£2.00</td><td></td></tr>")))
ordered("d_tax_rows_like_lines", (ENDED, ENDED.replace("</tr>", "</tr><tr><td><p>VAT 20%</p></td><td>1</td><td>£0.00</td><td>£2.00</td><td></td></tr>")))
ordered("d_gift_row", (ENDED, ENDED + "<tr><td><p>Free sample</p></td><td>1</td><td>free</td><td>free</td><td></td></tr>"))
ordered("d_gift_row_zero", (ENDED, ENDED + "<tr><td><p>Free sample</p></td><td>1</td><td>£0.00</td><td>£0.00</td><td></td></tr>"))
ordered("d_bundle_rows", (ENDED, ENDED.replace("</tr>", "</tr><tr><td><p>– Spare part</p></td><td>1</td><td></td><td></td><td></td></tr>")))
ordered("d_bundle_rows_priced", (ENDED, ENDED.replace("</tr>", "</tr><tr><td><p>– Spare part</p></td><td>1</td><td>£0.00</td><td>£1.00</td><td></td></tr>")))
ordered("d_discount_like_line", (ENDED, ENDED + "<tr><td><p>Voucher AUTUMN</p></td><td>1</td><td>-£5.00</td><td>-£5.00</td><td></td></tr>"))
ordered("d_shipping_like_line", (ENDED, ENDED + "<tr><td><p>Delivery</p></td><td>1</td><td>£4.12</td><td>£4.95</td><td></td></tr>"))
ordered("d_totals_like_lines", tables(lambda totals: table(lines() + "<tr><td><p>Basket total</p></td><td>1</td><td></td><td>{{ order.basket_total_incl_tax|currency:order.currency }}</td><td></td></tr>")))
ordered("d_struck_lines", titles("<p><del>TITLE</del></p>"))
ordered("d_banner_row", (LOOP, LOOP.replace("<tr>", "{% if forloop.counter == 2 %}<tr class='ad'><td colspan='5'><p>Ten percent off lamps</p></td></tr>{% endif %}<tr>")))

# Copies.
COPY = '<tr class="d-md-none" style="display:none">'
ordered("d_mobile_rows", (ENDED, ENDED.replace("</tr>", f'</tr>{COPY}<td colspan="5">{{{{ line.description }}}}: {{{{ line.quantity }}}}</td></tr>')))
ordered("d_mobile_rows_whole", (ENDED, ENDED.replace("</tr>", f"</tr>{COPY}{LINE}</tr>")))
ordered("d_hidden_attribute_rows", (ENDED, ENDED.replace("</tr>", f"</tr><tr hidden>{LINE}</tr>")))
ordered("d_mobile_table_first", (OPEN, table(lines(), attributes='class="d-md-none" style="display:none"') + OPEN))
ordered("d_mobile_table_shorter", (OPEN, table(lines(loop='order.lines.all|slice:":1"'), attributes='class="d-md-none" hidden') + OPEN))
ordered("d_aria_hidden_copy", (OPEN, table(lines(loop='order.lines.all|slice:":1"'), attributes='aria-hidden="true"') + OPEN))
ordered("d_template_copy", (OPEN, "<template>" + table(lines(loop='order.lines.all|slice:":1"')) + "</template>" + OPEN))
ordered("d_noscript_copy", (OPEN, "<noscript>" + table(lines(loop='order.lines.all|slice:":1"')) + "</noscript>" + OPEN))
ordered("d_comment_copy", (OPEN, "<!-- " + table(lines(loop='order.lines.all|slice:":1"')) + " -->" + OPEN))
