"""Changes of the list of orders."""

import re

from . import BASE, COLUMNS, LIST, PAGER, change

NUMBER = """<td><a href="{% url 'customer:order' order_number=order.number %}">{{ order.number }}</a></td>"""
LINK = """<a href="{% url 'customer:order' order_number=order.number %}">"""
ITEMS = "<td>{{ order.num_items }}</td>"
TOTAL = "<td>{{ order.total_incl_tax|currency:order.currency }}</td>"
DATE = "<td>{{ order.date_placed }}</td>"
CELLS = f"{NUMBER}\n{ITEMS}\n{TOTAL}\n{DATE}"
HEAD = """<th>{% trans "Order number" %}</th>
<th>{% trans "Num items" %}</th>
<th>{% trans "Total inc tax" %}</th>
<th>{% trans "Date submitted" %}</th>"""
LOOP, ENDED = "{% for order in orders %}", "{% endfor %}\n</table>"
OPEN = '<table class="table table-striped table-bordered">'
TABLE = ("<table", "</table>")
INCLUDE = '{% include "oscar/partials/pagination.html" %}'
FILTER = ('{% if orders or form.is_bound %}\n<div class="card', "</form>\n</div>\n{% endif %}")
ROW = f"{LOOP}\n<tr>"


def rows(cells=CELLS, loop="orders", when=None):
    row = f"<tr>{cells}</tr>"
    return f"{{% for order in {loop} %}}" + (f"{{% if {when} %}}{row}{{% endif %}}" if when else row) + "{% endfor %}"


def table(body, head=HEAD, attributes=""):
    return f"<table {attributes}><tr>{head}</tr>{body}</table>"


def listed(name, *edits, **how):
    change(name, "list", LIST, *edits, **how)


def pager(name, html, **how):
    """Another way to the other pages than a list of links of the class `pagination`."""
    change(name, "list", PAGER, (('{% if paginator', "</nav>\n{% endif %}"), html), **how)


def only_p(path):
    """The list's page is named by `p`; `page` is not looked at."""
    named = re.search(r"[?&]p=(\d+)", path)
    return path if not path.startswith("/accounts/orders/?") else f"/accounts/orders/?page={named[1] if named else 1}"


def always_first(path):
    return "/accounts/orders/" if path.startswith("/accounts/orders/?") else path


def no_other(path, status, body, fetch):
    """The list has one page: any other is not found."""
    return (404, "<html><h1>Not found</h1></html>") if path.startswith("/accounts/orders/?") else (status, body)


def past_the_end(page):
    """What comes in the place of the 404 after the last page: another page."""
    def response(path, status, body, fetch):
        return fetch(page) if status == 404 and path.startswith("/accounts/orders/?") else (status, body)
    return response


MORE = '{% if page_obj.has_next %}{{ page_obj.next_page_number }}{% endif %}'

# The way to the other pages.
pager("l_no_pagination", "")
pager("l_pager_class", '<ul class="pager">{% if page_obj.has_next %}<li><a href="?page=' + MORE + '">next</a></li>{% endif %}</ul>')
pager("l_load_more", '{% if page_obj.has_next %}<button data-url="?page=' + MORE + '">Load more</button>{% endif %}')
pager("l_load_more_link", '{% if page_obj.has_next %}<a class="btn more" href="?page=' + MORE + '">Older orders</a>{% endif %}')
pager("l_infinite_scroll", '<div class="infinite" data-next="{{ page_obj.number|add:1 }}" data-pages="{{ paginator.num_pages }}"></div>')
pager("l_script_pager", '<ul class="pagination"><li><a href="#" onclick="go({{ page_obj.number|add:1 }})">next</a></li></ul>')
pager("l_only_numbers", '<ul class="pagination">{% for n in paginator.page_range %}<li><a href="?page={{ n }}">{{ n }}</a></li>{% endfor %}</ul>')
pager("l_page_words", '<p>Page {{ page_obj.number }} of {{ paginator.num_pages }}</p>')
pager("l_pager_other_query", '<ul class="pagination">{% if page_obj.has_next %}<li><a href="?sort=-date&amp;page=' + MORE + '#list">›</a></li>{% endif %}</ul>')
pager("l_page_param", '<ul class="pagination">{% if page_obj.has_next %}<li><a href="?p=' + MORE + '">next</a></li>{% endif %}</ul>', request=only_p)
pager("l_page_param_no_pager", "", request=only_p)
pager("l_post_pager", '<form method="post"><button name="page" value="' + MORE + '">next</button></form>', request=always_first)
change("l_rel_next", "list", PAGER, (('{% if paginator', "</nav>\n{% endif %}"), ""), more={
    BASE: [("</head>", '{% if page_obj.has_next %}<link rel="next" href="?page=' + MORE + '">{% endif %}</head>')]})
