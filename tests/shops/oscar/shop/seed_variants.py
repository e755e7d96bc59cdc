"""A customer whose few orders have what a changed template can hide, variants@shop.test; and stranger@shop.test.

Twelve orders of two years, on three pages of five: tax (so that net and gross differ), discounts, shipping, amounts
above a thousand, quantities above one, a line total that does not divide, a free line, a negative one, two lines of one title, lines of
products that were hidden or deleted since, open and cancelled orders, and two orders (the twins) with equal dates, item
counts and totals, but different lines. Made by Oscar's own code, like seed.py.
"""
import datetime as dt
import os
from decimal import Decimal as D

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
import django

django.setup()
from django.contrib.auth import get_user_model
from django.contrib.sites.models import Site
from django.db import transaction
from django.db.models import F
from oscar.apps.catalogue.categories import create_from_breadcrumbs
from oscar.apps.shipping.methods import FixedPrice, Free
from oscar.core.loading import get_class, get_model
from oscar.test import factories as f

Basket, Line, Order, Product, ProductCategory = (
    get_model(*name.split(".")) for name in
    ("basket.Basket", "order.Line", "order.Order", "catalogue.Product", "catalogue.ProductCategory"))
UK = get_class("partner.strategy", "UK")
Applicator = get_class("offer.applicator", "Applicator")

# Title, net price (a fifth of which is a whole number of pence), category.
PRODUCTS = [
    ("Desk Lamp — “Noon”", "12.50", "Home > Lighting"), ("Walnut Table", "1045.00", "Home > Furniture > Tables"),
    ("Tea Towel", "3.35", "Kitchen"), ("Tea Towel", "4.15", "Kitchen"), ("Sauces <Illustrated>", "20.80", "Books > Cookery"),
    ("日本の家庭料理", "16.65", "Books > Cookery"), ("Hidden Hook", "2.50", "Home > Hooks"), ("Deleted Dish", "7.95", "Kitchen"),
    ("Sample Sachet", "0.00", "Kitchen"),
]
# Products with quantities, status, gross shipping, discount, days before the order above it (below the first: 20 Oct 2025).
ORDERS = [
    ([(0, 1), (2, 3)], "Pending", "4.85", False, 0),
    ([(1, 1)], "Being processed", "0", False, 9),
    ([(2, 1), (3, 2), (4, 1), (6, 1)], "Complete", "4.95", False, 13),
    ([(0, 2), (5, 1)], "Complete", "0", True, 30),
    ([(4, 1), (0, 1)], "Complete", "0", False, 21),                    # the twins: the second has their lines changed
    ([(5, 1), (2, 1)], "Complete", "0", False, 0),
    ([(1, 10), (8, 1)], "Complete", "0", False, 44),
    ([(7, 1), (2, 2)], "Cancelled", "4.95", False, 37),
    ([(0, 3), (1, 2), (2, 1), (4, 2), (5, 3), (6, 2)], "Complete", "0", True, 70),
    ([(3, 3)], "Complete", "0", False, 33),                            # its total will not divide
    ([(5, 1), (8, 1)], "Cancelled", "0", False, 60),                   # something was taken back: a negative line
    ([(4, 4), (7, 1)], "Complete", "4.95", False, 51),
]


def change_line(line, total):
    """Another gross line total; the order's own total follows."""
    by, net = total - line.line_price_before_discounts_incl_tax, (total / D("1.2")).quantize(D("0.01"))
    Line.objects.filter(pk=line.pk).update(
        line_price_before_discounts_incl_tax=total, line_price_incl_tax=total,
        line_price_before_discounts_excl_tax=net, line_price_excl_tax=net)
    Order.objects.filter(pk=line.order_id).update(total_incl_tax=F("total_incl_tax") + by)


@transaction.atomic
def main():
    Site.objects.update_or_create(pk=1, defaults={"domain": "127.0.0.1", "name": "Oscar Test Shop"})
    products = []
    for number, (title, price, category) in enumerate(PRODUCTS):
        product = f.create_product(upc=f"40{number:011d}", title=title, price=D(price), partner_sku=f"V-{number}",
                                   product_class=category.split(" > ")[0], num_in_stock=100000)
        ProductCategory.objects.create(product=product, category=create_from_breadcrumbs(category))
        products.append(product)
    offer = f.create_offer(name="Autumn 20% off", max_basket_applications=1)
    user = get_user_model().objects.create_user("variants", "variants@shop.test", "OrderSync!2024")
    when, orders = dt.datetime(2025, 10, 20, 9, 30, tzinfo=dt.timezone.utc), []
    for place, (lines, status, shipping, discounted, days) in enumerate(ORDERS):
        basket = Basket.objects.create(owner=user)
        basket.strategy = UK()
        for product, quantity in lines:
            basket.add_product(products[product], quantity)
        if discounted:
            Applicator().apply_offers(basket, [offer])
        method = FixedPrice(charge_excl_tax=D("4.12"), charge_incl_tax=D(shipping)) if shipping != "0" else Free()
        when -= dt.timedelta(days=days, minutes=(place * 47) % 60 if days else 0)
        orders.append(f.create_order(number=str(100201 + 7 * place), basket=basket, user=user, shipping_method=method,
                                     status=status, date_placed=when))
    change_line(orders[9].lines.get(), D("10.00"))
    change_line(orders[10].lines.get(product=products[8]), D("-3.00"))
    first, second = ([*order.lines.all()] for order in orders[4:6])
    for one, other in zip(first, second, strict=True):
        change_line(other, one.line_price_before_discounts_incl_tax)
    stranger = get_user_model().objects.create_user("stranger", "stranger@shop.test", "OrderSync!2024")
    for place in range(3):
        basket = Basket.objects.create(owner=stranger)
        basket.strategy = UK()
        basket.add_product(products[place], 1)
        f.create_order(number=str(300301 + place), basket=basket, user=stranger, status="Complete",
                       date_placed=dt.datetime(2025, 9, 9 - place, 12, 30, tzinfo=dt.timezone.utc))
    products[7].delete()
    Product.objects.filter(pk=products[6].pk).update(is_public=False)
    print(f"orders={Order.objects.count()} lines={Line.objects.count()}")


if __name__ == "__main__":
    main()
