#!/usr/bin/env python3
"""What small syncs cost, one after another and a thousand at once: two builds beside each other, on stores of their own.

    python3 benches/syncs.py BEFORE AFTER [--syncs 40] [--users 99] [--runs 5]
    python3 benches/syncs.py BEFORE AFTER --postgres 1 --runs 1

BEFORE and AFTER are binaries. In each turn a user's 200 items are synced again and again without a change: processor time and commits
(those in the write-ahead log) of one such sync. Then so many users have ten accounts of 200 items each synced for the first time,
all at once, while another user's request writes, again and again. Prints medians, and the ratio of each pair. With --postgres, what
the database of a node does: statements (BEGIN and COMMIT among them) and transactions of a sync without changes, and without any work.
"""

import contextlib
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

from nodes import File, Server, binary, clean_environment, compare

RETAILERS = range(1, 11)


def turn(_, given):
    if given.postgres:
        return in_postgresql(given.syncs)
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(File(folder)) as store, store.node() as node:
        return {**again_and_again(store, node, given.syncs), **at_once(store, node, given.users)}


def again_and_again(store, node, syncs):
    token, commits = node.token(), []
    node.connect_account(token, 12, "user_items_200")
    node.wait_until_synced(token, every=0.02)
    spent = node.spent()
    for _ in range(syncs):
        before = committed(store)
        node.sync(token)
        time.sleep(0.03)
        node.wait_until_synced(token, every=0.01)
        after = committed(store)
        # Unless the log was begun anew meanwhile.
        if before[0] == after[0]:
            commits.append(after[1] - before[1])
    return {"sync without changes, CPU ms": (node.spent() - spent) / syncs * 1000, "and its commits": statistics.median(commits)}


def in_postgresql(syncs):
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Server(folder)) as store, store.node() as node:
        token = node.token()
        node.connect_account(token, 12, "user_items_200")
        node.wait_until_synced(token)

        def counted():
            [[statements, transactions]] = store.sql("""SELECT (SELECT SUM(calls) FROM pg_stat_statements),
                (SELECT SUM(calls) FROM pg_stat_statements WHERE query ILIKE 'COMMIT%')""")
            return int(statements), int(transactions)

        def per(count, work):
            before = counted()
            work()
            return [(late - early) / count for early, late in zip(before, counted())]

        def sync_again():
            for _ in range(syncs):
                node.sync(token)
                time.sleep(1)
                node.wait_until_synced(token)

        idle = per(20, lambda: time.sleep(20))
        synced = per(syncs, sync_again)
        # Each waits for a second, in which the node does what it does without work.
        return {"sync without changes: statements": synced[0] - idle[0], "and its transactions": synced[1] - idle[1],
                "statements per second without work": idle[0]}


def committed(store):
    """The write-ahead log that is being written, and its commits so far: https://www.sqlite.org/fileformat2.html#walformat"""
    with open(f"{store.database}-wal", "rb") as file:
        log = file.read()
    size, salts = struct.unpack(">I", log[8:12])[0], log[16:24]
    commits = 0
    for frame in range(32, len(log) - size - 23, size + 24):
        if log[frame + 8:frame + 16] != salts:
            break
        commits += log[frame + 4:frame + 8] != bytes(4)
    return salts, commits


def at_once(store, node, users):
    operate(store, node, "pause")
    for user in range(users):
        token = node.token(f"+15550{100 + user}")
        for retailer in RETAILERS:
            answer = node.connect(token, retailer, "user_items_200")
            if answer.status != 202:
                sys.exit(f"an account was not connected: {answer}")
    writer, waits, is_over = node.token("+15550199"), [], threading.Event()

    def write():
        while not is_over.is_set():
            began = time.monotonic()
            answer = node.request("POST", "/sync/orders/sync", {}, token=writer)
            if answer.status != 200:
                sys.exit(f"a write was refused: {answer}")
            waits.append(time.monotonic() - began)

    before, began, spent, halfway = ended(node), time.monotonic(), node.spent(), None
    operate(store, node, "resume")
    writing = threading.Thread(target=write)
    writing.start()
    try:
        while (done := ended(node) - before) < users * len(RETAILERS):
            if halfway is None and done * 2 >= users * len(RETAILERS):
                halfway = time.monotonic() - began
            time.sleep(0.05)
        whole = time.monotonic() - began
    finally:
        is_over.set()
        writing.join()
    waits.sort()
    return {"at once: all are done, s": whole, "half of them, s": halfway or whole, "CPU ms of one": (node.spent() - spent) / users / len(RETAILERS) * 1000,
            "other writes: median, ms": waits[len(waits) // 2] * 1000, "other writes: p99, ms": waits[len(waits) * 99 // 100] * 1000}


def operate(store, node, change):
    for retailer in RETAILERS:
        subprocess.run([binary(), "admin", "retailers", change, str(retailer), "--database", store.database, "--quiet"],
                       env={**clean_environment(), "ORDERSYNC_HOME": str(node.home)}, check=True, capture_output=True)


def ended(node):
    return node.log.read_bytes().count(b"a sync ended")


if __name__ == "__main__":
    compare(__doc__, lambda *_: None, turn, syncs=40, users=99, postgres=0)