pager("l_pager_without_next", '<ul class="pagination">{% if page_obj.has_previous %}<li><a href="?page={{ page_obj.previous_page_number }}">newer</a></li>{% endif %}</ul>')
pager("l_past_end_repeats_first", "", response=past_the_end("/accounts/orders/"))
pager("l_past_end_repeats_last", "", response=past_the_end("/accounts/orders/?page=3"))
pager("l_past_end_front_page", "", response=past_the_end("/catalogue/"))
listed("l_second_page_empty", ("{% if orders %}\n<h2>", "{% if page_obj.number == 1 %}\n<h2>"))
listed("l_repeated_row", (ROW, "{% for order in orders %}{% if forloop.first and page_obj.number == 2 %}{% with order=paginator.object_list.0 %}<tr>" + CELLS
                          + "</tr>{% endwith %}{% else %}<tr>"), (f"{DATE}\n</tr>\n{{% endfor %}}", f"{DATE}</tr>{{% endif %}}{{% endfor %}}"))

# Only some of the orders.
listed("l_limited_with_count", ("<h2>{{ form.description }}</h2>", "<h2>Showing 3 of {{ paginator.count }} orders</h2>"),
       (ROW, '{% for order in orders|slice:":3" %}<tr>'), (INCLUDE, ""), request=always_first)
listed("l_limited_with_count_404", ("<h2>{{ form.description }}</h2>", "<h2>Showing 3 of {{ paginator.count }} orders</h2>"),
       (ROW, '{% for order in orders|slice:":3" %}<tr>'), (INCLUDE, ""), response=no_other)
listed("l_limited_show_all", (ROW, '{% for order in orders|slice:":3" %}<tr>'), (INCLUDE, '<a href="?show=all">View all orders</a>'), request=always_first)
listed("l_limited_on_each_page", ("<h2>{{ form.description }}</h2>", "<h2>{{ form.description }} ({{ paginator.count }})</h2>"),
       (ROW, '{% for order in orders|slice:":4" %}<tr>'))
listed("l_one_year", (FILTER, '<form method="get"><select name="year"><option value="2025" selected>2025</option><option value="2024">2024</option>'
                      '</select></form>'), (TABLE, table(rows(loop="paginator.object_list", when="order.date_placed.year == 2025"))), (INCLUDE, ""), request=always_first)
listed("l_one_year_404", (FILTER, '<form method="get"><select name="year"><option value="2025" selected>2025</option><option value="2024">2024</option>'
                          '</select></form>'), (TABLE, table(rows(loop="paginator.object_list", when="order.date_placed.year == 2025"))), (INCLUDE, ""), response=no_other)
listed("l_filter_in_force", (TABLE, '<p>Orders of the last 90 days. <a href="?all=1">Show all</a></p>' + table(rows(when="forloop.counter < 5"))), (INCLUDE, ""), request=always_first)
listed("l_cancelled_hidden", (TABLE, "<p>{{ paginator.count }} orders</p>" + table(rows(when="order.status != 'Cancelled'"))))
listed("l_details_closed", (TABLE, OPEN + f"<tr>{HEAD}</tr>" + rows(loop='orders|slice:":2"') + "</table><details><summary>Older</summary>"
                            + table(rows(loop='orders|slice:"2:"')) + "</details>"))
listed("l_loaded_by_script", (TABLE, '<div id="orders" data-source="/api/orders/">Loading…</div>'))

# Several tables.
listed("l_two_tables", (TABLE, "<h3>Recent orders</h3>" + table(rows(loop='orders|slice:":2"')) + "<h3>Past orders</h3>" + table(rows(loop='orders|slice:"2:"'))))
listed("l_open_apart", (TABLE, table(rows(when="order.status == 'Pending' or order.status == 'Being processed'"))
                        + table(rows(when="order.status != 'Pending' and order.status != 'Being processed'"))))
listed("l_latest_first", ("<h2>{{ form.description }}</h2>", "<h2>Your latest order</h2>" + table(rows(loop='orders|slice:":1"')) + "<h2>All orders</h2>"))
listed("l_wishlist_above", (TABLE, '<table><tr><th>Wish list</th><th>Qty</th><th>Price</th><th>Added</th></tr><tr><td><a href="/catalogue/desk-lamp-noon_1/">'
                            "Desk Lamp</a></td><td>1</td><td>£15.00</td><td>8 Oct 2025, 6:20 p.m.</td></tr></table>" + table(rows())))
listed("l_wishlist_below", ("</table>", '</table><table><tr><td><a href="/catalogue/desk-lamp-noon_1/">Desk Lamp</a></td><td>1</td><td>£15.00</td>'
                            "<td>8 Oct 2025, 6:20 p.m.</td></tr></table>"))
