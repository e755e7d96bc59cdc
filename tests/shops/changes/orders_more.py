"""Changes of the page of an order: columns, amounts, status, number, and pages of other orders."""

import re

from . import ACCOUNT, ORDER, change
from .orders import (BUTTON, ENDED, EXCL, H_BUTTON, H_EXCL, H_INCL, H_PRODUCT, H_QTY, HEAD, INCL, LINE, NAME, OPEN, QTY, STATUS, TABLE, TITLE_LINK, TOTALS,
                     UNIT, lines, ordered, table, tables, titles)

TWINS = {"100229": "100236", "100236": "100229"}


def columns(name, cells, head, **how):
    """Other columns for the lines; the totals below stay."""
    ordered(name, tables(lambda totals: table(lines(cells) + totals, head)), **how)


PRODUCT = f"<td>{NAME}</td>"
LAST = "<td></td>"

# Columns moved, missing, in addition.
columns("d_swap_tax", PRODUCT + QTY + INCL + EXCL + LAST, H_PRODUCT + H_QTY + H_INCL + H_EXCL + H_BUTTON)
columns("d_swap_tax_same_headings", PRODUCT + QTY + INCL + EXCL + LAST, HEAD)
columns("d_net_twice", PRODUCT + QTY + EXCL + EXCL + LAST, HEAD)
columns("d_unit_price_last", PRODUCT + QTY + INCL + UNIT + LAST, H_PRODUCT + H_QTY + "<th>Total</th><th>Unit price</th>" + H_BUTTON)
columns("d_unit_prices", PRODUCT + QTY + "<td>{{ line.unit_price_excl_tax|currency:order.currency }}</td>" + UNIT + LAST, H_PRODUCT + H_QTY + "<th>Price excl. tax</th><th>Price incl. tax</th>" + H_BUTTON)
columns("d_after_discounts", PRODUCT + QTY + EXCL + "<td>{{ line.line_price_incl_tax|currency:order.currency }}</td>" + LAST, HEAD)
columns("d_five_prices", PRODUCT + QTY + UNIT + EXCL + INCL, H_PRODUCT + H_QTY + "<th>Price</th>" + H_EXCL + H_INCL)
columns("d_saving_last", PRODUCT + QTY + INCL + "<td>£1.00</td>" + LAST, H_PRODUCT + H_QTY + H_INCL + "<th>You save</th>" + H_BUTTON)
columns("d_no_net", PRODUCT + QTY + INCL + LAST, H_PRODUCT + H_QTY + H_INCL + H_BUTTON)
columns("d_no_gross", PRODUCT + QTY + EXCL + LAST, H_PRODUCT + H_QTY + H_EXCL + H_BUTTON)
columns("d_no_quantity", PRODUCT + EXCL + INCL + LAST, H_PRODUCT + H_EXCL + H_INCL + H_BUTTON)
columns("d_quantity_in_title", PRODUCT.replace("</p>", " × {{ line.quantity }}</p>") + EXCL + INCL + LAST + LAST, H_PRODUCT + H_EXCL + H_INCL + H_BUTTON * 2)
columns("d_quantity_last", PRODUCT + EXCL + INCL + QTY + LAST, H_PRODUCT + H_EXCL + H_INCL + H_QTY + H_BUTTON)
columns("d_position_for_quantity", PRODUCT + "<td>{{ forloop.counter }}</td>" + EXCL + INCL + QTY, H_PRODUCT + "<th>Pos</th>" + H_EXCL + H_INCL + H_QTY)
columns("d_photo_first", "<td><img alt=''></td>" + LINE, "<th></th>" + HEAD)
columns("d_photo_for_button", "<td><img alt=''></td>" + PRODUCT + QTY + EXCL + INCL, "<th></th>" + H_PRODUCT + H_QTY + H_EXCL + H_INCL)
columns("d_sku_column", PRODUCT + "<td>{{ line.partner_sku }}</td>" + QTY + EXCL + INCL + LAST, H_PRODUCT + "<th>SKU</th>" + H_QTY + H_EXCL + H_INCL + H_BUTTON)
columns("d_hidden_column", PRODUCT + '<td style="display:none">{{ line.id }}</td>' + QTY + EXCL + INCL + LAST, H_PRODUCT + '<th style="display:none">Id</th>' + H_QTY + H_EXCL + H_INCL + H_BUTTON)
columns("d_hidden_column_for_button", PRODUCT + '<td style="display:none">{{ line.id }}</td>' + QTY + EXCL + INCL, H_PRODUCT + '<th style="display:none">Id</th>' + H_QTY + H_EXCL + H_INCL)
columns("d_list_price_column", PRODUCT + QTY + "<td>£99.00</td>" + INCL + LAST, H_PRODUCT + H_QTY + "<th>RRP</th>" + H_INCL + H_BUTTON)
columns("d_two_headings_rows", LINE, f"{H_PRODUCT}{H_QTY}<th colspan='2'>Price</th>{H_BUTTON}</tr><tr><th></th><th></th>{H_EXCL}{H_INCL}<th></th>")
ordered("d_no_headings", ((OPEN.split("\n")[1], "</thead>"), ""))
ordered("d_other_headings", (HEAD, "<th>Article</th><th>Number</th><th>Net</th><th>Gross</th><th></th>"))
ordered("d_totals_in_foot", tables(lambda totals: f"<table><thead><tr>{HEAD}</tr></thead><tbody>{lines()}</tbody><tfoot>{totals}</tfoot></table>"))
ordered("d_totals_elsewhere", tables(lambda totals: table(lines()) + f"<h3>Sum</h3><table>{totals}</table>"))
ordered("d_totals_gone", tables(lambda totals: table(lines())))
ordered("d_totals_first", tables(lambda totals: table(totals + lines())))

