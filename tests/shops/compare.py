#!/usr/bin/env python3
"""Syncs from real shops that nobody here wrote, and compares with their own databases.

Starts three django-oscar shops over one database (English; with a TOTP step at the sign-in; German), a sandbox that
knows all three, connects the customers with the command as a script would, exports, and lets oscar/compare.py judge. A
second sync has to find nothing new, to change nothing, and to ask for little (two_syncs.py).

    compare.py [--work DIR] [--large]   DIR keeps the shop's installation; target/shops/oscar by default

--large: one customer with 500 orders instead.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "judges"))

from judge import Service, Verdict, command  # noqa: E402
from oscar_shop import PASSWORD, Shop, truth  # noqa: E402
from proxy import Door  # noqa: E402
import two_syncs  # noqa: E402

SHOPS = {101: {}, 102: {"MFA": "1"}, 103: {"OSCAR_LANG": "de"}}
# Which customer of which shop; pages hold 20 orders, hence the numbers.
CASES = [
    (101, "cust123@shop.test"), (102, "mfa@shop.test"), (103, "cust123@shop.test"),
    (101, "cust0@shop.test"), (101, "cust1@shop.test"), (101, "cust19@shop.test"), (101, "cust20@shop.test"),
    (101, "cust21@shop.test"), (101, "cust40@shop.test"), (103, "cust45@shop.test"),
]
LARGE = {101: {"SEED": "large"}}
LARGE_CASES = [(101, "cust500@shop.test")]
KINDS = {
    "sign-in": re.compile(r"/accounts/(?:login|mfa)"), "order": re.compile(r"/accounts/orders/([^/?]+)/"),
    "list": re.compile(r"/accounts/orders/"), "product": re.compile(r"/catalogue/"),
}
STILL_OPEN = ("pending", "processing", "shipped")


def case(retailer, email, database, door):
    orders, _ = truth().from_shop(database, email)

    def problems(slot, there):
        compared = subprocess.run(
            [sys.executable, HERE / "oscar/compare.py", database, email, slot / "first.csv"], capture_output=True, text=True)
        print(compared.stdout.strip(), flush=True)
        wrong = [] if compared.returncode == 0 else [compared.stdout, compared.stderr]
        return wrong + adjusted(database, email, retailer, there)

    return two_syncs.Case(
        shop=f"oscar {retailer}", retailer=retailer, email=email, password=PASSWORD, take_asked=door.take_asked, kinds=KINDS,
        still_open={number for number, facts in orders.items() if facts[3] in STILL_OPEN}, orders=set(orders), problems=problems,
        connect=("--mfa-command", f"{sys.executable} {HERE}/oscar/totp.py"))


def adjusted(database, email, retailer, there):
    """What differs in the adjustments of a customer's orders."""
    columns = "orderId,lineTotal,orderTotal,lineAdjustments,orderAdjustments"
    ran = command("orders", "export", "--retailer", retailer, "--format", "json", "--columns", columns, **there)
    if ran.returncode:
        return [f"export of adjustments: {ran.stderr}"]
    items = json.loads(ran.stdout, parse_float=Decimal, parse_int=Decimal)
    return truth().wrong_adjustments(truth().adjustments(database, email), items)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/shops/oscar")
    parser.add_argument("--large", action="store_true")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    settings, cases = (LARGE, LARGE_CASES) if arguments.large else (SHOPS, CASES)
    database = arguments.work / ("large.sqlite3" if arguments.large else "shop.sqlite3")
    verdict, shops, rows = Verdict(), {}, []
    try:
        for number, environment in settings.items():
            # One after the other: the first installs and fills what all share.
            shops[number] = Shop(arguments.work, environment)
            shops[number].ready()
        doors = {number: Door(shop.base) for number, shop in shops.items()}
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            retailers = folder / "retailers.toml"
            retailers.write_text("".join(
                f'[[retailer]]\nid = {number}\ndisplay_name = "Oscar Test Shop {number}"\nconnector = "oscar"\n'
                f'base_url = "{door.base}"\nallow_private_network = true\ntime_zone = "Europe/London"\n\n'
                for number, door in doors.items()))
            with Service(folder / "service", "--rate-limit", "off", "--retailers", str(retailers)) as service:
                for place, (retailer, email) in enumerate(cases):
                    one = case(retailer, email, database, doors[retailer])
                    rows.append(two_syncs.run(service, folder, verdict, one, f"+155501{place:02}"))
                    if verdict.wrong:
                        print(service.log.read_text(errors="replace")[-3000:], file=sys.stderr)
                        break
    finally:
        for shop in shops.values():
            shop.stop()
    two_syncs.table([row for row in rows if row])
    return verdict.end("shops")


if __name__ == "__main__":
    sys.exit(main())
