#!/usr/bin/env python3
"""Makes exports as Amazon hands them out, in all of its layouts and with their quirks; and says what an import has to store.

An order follows from the seed and its number alone: `order(seed, number)`. `write(folder, seed, count)` makes the files of a first
request, `write(…, later=True)` those of a year later: refunds have appeared, titles are worded anew, orders and rows are
missing. `expected` has the orders as they are stored after either.
"""

import csv
import datetime
import json
import pathlib
import random
import re
import sys
import zipfile
from decimal import Decimal

SITES = [("Amazon.com", "USD"), ("Amazon.de", "EUR"), ("Amazon.co.uk", "GBP"), ("Amazon.co.jp", "JPY"), ("Amazon.ca", "CAD"),
         ("Amazon.ca", "USD"), ("Amazon.it", "EUR"), ("Amazon.com.mx", "MXN"), ("Amazon.se", "SEK"), ("Amazon.pl", "PLN")]
WORDS = {
    "Amazon.de": ["Schüssel", "Wanduhr", "Gießkanne", "Bücherregal 3er-Set", "Kabel, 2 m"],
    "Amazon.co.jp": ["電気ケトル", "本棚", "コーヒー豆 500g", "毛布"],
    "Amazon.it": ["Moka 3 tazze", "Lampada \"Luna\"", "Tappeto, 120×170"],
    "Amazon.pl": ["Żarówka LED", "Śrubokręt", "Łyżka"],
    "Amazon.com.mx": ["Cafetera", "Cobija niño", "Lámpara"],
}
PLAIN = ["USB-C cable, 6 ft", "Chair \"Oslo\"", "=HYPERLINK(\"x\"), 2-pack", "+1 Adapter", "Coffee\nbeans", "Dog food; 12 lb",
         "Notebook\r\nA5", "The Long Title " * 12, "@home mug", "T-shirt – black/white", "Batteries AA (48)"]
#: What is in which layout, by the number of the order.
LAYOUTS = ["current", "current", "current", "retail", "both", "json", "digital", "digital", "items-us", "items-it", "portability",
           "both-portability"]
MISSING = ["Not Available", "Not Applicable"]
START = datetime.datetime(2023, 1, 1, tzinfo=datetime.timezone.utc)


def iso(at, milliseconds=False):
    return at.strftime("%Y-%m-%dT%H:%M:%S") + (f".{at.microsecond // 1000:03}Z" if milliseconds or at.microsecond else "Z")