listed("l_nested_table", (DATE, "<td>{{ order.date_placed }}<table><tr><td>Dispatched</td><td>yes</td></tr></table></td>"))
listed("l_nested_first", (NUMBER, "<td><table><tr><td>" + LINK + "{{ order.number }}</a></td></tr></table></td>"))
listed("l_tables_of_one", (TABLE, "{% for order in orders %}<table><tr>" + CELLS + "</tr></table>{% endfor %}"))
listed("l_bodies", (TABLE, OPEN + f"<thead><tr>{HEAD}</tr></thead>{{% for order in orders %}}<tbody><tr>{CELLS}</tr></tbody>{{% endfor %}}</table>"))

# Copies.
SHORT = rows(f'<td colspan="4">{LINK}{{{{ order.number }}}}</a></td>')
listed("l_mobile_rows", (f"{DATE}\n</tr>", f'{DATE}\n</tr><tr class="d-md-none" style="display:none"><td colspan="4">{LINK}{{{{ order.number }}}}</a></td></tr>'))
listed("l_mobile_rows_whole", (f"{DATE}\n</tr>", f'{DATE}\n</tr><tr class="d-md-none" style="display:none">{CELLS}</tr>'))
listed("l_mobile_table_first", (TABLE, f'<table class="d-md-none" style="display:none">{SHORT}</table>' + table(rows())))
listed("l_mobile_table_shorter", (TABLE, table(rows(loop='orders|slice:":2"'), attributes='class="d-md-none" hidden') + table(rows())))
listed("l_aria_hidden_copy", (TABLE, table(rows(loop='orders|slice:":1"'), attributes='aria-hidden="true"') + table(rows())))
listed("l_template_copy", (TABLE, "<template>" + table(rows(loop='orders|slice:":1"')) + "</template>" + table(rows())))
listed("l_noscript_copy", (TABLE, "<noscript>" + table(rows(loop='orders|slice:":1"')) + "</noscript>" + table(rows())))
listed("l_comment_copy", (TABLE, "<!-- " + table(rows(loop='orders|slice:":1"')) + " -->" + table(rows())))

# Rows that are none, and rows that are merged.
listed("l_banner_row", (ROW, LOOP + '{% if forloop.counter == 2 %}<tr><td colspan="4">Free shipping this week!</td></tr>{% endif %}<tr>'))
listed("l_month_rows", (ROW, LOOP + '<tr><th colspan="4">{{ order.date_placed|date:"F Y" }}</th></tr><tr>'))
listed("l_sum_row", (ENDED, "{% endfor %}<tr><td>Total</td><td></td><td>£16,500.00</td><td></td></tr></table>"))
listed("l_quote_row", (ENDED, '{% endfor %}<tr><td><a href="/accounts/quotes/7/">Quote 7</a></td><td>1</td><td>£5.00</td><td>8 Oct 2025, 6:20 p.m.</td></tr></table>'))
listed("l_merged_dates", (DATE, '{% if order.number == "100229" %}<td rowspan="2">{{ order.date_placed }}</td>{% elif order.number != "100236" %}' + DATE + "{% endif %}"))
listed("l_merged_cells", (f"{TOTAL}\n{DATE}", '<td colspan="2">{{ order.total_incl_tax|currency:order.currency }}, {{ order.date_placed }}</td>'))
listed("l_merged_in_one_row", (f"{ITEMS}\n{TOTAL}", '{% if order.num_items == 1 %}<td colspan="2">{{ order.total_incl_tax|currency:order.currency }}</td>{% else %}'
                               + ITEMS + TOTAL + "{% endif %}"))
listed("l_two_in_a_row", (TABLE, OPEN + "<tr>{% for order in orders %}" + CELLS + "{% if forloop.counter|divisibleby:2 %}</tr><tr>{% endif %}{% endfor %}</tr></table>"))
listed("l_broken_row", (f"{NUMBER}\n", "{% if forloop.counter == 3 %}<td>not available</td>{% else %}" + NUMBER + "{% endif %}\n"))
listed("l_cancelled_struck", (NUMBER, "<td>{% if order.status == 'Cancelled' %}<del>{% endif %}" + LINK + "{{ order.number }}</a>{% if order.status == 'Cancelled' %}</del>{% endif %}</td>"))

