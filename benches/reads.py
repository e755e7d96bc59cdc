#!/usr/bin/env python3
"""What a request that reads costs: two builds beside each other, taking turns on stores of their own.

    python3 benches/reads.py BEFORE AFTER [--items 200000] [--seconds 3] [--runs 5]
    python3 benches/reads.py BEFORE AFTER --statements 200 --items 20000 --runs 1

BEFORE and AFTER are binaries. wrk asks over 16 connections; the figures are microseconds of the service's processor time per
request, as medians, with the ratio of each pair. The last rows are the floor: axum alone, and axum with rusqlite, on the same stores.
With --statements, so many requests are sent to each path with a store in PostgreSQL: the figures are its statements per request, BEGIN
and COMMIT among them.
"""

import contextlib
import subprocess
import tempfile

from nodes import File, Load, Server, compare, floor, spent

WITHOUT_TOKEN = "without a token: "
ASKED = (WITHOUT_TOKEN + "/healthz", "/healthz", "/sync/retailers", "/sync/profile", "/sync/orders/ITEM", "/sync/orders?limit=50",
         "/sync/orders?limit=1000", "/sync/sessions/latest")
OF_THE_FLOOR = ("/healthz", "/sync/orders?limit=50", "/sync/orders?limit=1000")


def filled(stack, _, given):
    """A node of a build whose user has so many items, the user's token, and what is measured beside it: the floor, or the store."""
    kind = Server if given.statements else File
    store = stack.enter_context(contextlib.closing(kind(stack.enter_context(tempfile.TemporaryDirectory()))))
    node = stack.enter_context(store.node())
    token = node.token()
    node.connect_account(token, 12, f"user_items_{given.items}")
    node.wait_until_synced(token)
    return node, token, store if given.statements else stack.enter_context(Floor(store.database))


class Floor:
    """The least service of the same store."""

    def __init__(self, database):
        self.process = subprocess.Popen([floor("floor"), database], stdout=subprocess.PIPE, text=True)
        self.base = f"http://{self.process.stdout.readline().strip()}"

    def spent(self):
        return spent(self.process.pid)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def turn(prepared, given):
    node, token, beside = prepared
    if given.statements:
        return {path: statements(node, token, beside, path, given.statements) for path in ASKED}
    return {**{path: cost(node, token, path, given.seconds) for path in ASKED},
            **{f"floor: {path}": cost(beside, None, path, given.seconds) for path in OF_THE_FLOOR}}


def statements(node, token, store, path, requests):
    """Statements of the database per request."""
    token = None if path.startswith(WITHOUT_TOKEN) else token
    path = whole(node, token, path)

    def calls():
        return int(store.sql("SELECT SUM(calls) FROM pg_stat_statements")[0][0])

    before = calls()
    for _ in range(requests):
        node.request("GET", path, token=token)
    return (calls() - before) / requests


def whole(node, token, path):
    """The path to ask for."""
    path = path.removeprefix(WITHOUT_TOKEN)
    return path.replace("ITEM", node.request("GET", "/sync/orders?limit=1&offset=9", token=token).json[0]["id"]) if "ITEM" in path else path


def cost(node, token, path, seconds):
    """Microseconds of processor time per request."""
    tokens = ["none"] if path.startswith(WITHOUT_TOKEN) or token is None else [token]
    path = whole(node, token, path)
    before = node.spent()
    load = Load([node.base], path, tokens, seconds, 16)
    return (node.spent() - before) / load.requests * 1e6


if __name__ == "__main__":
    compare(__doc__, filled, turn, items=200_000, seconds=3, statements=0)