# Quantities and amounts.
ordered("d_quantity_with_unit", (QTY, "<td>{{ line.quantity }} pcs</td>"))
ordered("d_quantity_with_sign", (QTY, "<td>× {{ line.quantity }}</td>"))
ordered("d_quantity_shipped", (QTY, "<td>1 of {{ line.quantity }}</td>"))
ordered("d_quantity_returned", (QTY, "<td>{{ line.quantity }} <small>(1 returned)</small></td>"))
ordered("d_quantity_field", (QTY, '<td><input name="q" value="{{ line.quantity }}"></td>'))
ordered("d_price_each", (INCL, "<td>{{ line.unit_price_incl_tax|currency:order.currency }} each</td>"))
ordered("d_price_each_currency", (INCL, "<td>{{ line.unit_price_incl_tax|currency:order.currency }} each</td>"), settings='currency = "GBP"')
ordered("d_price_and_each", (INCL, INCL.replace("</td>", " ({{ line.unit_price_incl_tax|currency:order.currency }} each)</td>")))
ordered("d_struck_price", (INCL, INCL.replace("<td>", "<td><del>£99.00</del> ")))
ordered("d_struck_price_hidden", (INCL, INCL.replace("<td>", "<td><span style='display:none'>was £99.00</span> ")))
ordered("d_whole_pounds", (INCL, "<td>£{{ line.line_price_before_discounts_incl_tax|floatformat:'0g' }}</td>"))
ordered("d_no_decimal_sign", (INCL, "<td>£{{ line.line_price_before_discounts_incl_tax|floatformat:'2u'|cut:'.' }}</td>"))
ordered("d_decimal_comma", (INCL, "{% language 'de' %}" + INCL + "{% endlanguage %}"))
ordered("d_no_symbol", (INCL, "<td>{{ line.line_price_before_discounts_incl_tax }}</td>"))
ordered("d_no_symbol_currency", (INCL, "<td>{{ line.line_price_before_discounts_incl_tax }}</td>"), settings='currency = "GBP"')
ordered("d_other_symbol", ("|currency:order.currency", "|currency:'EUR'"))
ordered("d_dollars", ("|currency:order.currency", "|currency:'USD'"))
ordered("d_brackets", (INCL, "<td>({{ line.line_price_before_discounts_incl_tax|currency:order.currency }})</td>"))
ordered("d_brackets_currency", (INCL, "<td>({{ line.line_price_before_discounts_incl_tax|currency:order.currency }})</td>"), settings='currency = "GBP"')
ordered("d_minus_behind", (INCL, "<td>{{ line.line_price_before_discounts_incl_tax|currency:order.currency }}-</td>"))
MONEY = "{{ line.line_price_before_discounts_incl_tax|currency:order.currency }}"
NEGATIVE = "<td>{% if line.line_price_before_discounts_incl_tax < 0 %}NEGATIVE{% else %}" + MONEY + "{% endif %}</td>"
ABSOLUTE = MONEY.replace(" }}", "|cut:'-' }}")
ordered("d_accounting", (INCL, NEGATIVE.replace("NEGATIVE", f"({ABSOLUTE})")))
ordered("d_accounting_currency", (INCL, NEGATIVE.replace("NEGATIVE", f"({ABSOLUTE})")), settings='currency = "GBP"')
ordered("d_negative_minus_behind", (INCL, NEGATIVE.replace("NEGATIVE", f"{ABSOLUTE}-")))
ordered("d_negative_long_minus", (INCL, NEGATIVE.replace("NEGATIVE", f"−{ABSOLUTE}")))
ordered("d_negative_in_red", (INCL, NEGATIVE.replace("NEGATIVE", f"<span style='color:red'>{ABSOLUTE}</span>")))
ordered("d_other_digits", (QTY, "<td>{% if line.quantity == 3 %}٣{% else %}{{ line.quantity }}{% endif %}</td>"))
ordered("d_subtotal_of_some", ("{{ order.basket_total_incl_tax|currency:order.currency }}", "£1.00"))
ordered("d_total_of_another", ("{{ order.total_incl_tax|currency:order.currency }}", "£1.00"))

