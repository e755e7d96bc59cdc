"""Changes of the pages of products, of the sign-in, and of what surrounds every page."""

import re

from . import BASE, COLUMNS, PRODUCT, SIGN_IN, TABS, change

SECONDARY = ("sku", "dept", "category", "subcategory")
CRUMBS = '<li class="breadcrumb-item"><a href="{{ homepage_url }}">{% trans "Home" %}</a></li>'
INFO = '<table class="table table-striped">'
FORM = '<form id="login_form"'


def product(name, *edits, **how):
    change(name, "product", PRODUCT, *edits, may_lack=SECONDARY, **how)


def answered(status, body):
    def response(path, was, page, fetch):
        return (status, body) if re.match(r"^/catalogue/.*_\d+/", path) else (was, page)
    return response


# Products: their pages give SKU and category, and nothing else may depend on them.
product("p_no_table", ((INFO, "</table>"), ""))
product("p_no_breadcrumb", (('<ol class="breadcrumb">', "</ol>"), ""))
product("p_breadcrumb_without_home", (CRUMBS, ""))
product("p_breadcrumb_with_shop", (CRUMBS, CRUMBS + '<li class="breadcrumb-item"><a href="/catalogue/">All products</a></li>'))
product("p_two_breadcrumbs", ('<nav aria-label="breadcrumb">', '<nav><ol class="breadcrumb"><li class="breadcrumb-item"><a href="/">Home</a></li><li class="breadcrumb-item">'
                              '<a href="/offers/">Offers</a></li></ol></nav><nav aria-label="breadcrumb">'))
product("p_code_label", ('{% trans "UPC" %}', "EAN"))
product("p_code_in_list", ('<th>{% trans "UPC" %}</th><td>{{ product.upc }}</td>', "<td><dl><dt>UPC</dt><dd>{{ product.upc }}</dd></dl></td>"))
product("p_other_product_first", ('<div class="row">', '<table><tr><th>UPC</th><td>4099999999999</td></tr></table><div class="row">'))
product("p_class", ('class="product_page"', 'class="product"'))
product("p_500", response=answered(500, "Server error"))
product("p_404_in_place", response=answered(200, "<html lang='en-gb'><h1>Not found</h1></html>"))
product("p_captcha", response=answered(200, "<html><body><form action='/captcha'><p>Are you human?</p><input name='answer'></form></body></html>"))
product("p_forbidden", response=answered(403, "Forbidden"))
product("p_empty", response=answered(200, ""))

# The sign-in.
change("s_more_fields", "sign-in", SIGN_IN, ("{% csrf_token %}", '{% csrf_token %}<input type="hidden" name="site" value="1"><input type="checkbox" name="remember">'))
change("s_register_first", "sign-in", SIGN_IN, (FORM, '<form id="quick"><input type="email" name="news"></form>' + FORM))
change("s_table", "sign-in", SIGN_IN, (FORM, "<table><tr><td>" + FORM))
change("s_captcha", "sign-in", SIGN_IN, (("{% include \"oscar/partials/form_fields.html\" with form=login_form", "%}"), '<input name="captcha" required>'), codes=("action_required",))
change("s_two_steps", "sign-in", SIGN_IN, (("{% include \"oscar/partials/form_fields.html\" with form=login_form", "%}"), '<input type="email" name="login-username">'))
change("s_absolute_action", "sign-in", SIGN_IN, ('{{ request.get_full_path }}', '/accounts/login/'))

# Around every page.
change("y_no_language", "list", BASE, (' lang="{{ LANGUAGE_CODE|default:"en-gb" }}"', ""))
change("y_other_language", "list", BASE, ('{{ LANGUAGE_CODE|default:"en-gb" }}', "de"))
change("y_unread_language", "list", BASE, ('{{ LANGUAGE_CODE|default:"en-gb" }}', "sw"))
change("y_base_address", "list", BASE, ("<head>", '<head><base href="/shop/">'))
change("y_layout_table", "list", COLUMNS, ('<aside', '<table><tr><td><a href="/catalogue/">Shop</a></td><td>'), ("</div><!-- /row -->", "</td></tr></table></div>"))
change("y_layout_table_of_orders", "list", COLUMNS, ('<aside', '<table><thead><tr><th></th><th></th><th></th><th></th><th></th></tr></thead><tbody><tr><td>'),
       ("</div><!-- /row -->", "</td></tr></tbody></table></div>"))
change("y_cookie_banner", "list", COLUMNS, ('<aside', '<div class="cookies"><table><tr><td><a href="/cookies/">Cookies</a></td><td>1</td><td>£1.00</td><td>8 Oct 2025, noon</td></tr>'
                                            '</table></div><aside'))
change("y_no_active_tab", "list", TABS, ("{% if active_tab == 'orders' %} active{% endif %}", ""))
change("y_all_in_form", "list", COLUMNS, ('<aside', '<form method="post"><aside'), ("</div><!-- /row -->", "</form></div>"))