def order(seed, number):
    """An order, from its seed and its number."""
    dice = random.Random(f"{seed}/{number}")
    layout = LAYOUTS[number % len(LAYOUTS)]
    site, currency = dice.choice(SITES)
    if layout == "items-us":
        site, currency = "Amazon.com", "USD"
    elif layout == "items-it":
        site, currency = "Amazon.it", "EUR"
    elif "portability" in layout:
        site, currency = "Amazon.de", "EUR"
    unit = Decimal(1) if currency == "JPY" else Decimal("0.01")
    money = lambda most: dice.randrange(1, most) * unit
    prefix = "D01" if layout == "digital" else dice.choice(["111", "112", "302", "404"])
    # Orders of one second, and of one day, are not rare.
    at = START + datetime.timedelta(seconds=dice.randrange(0, 3 * 365 * 86_400) // 7 * 7)
    made = {"number": number, "id": f"{prefix}-{number:07}-{dice.randrange(10**7):07}", "layout": layout, "site": site, "currency": currency,
            "at": at, "lines": [], "refunds": [], "is_absent_later": dice.random() < 0.1, "absent_line_later": None}
    shipments = [at + datetime.timedelta(hours=9 + 30 * place) for place in range(dice.choice([1, 1, 1, 2, 3]))]
    is_replacement, is_cancelled = dice.random() < 0.03, dice.random() < 0.04
    for place in range(dice.choice([1, 1, 1, 2, 2, 3, 5])):
        line = {
            "title": dice.choice(WORDS.get(site, []) + PLAIN), "sku": f"B{number % 10**6:06}{place:03}", "id": f"{number}{place:02}",
            "quantity": dice.choice([1, 1, 1, 2, 3, 12]), "price": money(200_000 if dice.random() < 0.1 else 4_000),
            "tax": money(300) if dice.random() < 0.5 else Decimal(0), "shipping": money(900) if dice.random() < 0.2 else Decimal(0),
            "discount": money(100) if dice.random() < 0.2 else Decimal(0), "ship": dice.choice(shipments), "parcels": [],
            "status": dice.choice(["Shipped", "Shipped", "Closed"]), "charged": None,
        }
        if layout == "digital":
            line.update(quantity=1, price=Decimal(0) if dice.random() < 0.2 else line["price"], shipping=Decimal(0), ship=None, status="SUCCESS")
            if line["price"] == 0:
                line.update(tax=Decimal(0), discount=Decimal(0))
        elif is_replacement:
            line.update(price=Decimal(0), tax=Decimal(0), shipping=Decimal(0), discount=Decimal(0))
        elif is_cancelled:
            line.update(quantity=0, tax=Decimal(0), shipping=Decimal(0), discount=Decimal(0), status="Cancelled", ship=None)
        elif "items" not in layout and layout != "portability" and dice.random() < 0.02:
            # Money without pieces.
            line.update(quantity=0, charged=money(5_000), tax=Decimal(0), shipping=Decimal(0), discount=Decimal(0), ship=None)
        if line["ship"] and dice.random() < 0.3:
            line["parcels"] = [("UPS", f"1Z{number}{place}{parcel}") for parcel in range(dice.choice([1, 1, 2]))]
        made["lines"].append(line)
        if line["ship"] and dice.random() < 0.05 and layout != "portability":
            # Equal in every cell.
            made["lines"].append(dict(line))
    if len(made["lines"]) > 1 and dice.random() < 0.1 and len({line["sku"] for line in made["lines"]}) == len(made["lines"]):
        made["absent_line_later"] = len(made["lines"]) - 1
    for _ in range(dice.choice([0, 0, 0, 0, 1, 1, 2])):
        paid = at + datetime.timedelta(days=dice.randrange(2, 60), milliseconds=dice.randrange(1, 1000))
        made["refunds"].append({"amount": money(2_000), "at": paid, "rows": dice.choice([1, 1, 2, 3]), "line": 0,
                                "status": dice.choice(["Final", "Final", "Final", "Completed", "Reversed"]),
                                "is_later": dice.random() < 0.4})
    if layout == "digital" or "items" in layout or "portability" in layout:
        made["refunds"] = made["refunds"][:1]
        for refund in made["refunds"]:
            refund["status"] = "Final"
    return made


def title(line, later):
    return f"{line['title']} (new edition)" if later else line["title"]


def parts(line):
    """What a row adds beside the price of its goods: tax, shipping, discount."""
    return line["tax"] * max(line["quantity"], 1) + line["shipping"] - line["discount"]


def row_total(line):
    return line["charged"] if line["charged"] is not None else line["price"] * line["quantity"] + parts(line)


def is_one_shipment(made, ship):
    """Whether all rows of a shipment have the same ship date: the one with two parcels has it twice."""
    return ship is not None and len({len(line["parcels"]) > 1 for line in made["lines"] if line["ship"] == ship}) == 1


def is_in(made, file, later):
    """Whether an order is in a file of this name."""
    if later:
        return not made["is_absent_later"] and file == "current" and made["layout"] in ("current", "retail", "both", "json")
    return file == made["layout"] or (made["layout"] == "both" and file in ("current", "retail")) or (
        made["layout"] == "both-portability" and file in ("current", "portability"))


class Writer:
    """A CSV file with a style of its own."""

    def __init__(self, folder, name, columns, dice, shuffled=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        self.columns = columns + (["Unknown Column"] if dice.random() < 0.3 else [])
        if shuffled:
            dice.shuffle(self.columns)
        self.file = open(path, "w", newline="", encoding="utf-8-sig" if dice.random() < 0.5 else "utf-8")
        self.csv = csv.writer(self.file, quoting=dice.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]), lineterminator=dice.choice(["\n", "\r\n"]))
        self.csv.writerow(self.columns)
        self.dice = dice

    def row(self, **values):
        values = {name.replace("_", " "): value for name, value in values.items()}
        self.csv.writerow([values.get(name, self.dice.choice(MISSING)) for name in self.columns])

    def amount(self, amount):
        """As the exports write numbers: plain, in apostrophes, with commas."""
        text = f"{amount:,}" if self.dice.random() < 0.5 else str(amount)
        return f"'{text}'" if amount < 0 or self.dice.random() < 0.3 else text


