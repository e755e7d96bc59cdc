#!/usr/bin/env python3
"""What a request that reads costs: two builds beside each other, taking turns on stores of their own.

    python3 benches/reads.py BEFORE AFTER [--items 200000] [--seconds 3] [--runs 5]

BEFORE and AFTER are binaries. wrk asks over 16 connections; the figures are microseconds of the service's processor time per
request, as medians, with the ratio of each pair. The last rows are the floor: axum alone, and axum with rusqlite, on the same stores.
"""

import contextlib
import subprocess
import tempfile

from nodes import ROOT, File, Load, compare, spent

WITHOUT_TOKEN = "without a token: "
ASKED = (WITHOUT_TOKEN + "/healthz", "/healthz", "/sync/retailers", "/sync/profile", "/sync/orders/ITEM", "/sync/orders?limit=50",
         "/sync/orders?limit=1000", "/sync/sessions/latest")
OF_THE_FLOOR = ("/healthz", "/sync/orders?limit=50", "/sync/orders?limit=1000")


def filled(stack, _, given):
    """A node of a build whose user has so many items, and the user's token."""
    store = stack.enter_context(contextlib.closing(File(stack.enter_context(tempfile.TemporaryDirectory()))))
    node = stack.enter_context(store.node())
    token = node.token()
    node.connect_account(token, 12, f"user_items_{given.items}")
    node.wait_until_synced(token)
    floor = stack.enter_context(Floor(store.database))
    return node, token, floor


class Floor:
    """The least service of the same store."""

    def __init__(self, database):
        folder = ROOT / "target/floor"
        subprocess.run(["cargo", "build", "--release", "--quiet", "--manifest-path", ROOT / "benches/floor/Cargo.toml", "--target-dir", folder],
                       check=True)
        self.process = subprocess.Popen([folder / "release/floor", database], stdout=subprocess.PIPE, text=True)
        self.base = f"http://{self.process.stdout.readline().strip()}"

    def spent(self):
        return spent(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def turn(prepared, given):
    node, token, floor = prepared
    return {**{path: cost(node, token, path, given.seconds) for path in ASKED},
            **{f"floor: {path}": cost(floor, None, path, given.seconds) for path in OF_THE_FLOOR}}


def cost(node, token, path, seconds):
    """Microseconds of processor time per request."""
    if "ITEM" in path:
        path = path.replace("ITEM", node.request("GET", "/sync/orders?limit=1&offset=9", token=token).json[0]["id"])
    tokens = ["none"] if path.startswith(WITHOUT_TOKEN) or token is None else [token]
    before = node.spent()
    load = Load([node.base], path.removeprefix(WITHOUT_TOKEN), tokens, seconds, 16)
    return (node.spent() - before) / load.requests * 1e6


if __name__ == "__main__":
    compare(__doc__, filled, turn, items=200_000, seconds=3)
