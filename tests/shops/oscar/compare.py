#!/usr/bin/env python3
"""Compares an exported CSV with the database of the Oscar shop that it was synced from.

    compare.py SHOP.sqlite3 CUSTOMER_EMAIL ORDERS.csv [--time-zone Europe/London]

The shop's own tables are the truth, as far as its pages show them: orders, their dates (to the minute, in the shop's
time zone), totals, currencies and statuses; lines with title, UPC and category (of products that are still public),
quantity, and line total before discounts (price times quantity, exactly, where a price is given). Prints one line of
counts, and where anything differs lists it and exits 1. Only the standard library is needed.
"""

import argparse
import csv
import sqlite3
import sys
from collections import Counter
from datetime import datetime, timezone
from decimal import Decimal
from zoneinfo import ZoneInfo

HEADER = ("Retailer,Retailer Order ID,Order Date,Item Name,Brand,Dept,Category,SubCategory,SKU,Quantity,Price,"
          "Currency,Shipment Status,Order Total").split(",")
STATUSES = {"Pending": "pending", "Being processed": "processing", "Complete": "completed", "Cancelled": "cancelled"}
CENT = Decimal("0.01")


def cents(value):
    """SQLite keeps Django's decimals as floats: the two decimals that were meant."""
    return Decimal(repr(value)).quantize(CENT) if isinstance(value, float) else Decimal(value).quantize(CENT)


def categories(shop):
    """The names from the top of the catalogue down, three at most, of each product's first category."""
    names = dict(shop.execute("SELECT path, name FROM catalogue_category"))
    chains = {}
    for product, path in shop.execute(
            "SELECT pc.product_id, c.path FROM catalogue_productcategory pc"
            " JOIN catalogue_category c ON c.id = pc.category_id ORDER BY pc.id DESC"):
        chain = [names[path[:end]] for end in range(4, len(path) + 1, 4)][:3]
        chains[product] = tuple(chain + [""] * (3 - len(chain)))
    return chains


def from_shop(path, email):
    """(order number -> facts, order number -> lines) of the customer."""
    shop = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    chains = categories(shop)
    orders, lines = {}, {}
    for order_id, number, placed, total, currency, status in shop.execute(
            "SELECT o.id, o.number, o.date_placed, o.total_incl_tax, o.currency, o.status FROM order_order o"
            " JOIN auth_user u ON u.id = o.user_id WHERE u.email = ?", (email,)):
        placed = datetime.fromisoformat(placed).replace(tzinfo=timezone.utc, second=0, microsecond=0)
        orders[number] = (placed, cents(total), currency, STATUSES.get(status, status))
        lines[number] = Counter()
        for title, quantity, line_total, upc, product, public in shop.execute(
                "SELECT l.title, l.quantity, l.line_price_before_discounts_incl_tax, p.upc, p.id, p.is_public"
                " FROM order_line l LEFT JOIN catalogue_product p ON p.id = l.product_id WHERE l.order_id = ?",
                (order_id,)):
            line_total, quantity = cents(line_total), Decimal(quantity)
            exact = (line_total / quantity).quantize(CENT) * quantity == line_total
            shown = (upc or "", *chains.get(product, ("", "", ""))) if public else ("", "", "", "")
            lines[number][(title, quantity, line_total if exact else None, *shown)] += 1
    return orders, lines


def adjustments(path, email):
    """order number -> type, amount and name of each amount beside the lines that the order's page shows."""
    shop = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    found = {}
    for order_id, number, shipping in shop.execute(
            "SELECT o.id, o.number, o.shipping_incl_tax FROM order_order o JOIN auth_user u ON u.id = o.user_id"
            " WHERE u.email = ?", (email,)):
        found[number], shipping = Counter(), cents(shipping)
        for category, name, amount in shop.execute(
                "SELECT category, offer_name, amount FROM order_orderdiscount WHERE order_id = ?", (order_id,)):
            found[number]["discount", -cents(amount), name] += 1
            # Discounts of shipping stand below the price that they are taken off.
            shipping += cents(amount) if category == "Shipping" else 0
        found[number]["shipping", shipping, ""] += 1
    return found