CURRENT = ["ASIN", "Billing Address", "Carrier Name & Tracking Number", "Currency", "Gift Message", "Gift Recipient Contact", "Gift Sender Name",
           "Item Serial Number", "Order Date", "Order ID", "Order Status", "Original Quantity", "Payment Method Type", "Product Condition",
           "Product Name", "Purchase Order Number", "Ship Date", "Shipment Item Subtotal", "Shipment Item Subtotal Tax", "Shipment Status",
           "Shipping Address", "Shipping Charge", "Shipping Option", "Total Amount", "Total Discounts", "Unit Price", "Unit Price Tax", "Website"]
RETAIL = ["Website", "Order ID", "Order Date", "Purchase Order Number", "Currency", "Unit Price", "Unit Price Tax", "Shipping Charge", "Total Discounts",
          "Total Owed", "Shipment Item Subtotal", "Shipment Item Subtotal Tax", "ASIN", "Product Condition", "Quantity", "Payment Instrument Type",
          "Order Status", "Shipment Status", "Ship Date", "Shipping Option", "Shipping Address", "Billing Address", "Carrier Name & Tracking Number",
          "Product Name", "Gift Message", "Gift Sender Name", "Gift Recipient Contact Details"]
ITEMS = ["Order Date", "Order ID", "Title", "Category", "ASIN/ISBN", "UNSPSC Code", "Website", "Release Date", "Condition", "Seller",
         "Seller Credentials", "List Price Per Unit", "Purchase Price Per Unit", "Quantity", "Payment Instrument Type", "Purchase Order Number",
         "Shipment Date", "Order Status", "Carrier Name & Tracking Number", "Item Subtotal", "Item Subtotal Tax", "Item Total", "Currency"]
DIGITAL = ["ASIN", "Base Currency Code", "Component Type", "Digital Order Item ID", "Marketplace", "Offer Type Code", "Order Date", "Order ID",
           "Order Status", "Product Name", "Quantity Ordered", "Transaction Amount"]
RETURNS = ["Amount Refunded", "ASIN", "Base Currency", "Digital Order Item ID", "Monetary Component Type", "Order ID", "Return Date",
           "Return Status", "Transaction Amount"]
REFUNDS = ["Creation Date", "Currency", "Order ID", "Quantity", "Refund Amount", "Refund Date", "Reversal Status"]