# Titles.
ordered("d_badge_first", titles('<p class="badge">New</p><p>TITLE</p>'))
ordered("d_badge_in_title", titles('<p><span class="badge">New</span> TITLE</p>'))
ordered("d_note_in_title", titles("<p>TITLE <em>Bestseller</em></p>"))
ordered("d_article_number_first", titles("<p>Art. {{ line.partner_sku }}</p><p>TITLE</p>"))
ordered("d_title_in_div", titles("<div>TITLE</div>"))
ordered("d_title_in_heading", titles("<h4>TITLE</h4>"))
ordered("d_note_paragraph", titles("<p>TITLE</p><p>Colour: oak</p>"))
ordered("d_link_on_photo", (TITLE_LINK, '<a href="{{ product.get_absolute_url }}"><img alt=""></a><p>{{ line.description }}</p>'))
ordered("d_review_link_first", (TITLE_LINK, TITLE_LINK.replace("<p>", '<p><a href="{% url \'catalogue:reviews-add\' product_slug=product.slug product_pk=product.id %}">★</a>')))
ordered("d_link_with_query", (TITLE_LINK, TITLE_LINK.replace("_url }}", "_url }}?utm_source=order#top")))

# Status.
ordered("d_banner", (OPEN, "<p>We love our customers</p>" + OPEN))
ordered("d_banner_with_heading", (OPEN, "<h2>News</h2><p>We love our customers</p>" + OPEN))
ordered("d_delivery_paragraph", (OPEN, "<h2>Delivery</h2><p>Pending customs</p>" + OPEN))
ordered("d_banner_first", (STATUS, "<h2>News</h2><p>Complete your look</p><hr>" + STATUS))
ordered("d_status_sentence", ("<p>{{ order.status }}</p>", "<p>Order status: {{ order.status }} since 28 Mar</p>"))
ordered("d_status_steps", ("<p>{{ order.status }}</p>", "<p>Ordered → Paid → {{ order.status }}</p>"))
ordered("d_status_badge", ("<p>{{ order.status }}</p>", '<p><span class="badge">{{ order.status }}</span></p>'))
ordered("d_status_below", (STATUS, ""), ("{% block order_actions %}", STATUS + "{% block order_actions %}"))
ordered("d_status_in_list", (STATUS, "<dl><dt>Status</dt><dd>{{ order.status }}</dd></dl>"))
ordered("d_status_heading_of_other_size", (STATUS, STATUS.replace("h2", "h3")))
ordered("d_status_translated", (STATUS, STATUS.replace("{% trans 'Status' %}", "Statut de la commande").replace("{{ order.status }}", "Commande {{ order.status|lower }} !")))

# No table; markup.
ordered("d_cards", (TABLE, "{% for line in order.lines.all %}<div class='card'><p>{{ line.description }}</p><span>{{ line.quantity }}</span></div>{% endfor %}"))
ordered("d_list", (TABLE, "<ul>{% for line in order.lines.all %}<li>{{ line.quantity }} × {{ line.description }}</li>{% endfor %}</ul>"))
ordered("d_open_cells", (f"{QTY}\n{EXCL}\n{INCL}", (QTY + EXCL + INCL).replace("</td>", "")))
ordered("d_table_in_form", (OPEN, '<form method="post" action="/basket/">' + OPEN), ("{% block order_actions %}", "</form>{% block order_actions %}"))
ordered("d_other_class", ("table table-striped table-bordered", "order-lines"))

# The order's number, and pages of other orders.
NUMBERED = "{% block headertext %}{{ page_title }}{% endblock %}"
change("d_number_gone", "order", ACCOUNT, ("{{ page_title }}", "Your order"))
change("d_number_prefixed", "order", ACCOUNT, ("{{ page_title }}", "GB-{{ order.number }}"))
change("d_number_in_title_only", "order", ACCOUNT, (NUMBERED, "{% block headertext %}Your order{% endblock %}"))
change("d_number_of_latest", "order", ACCOUNT, ("{{ page_title }}", "Order #{{ user.orders.all.0.number }}"))


def instead(other):
    """Another order's page comes in the place of the one asked for, as from a cache that mixes them up."""
    def request(path):
        return re.sub(r"^(/accounts/orders/)(\d+)/", lambda found: f"{found[1]}{other(found[2])}/", path)
    return request


change("d_cached_twin", "order", request=instead(lambda number: TWINS.get(number, number)))
change("d_cached_neighbour", "order", request=instead(lambda number: "100215" if number == "100208" else number))
change("d_cached_one_for_all", "order", request=instead(lambda number: "100222"))
