#!/usr/bin/env python3
"""The sums of `orders summary`, held against those that Python's decimal makes of the exported items.

Nine retailers in their currencies, every grouping, as JSON and as CSV; of one with adjustments, the net amounts.
"""

import csv
import io
import json
import sys
import tempfile
from collections import defaultdict
from decimal import Decimal, localcontext

from judge import Service, Verdict, command

UNDONE = {"unpaid", "cancelled", "returned", "refunded"}
COLUMNS = {"month": "Order Date", "retailer": "Retailer", "category": "Category", "brand": "Brand"}


def expected(rows, by):
    """group, currency -> items, quantity, amount, undone items, undone amount, items in no sum."""
    sums = defaultdict(lambda: [0, Decimal(0), Decimal(0), 0, Decimal(0), 0])
    for row in rows:
        group = row[COLUMNS[by]].strip()
        sum_ = sums[group[:7] if by == "month" else group, row["Currency"]]
        undone = row["Shipment Status"] in UNDONE
        known = row["Currency"] and (row["lineTotal"] or (row["Price"] and row["Quantity"]))
        computed = lambda: Decimal(row["Price"]) * Decimal(row["Quantity"])
        amount = (Decimal(row["lineTotal"]) if row["lineTotal"] else computed()) if known else Decimal(0)
        sum_[0] += 1
        sum_[3] += undone
        sum_[5] += not known
        if undone:
            sum_[4] += amount
        else:
            sum_[1] += Decimal(row["Quantity"] or 0)
            sum_[2] += amount
    return dict(sums)


def net_by_order(items):
    """order, currency -> what was paid in the end."""
    orders = defaultdict(list)
    for item in items:
        orders[item["orderId"], item["currency"]].append(item)
    paid = defaultdict(Decimal)
    for (_, currency), lines in orders.items():
        kept = undone = added = back = Decimal(0)
        for line in lines:
            own = [one for one in line["lineAdjustments"] if not one.get("included") and one["type"] != "payment"]
            returned = -sum(one["amount"] for one in own if one["type"] in ("refund", "return"))
            amount = line["lineTotal"] if line.get("lineTotal") is not None else line["price"] * line["quantity"]
            cost = amount + sum(one["amount"] for one in own if one["type"] not in ("refund", "return"))
            if line["shipmentStatus"] in UNDONE and not returned:
                undone += max(cost, 0)
                paid[currency] += min(cost, 0)
            else:
                kept += cost
                paid[currency] += cost - returned
        for one in lines[0]["orderAdjustments"]:
            if one.get("included") or one["type"] == "payment":
                continue
            if one["type"] in ("refund", "return"):
                back -= one["amount"]
            else:
                added += one["amount"]
        charged = undone
        if lines[0].get("orderTotal") is not None:
            charged = min(max(lines[0]["orderTotal"] - kept - added, 0), undone)
        if back or any(line["shipmentStatus"] not in UNDONE for line in lines):
            paid[currency] += added + (charged - back if back else 0)
    return dict(paid)


def told(rows):
    """The same of what the command says."""
    fields = ("items", "quantity", "amount", "undoneItems", "undoneAmount", "unsummedItems")
    return {(row["group"] or "", row["currency"] or ""): [Decimal(row[name] or 0) for name in fields] for row in rows}


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder, Service(folder, "--rate-limit", "off", "--speed", "50") as service:
        token = service.token()
        catalog = service.request("GET", "/sync/retailers", token=token).json
        simple = [entry["retailerId"] for entry in catalog if len(entry["credentialFields"]) == 2]
        for retailer in simple[:8]:
            answer = service.connect(token, retailer, "user_items_2000")
            assert answer.status in (200, 202), answer
            service.follow(token, answer.json["batchId"])

        def run(*arguments):
            ran = command(*arguments, home=folder, base=service.base, token=token)
            verdict.check(" ".join(arguments), ran.returncode == 0, ran.stderr)
            return ran.stdout

        columns = "Order Date,Retailer,Category,Brand,Quantity,Price,lineTotal,Currency,Shipment Status"
        rows = list(csv.DictReader(io.StringIO(run("orders", "export", "--columns", columns), newline="")))
        verdict.check("there is something to sum up", len(rows) > 10_000, len(rows))
        differ = [row for row in rows if row["lineTotal"]
                  and Decimal(row["lineTotal"]) != Decimal(row["Price"] or 0) * Decimal(row["Quantity"] or 0)]
        verdict.check("some line totals are not price times quantity", differ)
        with localcontext() as context:
            context.prec = 100
            for by in COLUMNS:
                wanted = expected(rows, by)
                as_json = json.loads(run("orders", "summary", "--by", by, "-o", "json"), parse_float=Decimal)
                as_csv = csv.DictReader(io.StringIO(run("orders", "summary", "--by", by, "-o", "csv"), newline=""))
                for form, seen in (("JSON", told(as_json)), ("CSV", told(as_csv))):
                    differ = {key: (wanted.get(key), seen.get(key)) for key in wanted.keys() | seen.keys()
                              if wanted.get(key) != seen.get(key)}
                    verdict.check(f"sums by {by} as {form}", not differ, differ)
            adjusted = str(simple[8])
            answer = service.connect(token, simple[8], "user_adjustments")
            service.follow(token, answer.json["batchId"])
            columns = "id,orderId,currency,quantity,price,lineTotal,shipmentStatus,orderTotal,lineAdjustments,orderAdjustments"
            items = json.loads(run("orders", "export", "--retailer", adjusted, "--columns", columns, "--format", "json"),
                               parse_float=Decimal, parse_int=Decimal)
            verdict.check("orders have refunds", any(one["type"] in ("refund", "return")
                                                     for item in items for one in item["orderAdjustments"]))
            for by in COLUMNS:
                groups = json.loads(run("orders", "summary", "--retailer", adjusted, "--net", "--by", by, "-o", "json"),
                                    parse_float=Decimal)
                paid = defaultdict(Decimal)
                for group in groups:
                    paid[group["currency"]] += Decimal(group["net"] or 0)
                verdict.check(f"net amounts by {by}", dict(paid) == net_by_order(items), (dict(paid), net_by_order(items)))
        currencies = {row["Currency"] for row in rows}
        verdict.check("several currencies were summed", len(currencies) > 1, currencies)
    return verdict.end("summary")


if __name__ == "__main__":
    sys.exit(main())
