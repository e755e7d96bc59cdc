#!/usr/bin/env python3
"""The sums of `orders summary`, held against those that Python's decimal makes of the exported items.

Eight retailers in their currencies, every grouping, as JSON and as CSV.
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
        currencies = {row["Currency"] for row in rows}
        verdict.check("several currencies were summed", len(currencies) > 1, currencies)
    return verdict.end("summary")


if __name__ == "__main__":
    sys.exit(main())