def rows(made, write, quantity, total, later):
    """The rows of an order in the layouts that have a row for each item of a shipment."""
    subtotals = {}
    for line in made["lines"]:
        subtotals[line["ship"]] = subtotals.get(line["ship"], 0) + (line["price"] * line["quantity"])
    for place, line in enumerate(made["lines"]):
        if later and place == made["absent_line_later"]:
            continue
        parcels = " and ".join(f"{carrier}({tracking})" for carrier, tracking in line["parcels"])
        times = " and ".join([iso(line["ship"])] * max(len(line["parcels"]), 1)) if line["ship"] else "Not Available"
        status = " and ".join(["Shipped"] * max(len(line["parcels"]), 1)) if line["ship"] and line["status"] == "Shipped" else "Not Available"
        values = {
            "ASIN": line["sku"], "Carrier Name & Tracking Number": parcels or "Not Available", "Currency": made["currency"],
            "Order Date": iso(made["at"]), "Order ID": made["id"], "Order Status": "Cancelled" if line["status"] == "Cancelled" else "Closed",
            "Product Name": title(line, later), "Ship Date": times, "Shipment Status": status, "Shipping Charge": write.amount(line["shipping"]),
            "Shipment Item Subtotal": write.amount(subtotals[line["ship"]]) if is_one_shipment(made, line["ship"]) else "Not Available",
            "Total Discounts": write.amount(-line["discount"]), "Unit Price": write.amount(line["price"]), "Unit Price Tax": write.amount(line["tax"]),
            "Website": made["site"], "Gift Message": "For you\nwith \"love\"", quantity: str(line["quantity"]), total: write.amount(row_total(line)),
        }
        write.row(**values)


class Json:
    """The JSON in place of the CSV."""

    def __init__(self):
        self.rows, self.dice = [], random.Random(0)

    def row(self, **values):
        self.rows.append({name: values.get(name, "Not Available") for name in RETAIL})

    def amount(self, amount):
        return str(amount)


def digital(made, write, returns, later):
    for line in made["lines"]:
        components = [("Price Amount", "Not Applicable", line["price"]), ("Tax", "Not Applicable", line["tax"]),
                      ("Price Amount", "Promotion", -line["discount"])]
        for component, offer, amount in components:
            if amount or (component, offer) == ("Price Amount", "Not Applicable"):
                write.row(**{"ASIN": line["sku"], "Base Currency Code": made["currency"], "Component Type": component,
                             "Digital Order Item ID": line["id"], "Marketplace": f"www.{made['site'].lower()}", "Offer Type Code": offer,
                             "Order Date": iso(made["at"]), "Order ID": made["id"], "Order Status": "SUCCESS", "Product Name": title(line, later),
                             "Quantity Ordered": "1", "Transaction Amount": write.amount(amount)})
    for refund in made["refunds"]:
        # Price and tax are paid back in rows of their own.
        tax = (refund["amount"] / 4).quantize(refund["amount"])
        for component, amount in (("Price Amount", refund["amount"] - tax), ("Tax", tax)):
            if amount:
                returns.row(**{"Amount Refunded": returns.amount(amount), "ASIN": made["lines"][0]["sku"], "Base Currency": made["currency"],
                               "Digital Order Item ID": made["lines"][0]["id"], "Monetary Component Type": component, "Order ID": made["id"],
                               "Return Date": iso(refund["at"]), "Return Status": "SUCCESS"})


def items(made, write):
    us = made["layout"] == "items-us"
    day = f"{made['at'].month}/{made['at'].day}/{made['at']:%y}" if us else f"{made['at']:%d/%m/%Y}"
    shown = lambda amount: f"${amount:,.2f}" if us else f"{amount:,.2f} €".translate({44: ".", 46: ","})
    for line in made["lines"]:
        total, tax = line["price"] * line["quantity"], line["tax"] * max(line["quantity"], 1)
        write.row(**{"Order Date": day, "Order ID": made["id"], "Title": line["title"], "Category": "HOME", "ASIN/ISBN": line["sku"],
                     "Website": made["site"], "Seller": "Example Seller", "Purchase Price Per Unit": shown(line["price"]),
                     "Quantity": str(line["quantity"]), "Order Status": "Shipped" if line["ship"] else "Cancelled",
                     "Carrier Name & Tracking Number": "", "Item Subtotal": shown(total), "Item Subtotal Tax": shown(tax),
                     "Item Total": shown(total + tax), "Currency": made["currency"]})