def wrong_adjustments(wanted, items):
    """Where the adjustments of exported items (JSON) differ from `adjustments`, or do not add up to the order's total, but for the
    rounding that `docs/retailers.md` allows."""
    problems, orders = [], {}
    for item in items:
        orders.setdefault(item["orderId"], []).append(item)
    for number in sorted(wanted.keys() | orders.keys()):
        if number not in orders or number not in wanted:
            problems.append(f"order {number}: is missing, or not the customer's")
            continue
        first, got = orders[number][0], Counter()
        if any(item["orderAdjustments"] != first["orderAdjustments"] or item["lineAdjustments"] for item in orders[number]):
            problems.append(f"order {number}: its rows disagree, or have adjustments of their own")
        for one in first["orderAdjustments"]:
            # Discounts have a label and their name, in the language of the page.
            names = [name for kind, _, name in wanted[number] if kind == "discount" and one["text"].endswith(name)]
            got[one["type"], one["amount"], names[0] if one["type"] == "discount" and names else ""] += 1
        if got != wanted[number]:
            problems.append(f"order {number}: the shop has {dict(wanted[number])}, the export {dict(got)}")
        parts = [item["lineTotal"] for item in orders[number]] + [one["amount"] for one in first["orderAdjustments"]]
        total = sum(parts)
        # The shop takes discounts off lines and rounds each: its own figures do not always add up to the cent.
        if abs(total - first["orderTotal"]) > CENT * len(parts):
            problems.append(f"order {number}: lines and adjustments are {total}, the total {first['orderTotal']}")
    return problems


def from_export(path):
    """The rows of the exported file, as a dictionary each."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        if next(rows, None) != HEADER:
            sys.exit(f"{path}: the header is not the specification's")
        return [dict(zip(HEADER, values, strict=True)) for values in rows]


def from_rows(rows):
    """The same as `from_shop`; a fact that an order's rows disagree about is a difference of its own."""
    orders, lines, problems = {}, {}, []
    for row in rows:
        number, quantity = row["Retailer Order ID"], Decimal(row["Quantity"])
        placed = datetime.fromisoformat(row["Order Date"].replace("Z", "+00:00"))
        facts = (placed, Decimal(row["Order Total"]), row["Currency"], row["Shipment Status"])
        if orders.setdefault(number, facts) != facts:
            problems.append(f"order {number}: its rows disagree: {orders[number]} and {facts}")
        total = Decimal(row["Price"]) * quantity if row["Price"] else None
        line = (row["Item Name"], quantity, total, row["SKU"], row["Dept"], row["Category"], row["SubCategory"])
        lines.setdefault(number, Counter())[line] += 1
    return orders, lines, problems


def wall(facts, zone):
    """The facts with the date as a clock on the shop's wall shows it: twice a year that is all a page can say."""
    placed, *rest = facts
    return (placed.astimezone(zone).replace(tzinfo=None), *rest)


def differences(orders, lines, got_orders, got_lines, zone):
    """What the shop has and the rows lack, and the other way round."""
    problems = [f"order {number}: is missing from the export" for number in orders.keys() - got_orders.keys()]
    problems += [f"order {number}: is not the customer's" for number in got_orders.keys() - orders.keys()]
    for number in sorted(orders.keys() & got_orders.keys()):
        want, got = wall(orders[number], zone), wall(got_orders[number], zone)
        if want != got:
            problems.append(f"order {number}: the shop has {want}, the export {got}")
        problems += [f"order {number}: lacks {count} x {line}" for line, count in (lines[number] - got_lines[number]).items()]
        problems += [f"order {number}: has in excess {count} x {line}" for line, count in (got_lines[number] - lines[number]).items()]
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shop")
    parser.add_argument("email")
    parser.add_argument("export")
    parser.add_argument("--time-zone", default="Europe/London", type=ZoneInfo)
    arguments = parser.parse_args()

    orders, lines = from_shop(arguments.shop, arguments.email)
    got_orders, got_lines, problems = from_rows(from_export(arguments.export))
    problems += differences(orders, lines, got_orders, got_lines, arguments.time_zone)

    def sums(orders, lines):
        every = [(line, count) for order in lines.values() for line, count in order.items()]
        return {
            "orders": len(orders),
            "lines": sum(count for _, count in every),
            "quantity": sum(line[1] * count for line, count in every),
            "line totals": sum((line[2] * count for line, count in every if line[2] is not None), Decimal("0.00")),
            "order totals": sum((facts[1] for facts in orders.values()), Decimal("0.00")),
        }

    want, got = sums(orders, lines), sums(got_orders, got_lines)
    problems += [f"sum of {name}: the shop has {want[name]}, the export {got[name]}" for name in want if want[name] != got[name]]
    counts = ", ".join(f"{name} {value}" for name, value in got.items())
    print(f"{'DIFFERENT' if problems else 'equal'}: {arguments.email}: {counts}")
    for problem in problems:
        print(f"  {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
