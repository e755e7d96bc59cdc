"""Compares exported items (JSON) with the database of the recorded WooCommerce shop (recordings.py)."""

import re
from collections import Counter
from datetime import datetime, timezone
from decimal import Decimal

CENT = Decimal("0.01")
STATUSES = {
    "wc-pending": "unpaid", "wc-failed": "unpaid", "wc-on-hold": "pending", "wc-processing": "processing",
    "wc-completed": "completed", "wc-cancelled": "cancelled", "wc-refunded": "refunded",
}
#: What WordPress takes for a tag, and leaves out of its pages.
TAG = re.compile(r"<[^>]*>")
#: The columns that the comparison needs.
COLUMNS = ("orderId,orderDate,itemName,retailerSku,quantity,price,lineTotal,currency,shipmentStatus,orderTotal,missingSince,"
           "lineAdjustments,orderAdjustments")


def line_of(line):
    """Title, SKU, quantity, price of one, total before discounts."""
    quantity, total = Decimal(line["qty"]), Decimal(line["subtotal"])
    price = (total / quantity).quantize(CENT)
    return line["name"], line["sku"] or None, quantity, price if price * quantity == total else None, total


def row_of(item):
    return item["itemName"], item["retailerSku"], item["quantity"], item["price"], item["lineTotal"]


def completed(row, lines):
    """The row with the title and the SKU of the line that it is, as far as the row lacks them."""
    def is_it(line):
        return letters(row[0]) in (letters(line[0]), letters(TAG.sub("", line[0]))) and row[1] in (None, line[1]) and row[2:] == line[2:]
    return next(filter(is_it, lines), row)


def letters(title):
    """The shop's pages have other quotes, dashes and spaces."""
    return "".join(filter(str.isalnum, title))


def differences(orders, items, may_lack=()):
    """A line for each difference. `orders`: of the customer, from the database. `may_lack`: "sku" or "title" may be missing, or be
    the page's, but not be wrong."""
    got = {}
    for item in items:
        got.setdefault(item["orderId"], []).append(item)
    wanted = {str(order["order_id"]): order for order in orders}
    problems = [f"order {number}: is missing from the export" for number in wanted.keys() - got.keys()]
    problems += [f"order {number}: is not the customer's" for number in got.keys() - wanted.keys()]
    for number in sorted(wanted.keys() & got.keys()):
        problems += [f"order {number}: {problem}" for problem in of_order(wanted[number], got[number], may_lack)]
    return problems


def of_order(order, items, may_lack):
    problems, first = [], items[0]
    for name in ("orderDate", "currency", "shipmentStatus", "orderTotal", "orderAdjustments"):
        if any(item[name] != first[name] for item in items):
            problems.append(f"its rows disagree in {name}")
    placed = datetime.fromisoformat(order["created_gmt"]).replace(tzinfo=timezone.utc)
    facts = (placed, Decimal(order["total"]), order["currency"], STATUSES[order["status"]])
    shown = (datetime.fromisoformat(first["orderDate"].replace("Z", "+00:00")), first["orderTotal"], first["currency"], first["shipmentStatus"])
    if facts != shown:
        problems.append(f"the shop has {facts}, the export {shown}")
    if any(item.get("missingSince") or item.get("lineAdjustments") for item in items):
        problems.append("a row has what no line of this shop has")
    lines = [line_of(line) for line in order["lines"]]
    wanted, got = Counter(lines), Counter(completed(row_of(item), lines) if may_lack else row_of(item) for item in items)
    problems += [f"lacks {count} x {line}" for line, count in (wanted - got).items()]
    problems += [f"has in excess {count} x {line}" for line, count in (got - wanted).items()]
    return problems + of_adjustments(order, items)


def of_adjustments(order, items):
    """Refunds, discounts and tax against the database; with lines and shipping, they are the order's total."""
    problems, all_of = [], {}
    for one in items[0]["orderAdjustments"] or []:
        all_of.setdefault(one["type"], []).append(one["amount"])
    refunds = sorted(-Decimal(amount) for amount in order["refunds"] or [])
    if sorted(all_of.pop("refund", [])) != refunds:
        problems.append(f"the shop has refunds of {refunds}, the export {items[0]['orderAdjustments']}")
    # The shop rounds the parts of each line, and shows their sums.
    coins = CENT * len(order["lines"])
    discount = sum(Decimal(line["total"]) - Decimal(line["subtotal"]) for line in order["lines"])
    tax = sum(Decimal(line["tax"]) for line in order["lines"])
    for kind, amount in (("discount", discount), ("tax", tax)):
        if abs(sum(all_of.get(kind, [])) - amount) > coins:
            problems.append(f"the shop has {kind} of {amount}, the export {all_of.get(kind)}")
    if unknown := all_of.keys() - {"discount", "shipping", "tax"}:
        problems.append(f"the export has {unknown}, which this shop never had")
    total = sum(item["lineTotal"] for item in items) + sum(sum(amounts) for amounts in all_of.values())
    if total != Decimal(order["total"]):
        problems.append(f"lines and adjustments are {total}, the total {order['total']}")
    return problems
