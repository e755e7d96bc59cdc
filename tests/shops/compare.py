#!/usr/bin/env python3
"""Syncs from real shops that nobody here wrote, and compares with their own databases.

Starts three django-oscar shops over one database (English; with a TOTP step at the sign-in; German), a sandbox that
knows all three, connects the customers with the command as a script would, exports, and lets oscar/compare.py judge. A
second sync has to find nothing new and to change nothing.

    compare.py [--work DIR]     DIR keeps the shop's installation; target/shops/oscar by default
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
from decimal import Decimal

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "judges"))

from judge import Service, Verdict, command, private_file  # noqa: E402
from oscar_shop import PASSWORD, Shop, truth  # noqa: E402

SHOPS = {101: {}, 102: {"MFA": "1"}, 103: {"OSCAR_LANG": "de"}}
# Which customer of which shop; pages hold 20 orders, hence the numbers.
CASES = [
    (101, "cust123@shop.test"), (102, "mfa@shop.test"), (103, "cust123@shop.test"),
    (101, "cust0@shop.test"), (101, "cust1@shop.test"), (101, "cust20@shop.test"), (101, "cust21@shop.test"),
    (103, "cust45@shop.test"),
]


def customer(service, folder, verdict, database, retailer, email, phone):
    """One customer: connect, export, compare, sync again."""
    what = f"{email} at {retailer}"
    slot = folder / phone.lstrip("+")
    slot.mkdir()
    there = {"home": slot, "base": service.base, "token": service.token(phone=phone)}
    catalog = {entry["retailerId"]: entry for entry in service.request("GET", "/sync/retailers").json}
    fields = {f["name"]: PASSWORD if f["secret"] else email for f in catalog[retailer]["credentialFields"]}
    credentials = private_file(slot / "credentials.json", json.dumps(fields))
    began = time.monotonic()
    ran = command("connect", "--retailer", retailer, "--credentials-file", credentials,
                  "--mfa-command", f"{sys.executable} {HERE}/oscar/totp.py", **there)
    seconds = time.monotonic() - began
    if not verdict.check(f"{what}: connect", ran.returncode == 0, ran.stderr):
        return
    exported = []
    for name in ("first", "second"):
        out = slot / f"{name}.csv"
        ran = command("orders", "export", "--retailer", retailer, "--out", out, **there)
        if not verdict.check(f"{what}: {name} export", ran.returncode == 0, ran.stderr):
            return
        exported.append(out.read_bytes())
        if name == "first":
            compared = subprocess.run(
                [sys.executable, HERE / "oscar/compare.py", database, email, out], capture_output=True, text=True)
            print(f"{compared.stdout.strip()}  ({seconds:.1f} s)", flush=True)
            verdict.check(f"{what}: equal", compared.returncode == 0, compared.stdout + compared.stderr)
            adjusted(database, email, retailer, there, verdict, what)
            ran = command("sync", "-o", "json", **there)
            again = f"{what}: second sync"
            if verdict.check(again, ran.returncode == 0, ran.stderr):
                part = service.request("GET", "/sync/sessions/latest", token=there["token"]).json["retailerSyncSessions"][0]
                verdict.check(f"{again} finds nothing new", part["itemsNew"] == 0, part)
                rows = service.request("GET", "/sync/orders?limit=1", token=there["token"]).headers["x-total-count"]
                verdict.check(f"{again} counts what is there", part["itemsFound"] == int(rows), (part, rows))
    verdict.check(f"{what}: nothing changed", exported[0] == exported[1], "the second export differs from the first")


def adjusted(database, email, retailer, there, verdict, what):
    """The adjustments of a customer's orders."""
    columns = "orderId,lineTotal,orderTotal,lineAdjustments,orderAdjustments"
    ran = command("orders", "export", "--retailer", retailer, "--format", "json", "--columns", columns, **there)
    if not verdict.check(f"{what}: export of adjustments", ran.returncode == 0, ran.stderr):
        return
    items = json.loads(ran.stdout, parse_float=Decimal, parse_int=Decimal)
    problems = truth().wrong_adjustments(truth().adjustments(database, email), items)
    verdict.check(f"{what}: equal adjustments", not problems, "\n".join(problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/shops/oscar")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    verdict, shops = Verdict(), {}
    try:
        for number, settings in SHOPS.items():
            # One after the other: the first installs and fills what all share.
            shops[number] = Shop(arguments.work, settings)
            shops[number].ready()
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            retailers = folder / "retailers.toml"
            retailers.write_text("".join(
                f'[[retailer]]\nid = {number}\ndisplay_name = "Oscar Test Shop {number}"\nconnector = "oscar"\n'
                f'base_url = "{shop.base}"\nallow_private_network = true\ntime_zone = "Europe/London"\n\n'
                for number, shop in shops.items()))
            with Service(folder / "service", "--rate-limit", "off", "--retailers", str(retailers)) as service:
                for place, (retailer, email) in enumerate(CASES):
                    customer(service, folder, verdict, arguments.work / "shop.sqlite3", retailer, email, f"+155501{place:02}")
                    if verdict.wrong:
                        print(service.log.read_text(errors="replace")[-3000:], file=sys.stderr)
                        break
    finally:
        for shop in shops.values():
            shop.stop()
    return verdict.end("shops")


if __name__ == "__main__":
    sys.exit(main())