def refunds(made, write, later):
    for refund in made["refunds"]:
        if refund["is_later"] and not later:
            continue
        for _ in range(refund["rows"]):
            write.row(**{"Creation Date": iso(made["at"], True), "Currency": made["currency"], "Order ID": made["id"], "Quantity": "0",
                         "Refund Amount": write.amount(refund["amount"]), "Refund Date": iso(refund["at"], True),
                         "Reversal Status": refund["status"]})


def write(folder, seed, count, later=False, packed=False):
    """Makes the files. Returns how many rows they have."""
    folder, dice = pathlib.Path(folder), random.Random(f"{seed}/files/{later}")
    top = dice.choice(["Your Orders/", ""])
    orders, returned = f"{top}Your Amazon Orders", f"{top}Your Returns & Refunds"
    current = Writer(folder, f"{orders}/Order History.csv", CURRENT[:], dice)
    back = Writer(folder, f"{returned}/Refund Details.csv", REFUNDS[:], dice)
    files = [current, back]
    if not later:
        retail = Writer(folder, "Retail.OrderHistory.1/Retail.OrderHistory.1.csv", RETAIL[:], dice)
        bought = Writer(folder, f"{orders}/Digital Content Orders.csv", DIGITAL[:], dice)
        sent_back = Writer(folder, f"{orders}/Digital Returns.csv", RETURNS[:], dice)
        us, it = (Writer(folder, name, ITEMS[:], dice) for name in ("01-Jan-2023_to_31-Dec-2025.csv", "articoli.csv"))
        files += [retail, bought, sent_back, us, it]
    as_json, physical, physical_returns = Json(), [], []
    for number in range(count):
        made = order(seed, number)
        if is_in(made, "current", later):
            rows(made, current, "Original Quantity", "Total Amount", later)
            refunds(made, back, later)
        if not later:
            if is_in(made, "retail", later):
                rows(made, retail, "Quantity", "Total Owed", later)
            if is_in(made, "json", later):
                rows(made, as_json, "Quantity", "Total Owed", later)
            if made["layout"] in ("retail", "json"):
                refunds(made, back, later)
            if made["layout"] == "digital":
                digital(made, bought, sent_back, later)
            if "items" in made["layout"]:
                items(made, us if made["layout"] == "items-us" else it)
            if is_in(made, "portability", later):
                total = sum(row_total(line) for line in made["lines"])
                physical += [{"marketplace": "DE", "orderDate": iso(made["at"]), "productName": line["title"], "website": made["site"],
                              "orderId": made["id"], "currencyCode": "EUR", "quantity": line["quantity"], "asin": line["sku"],
                              "totalOwed": float(total)} for line in made["lines"]]
            if made["layout"] == "portability":
                physical_returns += [{"marketplace": "DE", "eventDate": iso(refund["at"], True), "orderId": made["id"],
                                      "amountRefunded": str(refund["amount"])} for refund in made["refunds"]]
    back.row(**{"Creation Date": "2024-01-01T00:00:00.000Z", "Currency": "USD", "Order ID": "999-0000000-0000000", "Quantity": "0",
                "Refund Amount": "5.00", "Refund Date": "2024-01-02T00:00:00.000Z", "Reversal Status": "Final"})
    for file in files:
        file.file.close()
    if not later:
        for name, content in (("Retail.OrderHistory.2/Retail.OrderHistory.2.json", as_json.rows), ("physical-orders.json", physical),
                              ("physical-order-returns.json", physical_returns)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(json.dumps(content), encoding="utf-8")
        (folder / f"{top}guide.txt").write_text("What these files are.", encoding="utf-8")
    if packed:
        with zipfile.ZipFile(folder.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(folder))


def plain(value):
    """A number by its value, whatever zeros it ends with."""
    return value if value is None else f"{Decimal(value).normalize():f}"


def order_as(first, lines, of_order, total, marks):
    """An order, such that two of them can be compared."""
    adjustments = lambda all: sorted((kind, plain(amount), date or "") for kind, amount, date in all)
    lines = [{**{name: line[name] for name in ("itemName", "retailerSku")}, **{name: plain(line[name]) for name in ("quantity", "price", "lineTotal")},
              "lineAdjustments": adjustments(line["lineAdjustments"])} for line in lines]
    return {**first, "orderTotal": plain(total), "mismatch": sorted(marks), "orderAdjustments": adjustments(of_order), "lines": sorted(lines, key=str)}


def expected(made, later=False):
    """The order as it is stored: after the first import, or also after that of a year later."""
    again = later and is_in(made, "current", True)
    is_whole = "items" not in made["layout"] and made["layout"] != "portability"
    lines, present = [], []
    for place, line in enumerate(made["lines"]):
        is_gone = again and place == made["absent_line_later"]
        present += [] if is_gone else [line]
        adjustments = [] if made["layout"] == "portability" else [("tax", line["tax"] * max(line["quantity"], 1))]
        if is_whole:
            adjustments.append(("discount", -line["discount"]))
        if is_whole and made["layout"] != "digital":
            adjustments.append(("shipping", line["shipping"]))
        refunded = made["refunds"] if made["layout"] == "digital" and place == 0 else []
        adjustments = [(kind, amount, None) for kind, amount in adjustments if amount] + [
            ("refund", -refund["amount"], iso(refund["at"])) for refund in refunded]
        total = line["charged"] if line["charged"] is not None else line["price"] * line["quantity"]
        has_price = made["layout"] != "portability"
        lines.append({"itemName": " ".join(title(line, again and not is_gone).split()), "retailerSku": line["sku"], "quantity": line["quantity"],
                      "price": line["price"] if has_price else None, "lineTotal": total if has_price else None,
                      "lineAdjustments": adjustments})
    refunded = made["refunds"] if is_whole and made["layout"] != "digital" or made["layout"] == "portability" else []
    refunded = [refund for refund in refunded if refund["status"] != "Reversed" and (not refund["is_later"] or again or made["layout"] == "portability")]
    day_alone = "items" in made["layout"]
    marks = set()
    if len(present) < len(lines):
        marks.add("file_lines")
        gone = made["lines"][made["absent_line_later"]]
        is_missed = is_one_shipment(made, gone["ship"]) and any(line["ship"] == gone["ship"] for line in present)
        if is_missed and gone["price"] * gone["quantity"]:
            marks.add("shipment_subtotal")
    at = made["at"].replace(hour=12, minute=0, second=0) if day_alone else made["at"]
    first = {"retailerName": made["site"].lower(), "orderDate": iso(at), "orderDatePrecision": "day" if day_alone else None, "currency": made["currency"]}
    of_order = [("refund", -refund["amount"], iso(refund["at"])) for refund in refunded]
    return order_as(first, lines, of_order, None if day_alone else sum(row_total(line) for line in present), marks)


#: What `stored` needs of an item.
COLUMNS = ("orderId,retailerName,orderDate,orderDatePrecision,itemName,retailerSku,quantity,price,lineTotal,currency,orderTotal,mismatch,"
           "lineAdjustments,orderAdjustments")


def stored(items):
    """The lines of one order, as the command exports them, in the form of `expected`."""
    listed = lambda all: [(one["type"], one["amount"], one.get("date")) for one in all]
    lines = [{**item, "lineAdjustments": listed(item["lineAdjustments"])} for item in items]
    first = {name: items[0].get(name) for name in ("retailerName", "orderDate", "orderDatePrecision", "currency")}
    marks = {one["check"] for one in items[0].get("mismatch") or []}
    return order_as(first, lines, listed(items[0]["orderAdjustments"]), items[0]["orderTotal"], marks)


def number_of(order_id):
    """The number of a generated order."""
    return int(re.fullmatch(r"[^-]+-(\d+)-\d+", order_id)[1])


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], int(sys.argv[3]), later="--later" in sys.argv)
