#!/usr/bin/env python3
"""Whether the store in a file got slower: two builds beside each other, taking turns on stores of their own.

    python3 benches/before_after.py BEFORE AFTER [--items 200000] [--runs 5]

BEFORE and AFTER are binaries. In each turn a build stores the items of one sync, syncs again without a change, sends pages of
1,000 items from the first and from the middle, and exports all as CSV. Prints medians, and the ratio of each pair.
"""

import argparse
import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time

from nodes import File, binary, clean_environment, table

PAGES = 50


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    print(f"`python3 benches/before_after.py {' '.join(sys.argv[1:])}`: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before it\n", flush=True)
    builds = [os.path.abspath(given.before), os.path.abspath(given.after)]
    found = [[], []]
    for run in range(given.runs + 1):
        # Each goes first as often as the other.
        for index in ((0, 1), (1, 0))[run % 2]:
            os.environ["ORDERSYNC_BIN"] = builds[index]
            measured = turn(given.items)
            if run:
                found[index].append(measured)
    rows = []
    for what in found[0][0]:
        before, after = ([measured[what] for measured in turns] for turns in found)
        ratios = sorted(late / early for early, late in zip(before, after))
        rows.append([what, f"{statistics.median(before):.2f}", f"{statistics.median(after):.2f}",
                     f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f} to {ratios[-1]:.2f}"])
    table(["", "Before", "After", "Ratio", "Ratios"], rows)


def turn(items):
    """What one build took, in seconds and in seconds of its service's processor time."""
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(File(folder)) as store, store.node() as node:
        token, measured = node.token(), {}

        def measure(what, action):
            started, spent = time.monotonic(), node.spent()
            action()
            measured[f"{what}, s"], measured[f"{what}, service's CPU s"] = time.monotonic() - started, node.spent() - spent

        def first():
            node.connect_account(token, 12, f"user_items_{items}")
            node.wait_until_synced(token, every=0.02)

        def again():
            answer = node.request("POST", "/sync/orders/sync", {}, token=token)
            if answer.status not in (200, 202):
                sys.exit(f"a sync was refused: {answer}")
            node.wait_until_synced(token, every=0.02)

        def pages(offset):
            for _ in range(PAGES):
                answer = node.request("GET", f"/sync/orders?limit=1000&offset={offset}", token=token)
                if answer.status != 200:
                    sys.exit(f"a page was refused: {answer}")

        def export():
            environment = {**clean_environment(), "ORDERSYNC_HOME": str(node.home), "ORDERSYNC_BASE_URL": node.base, "ORDERSYNC_TOKEN": token}
            subprocess.run([binary(), "orders", "export", "--out", f"{folder}/all.csv", "--quiet"], env=environment, check=True)

        measure("first sync", first)
        measure("sync without changes", again)
        measure(f"{PAGES} pages at 0", lambda: pages(0))
        measure(f"{PAGES} pages at {items // 2:,}", lambda: pages(items // 2))
        measure("export as CSV", export)
        return measured


if __name__ == "__main__":
    main()
