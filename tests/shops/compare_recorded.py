#!/usr/bin/env python3
"""Syncs every customer of a recorded WooCommerce shop, and compares with that shop's database, line by line.

replay.py is the shop. One customer has more orders than any that was recorded: the settled ones are copied. A second sync
has to find nothing new, to change nothing, and to ask for little (two_syncs.py). ORDERSYNC_RECORDINGS names the folder of
the recordings (recordings.py).

    compare_recorded.py
"""

import argparse
import json
import pathlib
import re
import sys
import tempfile
from decimal import Decimal

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "judges"))

from judge import Service, Verdict, command  # noqa: E402
from recordings import ACCOUNT, API, LIST, ORDER, PASSWORD, SETTLED, Recording, entry  # noqa: E402
from recorded_truth import COLUMNS, differences  # noqa: E402
from replay import COPIED, Replay  # noqa: E402
import two_syncs  # noqa: E402

RETAILER = 201
KINDS = {
    "list": re.compile(LIST), "order": re.compile(rf"{ORDER}(\d+)/$"), "store api": re.compile(rf"{API}(\d+)$"),
    "clock": re.compile(r"/wp-json/(?:\?.*)?$"), "sign-in": re.compile(ACCOUNT),
}


def case(recording, replay, who):
    orders = recording.of(who)

    def problems(_, there):
        ran = command("orders", "export", "--retailer", RETAILER, "--format", "json", "--columns", COLUMNS, **there)
        if ran.returncode:
            return [f"export: {ran.stderr}"]
        wrong = differences(orders, json.loads(ran.stdout, parse_float=Decimal, parse_int=Decimal))
        lines = [line for order in orders for line in order["lines"]]
        print(f"{'DIFFERENT' if wrong else 'equal'}: {who}: orders {len(orders)}, lines {len(lines)}, "
              f"order totals {sum(Decimal(order['total']) for order in orders)}", flush=True)
        return wrong

    return two_syncs.Case(
        shop="woocommerce", retailer=RETAILER, email=who, password=PASSWORD, take_asked=lambda: replay.take_asked(who, None),
        kinds=KINDS, still_open={str(order["order_id"]) for order in orders if order["status"] not in SETTLED},
        orders={str(order["order_id"]) for order in orders}, problems=problems)


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    recording, verdict, rows = Recording(), Verdict(), []
    recording.copied(*COPIED)
    replay = Replay(recording).start()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        retailers = folder / "retailers.toml"
        retailers.write_text(entry(RETAILER, "Recorded Shop", replay.base))
        with Service(folder / "service", "--rate-limit", "off", "--retailers", str(retailers)) as service:
            for place, who in enumerate(recording.customers()):
                rows.append(two_syncs.run(service, folder, verdict, case(recording, replay, who), f"+155501{place:02}"))
            if verdict.wrong:
                print(service.log.read_text(errors="replace")[-3000:], file=sys.stderr)
    two_syncs.table([row for row in rows if row])
    return verdict.end("recorded shops")


if __name__ == "__main__":
    sys.exit(main())