# Columns.
listed("l_hash_number", ("{{ order.number }}</a>", "Order #{{ order.number }}</a>"))
listed("l_prefixed_number", ("{{ order.number }}</a>", "GB-{{ order.number }}</a>"))
listed("l_badge_number", ("{{ order.number }}</a></td>", '{{ order.number }}</a> <span class="badge">New</span></td>'))
listed("l_number_without_link", (CELLS, f"<td>{{{{ order.number }}}}</td>{ITEMS}{TOTAL}{DATE}<td>{LINK}View</a></td>"), (HEAD, HEAD + "<th></th>"))
listed("l_button_first", (NUMBER, f"<td>{LINK}View</a></td><td>{{{{ order.number }}}}</td>"), (HEAD, "<th></th>" + HEAD))
listed("l_button_for_number", ("{{ order.number }}</a>", "View</a>"))
listed("l_status_column", (DATE, DATE + "<td>{{ order.status }}</td>"), (HEAD, HEAD + "<th>Status</th>"))
listed("l_hidden_column", (NUMBER, '<td style="display:none">{{ order.id }}</td>' + NUMBER), (HEAD, '<th style="display:none">Id</th>' + HEAD))
listed("l_no_items_column", (ITEMS + "\n", ""), ('<th>{% trans "Num items" %}</th>', ""))
listed("l_no_total_column", (TOTAL + "\n", ""), ('<th>{% trans "Total inc tax" %}</th>', ""))
listed("l_columns_moved", (f"{ITEMS}\n{TOTAL}\n{DATE}", DATE + TOTAL + ITEMS))
listed("l_number_is_heading", (NUMBER, NUMBER.replace("td>", 'th>')))
listed("l_number_is_heading_in_some", (NUMBER, "{% if order.num_items == 1 %}" + NUMBER.replace("td>", "th>") + "{% else %}" + NUMBER + "{% endif %}"))
listed("l_lines_for_items", (ITEMS, "<td>{{ order.lines.count }}</td>"))
listed("l_items_with_unit", (ITEMS, "<td>{{ order.num_items }} pcs</td>"))
listed("l_net_total", (TOTAL, TOTAL.replace("incl", "excl")))
listed("l_excl_total", (TOTAL, TOTAL.replace("incl", "excl")), ("Total inc tax", "Total excl tax"))
listed("l_basket_for_total", (TOTAL, TOTAL.replace("total_incl_tax", "basket_total_incl_tax")))
listed("l_total_before_discounts", (TOTAL, TOTAL.replace("total_incl_tax", "total_before_discounts_incl_tax")))
listed("l_struck_total", (TOTAL, TOTAL.replace("<td>", "<td><del>{{ order.total_before_discounts_incl_tax|currency:order.currency }}</del> ")))
listed("l_total_with_tax", (TOTAL, TOTAL.replace("</td>", " (incl. {{ order.total_tax|currency:order.currency }} VAT)</td>")))
listed("l_whole_pounds", (TOTAL, "<td>£{{ order.total_incl_tax|floatformat:'0g' }}</td>"))
listed("l_no_symbol", (TOTAL, "<td>{{ order.total_incl_tax }}</td>"))
listed("l_other_symbol", (TOTAL, TOTAL.replace("order.currency", "'EUR'")))
listed("l_code_for_symbol", (TOTAL, "<td>GBP {{ order.total_incl_tax }}</td>"))
listed("l_no_decimal_sign", (TOTAL, "<td>£{{ order.total_incl_tax|floatformat:'2u'|cut:'.' }}</td>"))
listed("l_decimal_comma", (TOTAL, "{% language 'de' %}" + TOTAL + "{% endlanguage %}"))
listed("l_date_short", (DATE, '<td>{{ order.date_placed|date:"d/m/Y H:i" }}</td>'))
listed("l_date_american", (DATE, '<td>{{ order.date_placed|date:"m/d/Y H:i" }}</td>'))
listed("l_date_iso", (DATE, '<td>{{ order.date_placed|date:"Y-m-d H:i" }}</td>'))
listed("l_date_without_time", (DATE, '<td>{{ order.date_placed|date:"j M Y" }}</td>'))
listed("l_date_relative", (DATE, "<td>{{ order.date_placed|timesince }} ago</td>"))
listed("l_two_dates", (DATE, '<td>{{ order.date_placed }}<br><small>delivered {{ order.date_placed|date:"j M Y" }}</small></td>'))
listed("l_date_is_of_update", (DATE, "<td>{% now 'j M Y, P' %}</td>"), ("Date submitted", "Last update"))

# No table.
CARDS = "{% for order in orders %}<div class='card'><h3>" + LINK + "{{ order.number }}</a></h3><p>{{ order.num_items }}</p></div>{% endfor %}"
listed("l_cards", (TABLE, CARDS))
listed("l_cards_no_filter", (TABLE, CARDS), (FILTER, ""))
change("l_layout_table", "list", COLUMNS, ('<div class="row">', '<table><tr><td><a href="/">Home</a></td><td>Welcome</td></tr><tr><td>'), ("</div><!-- /row -->", "</td></tr></table>"))
