#!/usr/bin/env python3
"""Whether the store in a file got slower: two builds beside each other, taking turns on stores of their own.

    python3 benches/before_after.py BEFORE AFTER [--items 200000] [--runs 5]

BEFORE and AFTER are binaries. In each turn a build stores the items of one sync, syncs again without a change, sends pages of
1,000 items from the first and from the middle, and exports all as CSV. Prints medians, and the ratio of each pair. The rows of the floor
are plain inserts of what the first sync stored.
"""

import contextlib
import subprocess
import sys
import tempfile
import time

from nodes import File, binary, clean_environment, compare, floor

PAGES = 50


def turn(_, given):
    """What one build took, in seconds and in seconds of its service's processor time."""
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(File(folder)) as store, store.node() as node:
        token, measured = node.token(), {}

        def measure(what, action):
            started, spent = time.monotonic(), node.spent()
            action()
            measured[f"{what}, s"], measured[f"{what}, service's CPU s"] = time.monotonic() - started, node.spent() - spent

        def first():
            node.connect_account(token, 12, f"user_items_{given.items}")
            node.wait_until_synced(token, every=0.02)

        def again():
            node.sync(token)
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
        inserted = subprocess.run([floor("insert"), store.database, f"{folder}/floor"], check=True, capture_output=True, text=True)
        measured["floor: inserts, s"], measured["floor: inserts, CPU s"] = map(float, inserted.stdout.split())
        measure("sync without changes", again)
        measure(f"{PAGES} pages at 0", lambda: pages(0))
        measure(f"{PAGES} pages at {given.items // 2:,}", lambda: pages(given.items // 2))
        measure("export as CSV", export)
        return measured


if __name__ == "__main__":
    compare(__doc__, lambda *_: None, turn, items=200_000)
