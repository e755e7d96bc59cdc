#!/usr/bin/env python3
"""What a request that reads costs: two builds beside each other, taking turns on stores of their own.

    python3 benches/reads.py BEFORE AFTER [--items 200000] [--seconds 3] [--runs 5]

BEFORE and AFTER are binaries. wrk asks over 16 connections; the figures are microseconds of the service's processor time per
request, as medians, with the ratio of each pair.
"""

import argparse
import contextlib
import os
import statistics
import sys
import tempfile

from nodes import File, Load, table

WITHOUT_TOKEN = "without a token: "
ASKED = (WITHOUT_TOKEN + "/healthz", "/healthz", "/sync/retailers", "/sync/profile", "/sync/orders/ITEM", "/sync/orders?limit=50",
         "/sync/orders?limit=1000", "/sync/sessions/latest")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    print(f"`python3 benches/reads.py {' '.join(sys.argv[1:])}`: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before it\n", flush=True)
    with contextlib.ExitStack() as stack:
        builds = [filled(stack, os.path.abspath(build), given.items) for build in (given.before, given.after)]
        rows = []
        for path in ASKED:
            found = [[], []]
            for run in range(given.runs):
                # Each goes first as often as the other.
                for index in ((0, 1), (1, 0))[run % 2]:
                    found[index].append(cost(*builds[index], path, given.seconds))
            ratios = sorted(late / early for early, late in zip(*found))
            rows.append([path, *(f"{statistics.median(one):.0f}" for one in found), f"{statistics.median(ratios):.2f}",
                         f"{ratios[0]:.2f} to {ratios[-1]:.2f}"])
    table(["", "Before", "After", "Ratio", "Ratios"], rows)


def filled(stack, build, items):
    """A node of a build whose user has so many items, and the user's token."""
    os.environ["ORDERSYNC_BIN"] = build
    store = stack.enter_context(contextlib.closing(File(stack.enter_context(tempfile.TemporaryDirectory()))))
    node = stack.enter_context(store.node())
    token = node.token()
    node.connect_account(token, 12, f"user_items_{items}")
    node.wait_until_synced(token)
    return node, token


def cost(node, token, path, seconds):
    """Microseconds of processor time per request."""
    if "ITEM" in path:
        path = path.replace("ITEM", node.request("GET", "/sync/orders?limit=1&offset=9", token=token).json[0]["id"])
    tokens = ["none"] if path.startswith(WITHOUT_TOKEN) else [token]
    before = node.spent()
    load = Load([node.base], path.removeprefix(WITHOUT_TOKEN), tokens, seconds, 16)
    return (node.spent() - before) / load.requests * 1e6


if __name__ == "__main__":
    main()
