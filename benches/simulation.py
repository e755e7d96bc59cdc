#!/usr/bin/env python3
"""Ten million users who sync daily: how many nodes and how large a database that takes, hour by hour, and what waits when a
retailer is slow.

    python3 benches/simulation.py             prints the tables of docs/dev/scaling.md
    python3 benches/simulation.py --check     compares them with the page; fails if they differ

A day is simulated minute by minute for each retailer, with a seed, so that the same assumptions give the same tables. What a
sync costs was measured on one machine by benches/postgres.py; everything else is an assumption, and stands here.
"""

import argparse
import bisect
import math
import pathlib
import random
import sys

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs/dev/scaling.md"
BEGIN, END = "<!-- benches/simulation.py -->\n", "<!-- end -->\n"

# Who syncs, and what. All of it is assumed.
SEED = 14
USERS = 10_000_000
CONNECTIONS_PER_USER = 2.5
SYNCS_PER_CONNECTION = 1.0  # a day
# Retailers of falling popularity: the share of the k-th is proportional to 1/k (Zipf's law, as it is often seen of shops).
RETAILERS = 40
ITEMS_AT_FIRST = 150  # of a connection, when it is connected: about three years of fifty items
NEW_ITEMS_PER_DAY = 50 / 365  # of a connection
# Share of a day's syncs by hour: people's apps ask in the morning and in the evening. Sums to 1.
BY_HOUR = [share / 1000 for share in (14, 10, 8, 8, 10, 18, 34, 52, 58, 54, 48, 46, 48, 48, 46, 46, 48, 54, 62, 70, 74, 66, 48, 30)]
# How long a retailer takes for a sync that finds little new: sign-in and two pages. A part keeps its place on a node meanwhile.
SECONDS_AT_RETAILER = 6.0
# The third retailer answers ten times as slowly for two hours, in the evening's peak.
SLOW_RETAILER, SLOW_FACTOR, SLOW_FROM, SLOW_UNTIL = 3, 10, 19 * 60, 21 * 60
# What an app asks for: it starts the sync, follows it, reads the list, and looks in once more on the day.
REQUESTS_PER_SYNC = 4
PAGES_PER_DAY = 2  # of fifty items, of each user

# What it costs: python3 benches/postgres.py on two cores, see docs/dev/scaling.md. Processor seconds, bytes.
NODE_PER_SYNC, DATABASE_PER_SYNC, WAL_PER_SYNC = 0.0060, 0.0156, 46_700
# Of small syncs: what a first sync of 100 items costs more than one without changes.
NODE_PER_ITEM, DATABASE_PER_ITEM, WAL_PER_ITEM, BYTES_PER_ITEM = 53e-6, 153e-6, 1_750, 1_700
NODE_PER_REQUEST, DATABASE_PER_REQUEST = 223e-6, 274e-6
NODE_PER_PAGE, DATABASE_PER_PAGE = 321e-6, 710e-6
# With steps that take longer than 100 ms: request, claim, beginning, sign-in, two pages, end (docs/dev/sync-engine.md). Statements by
# python3 benches/syncs.py BEFORE AFTER --postgres 1; what network and disk take is assumed.
COMMITS_PER_SYNC, STATEMENTS_PER_SYNC = 7, 206
SECONDS_PER_STATEMENT, SECONDS_PER_COMMIT = 0.0005, 0.002
# What is kept of a finished sync for 90 days, the default of --retention: session, part and five events, with their indexes.
BYTES_PER_SYNC, SYNCS_KEPT_DAYS = 7_100, 90
BYTES_PER_USER = 6_000  # the user, tokens, grants, connections and their sealed credentials

# How it is run.
CORES_PER_NODE = 2
CORES_PER_DATABASE = 32
BUSY_AT_MOST = 0.5  # of a processor at the peak; the rest is for failures, upgrades and what was not foreseen
PLACES_PER_NODE, PLACES_PER_RETAILER = 256, 8  # --parallel-syncs and --parallel-syncs-per-retailer, as they are unless set
CONNECTIONS_PER_NODE = 16  # to the database: eight read, eight write
WAL_BYTES_PER_SECOND = 100 * 2**20  # what a server's disk and its replica take without falling behind


def shares():
    weights = [1 / rank for rank in range(1, RETAILERS + 1)]
    return [weight / sum(weights) for weight in weights]


def arrivals(generator, expected):
    """How many come in a minute: Poisson, by its normal approximation."""
    return max(0, round(generator.gauss(expected, math.sqrt(expected))))


def day(nodes, slow):
    """Simulates a day: how many parts of each retailer wait after each minute, and the longest wait of one, in minutes."""
    generator = random.Random(SEED)
    per_day = USERS * CONNECTIONS_PER_USER * SYNCS_PER_CONNECTION
    waiting = [0.0] * RETAILERS
    depths, longest = [], [0.0] * RETAILERS
    # So many had come, and so many begun, up to the end of each minute: who comes last waits until as many have begun.
    come, begun = [[] for _ in range(RETAILERS)], [[] for _ in range(RETAILERS)]
    for minute in range(24 * 60):
        for retailer, share in enumerate(shares()):
            new = arrivals(generator, per_day * BY_HOUR[minute // 60] / 60 * share)
            waiting[retailer] += new
            is_slow = slow and retailer == SLOW_RETAILER - 1 and SLOW_FROM <= minute < SLOW_UNTIL
            seconds = SECONDS_AT_RETAILER * (SLOW_FACTOR if is_slow else 1)
            room = nodes * PLACES_PER_RETAILER * 60 / seconds
            now = min(waiting[retailer], room)
            waiting[retailer] -= now
            come[retailer].append((come[retailer] or [0])[-1] + new)
            begun[retailer].append((begun[retailer] or [0])[-1] + now)
        depths.append(list(waiting))
    for retailer in range(RETAILERS):
        waits = (bisect.bisect_left(begun[retailer], count - 0.5) - minute for minute, count in enumerate(come[retailer]))
        longest[retailer] = max(waits)
    return depths, longest


def nodes_for_places():
    """Nodes without which parts of the most popular retailer, or of all, would wait at the peak."""
    peak = USERS * CONNECTIONS_PER_USER * SYNCS_PER_CONNECTION * max(BY_HOUR) / 3600 * SECONDS_AT_RETAILER
    # A tenth more, so that what chance adds in one minute is done in the next.
    return math.ceil(1.1 * peak * max(shares()) / PLACES_PER_RETAILER), math.ceil(1.1 * peak / PLACES_PER_NODE)


def load(syncs, pages):
    """Processor seconds of nodes and database and bytes of WAL for so many syncs and pages."""
    items = syncs * NEW_ITEMS_PER_DAY / SYNCS_PER_CONNECTION
    requests = syncs * REQUESTS_PER_SYNC
    node = syncs * NODE_PER_SYNC + items * NODE_PER_ITEM + requests * NODE_PER_REQUEST + pages * NODE_PER_PAGE
    database = syncs * DATABASE_PER_SYNC + items * DATABASE_PER_ITEM + requests * DATABASE_PER_REQUEST + pages * DATABASE_PER_PAGE
    return node, database, syncs * WAL_PER_SYNC + items * WAL_PER_ITEM


def hours():
    for share in BY_HOUR:
        syncs = USERS * CONNECTIONS_PER_USER * SYNCS_PER_CONNECTION * share / 3600
        pages = USERS * PAGES_PER_DAY * share / 3600
        yield syncs, *load(syncs, pages)


def tables():
    by_hour = list(hours())
    peak = max(by_hour)
    of_one_retailer, of_all = nodes_for_places()
    for_cpu = math.ceil(peak[1] / CORES_PER_NODE / BUSY_AT_MOST)
    nodes = max(of_one_retailer, of_all, for_cpu)
    databases = math.ceil(peak[2] / CORES_PER_DATABASE / BUSY_AT_MOST)
    for_wal = math.ceil(peak[3] / WAL_BYTES_PER_SECOND)
    items = USERS * CONNECTIONS_PER_USER * (ITEMS_AT_FIRST + 365 * NEW_ITEMS_PER_DAY)
    kept = USERS * CONNECTIONS_PER_USER * SYNCS_PER_CONNECTION * SYNCS_KEPT_DAYS
    size = items * BYTES_PER_ITEM, kept * BYTES_PER_SYNC, USERS * BYTES_PER_USER
    lines = ["| Ten million users, | |", "|---|---:|"]
    lines += [f"| {what} | {figure} |" for what, figure in (
        ("syncs in a day", f"{USERS * CONNECTIONS_PER_USER * SYNCS_PER_CONNECTION:,.0f}"),
        ("syncs per second in the busiest hour", f"{peak[0]:,.0f}"),
        ("nodes' cores in use then", f"{peak[1]:.1f}"),
        ("database's cores in use then", f"{peak[2]:.1f}"),
        ("WAL then, MiB/s", f"{peak[3] / 2**20:.1f}"),
        ("commits per second then", f"{peak[0] * COMMITS_PER_SYNC:,.0f}"),
        (f"connections busy with syncs then, {SECONDS_PER_STATEMENT * 1000} ms away, {SECONDS_PER_COMMIT * 1000:.0f} ms per commit",
         math.ceil(peak[0] * (STATEMENTS_PER_SYNC * SECONDS_PER_STATEMENT + COMMITS_PER_SYNC * SECONDS_PER_COMMIT))),
        (f"nodes of {CORES_PER_NODE} cores for the processor time, at most {BUSY_AT_MOST:.0%} busy", for_cpu),
        (f"nodes for {PLACES_PER_NODE} places each", of_all),
        (f"nodes for {PLACES_PER_RETAILER} places each of the most popular retailer", of_one_retailer),
        ("nodes", nodes),
        ("connections to the database, of all nodes", f"{nodes * CONNECTIONS_PER_NODE:,}"),
        (f"databases of {CORES_PER_DATABASE} cores for the processor time, at most {BUSY_AT_MOST:.0%} busy", databases),
        (f"databases for {WAL_BYTES_PER_SECOND / 2**20:.0f} MiB of WAL per second each", for_wal),
        ("items after a year", f"{items:,.0f}"),
        ("database after a year, TiB", f"{sum(size) / 2**40:.2f}"),
        ("of that: items, TiB", f"{size[0] / 2**40:.2f}"),
        (f"of that: syncs of {SYNCS_KEPT_DAYS} days, TiB", f"{size[1] / 2**40:.2f}"))]
    lines += ["", f"| Retailer {SLOW_RETAILER} takes {SLOW_FACTOR} times as long from {SLOW_FROM // 60}:00 to {SLOW_UNTIL // 60}:00 | As usual | Slow |",
              "|---|---:|---:|"]
    usual, slow = day(nodes, slow=False), day(nodes, slow=True)
    third = SLOW_RETAILER - 1
    for what, figure in (
        ("most parts of it that wait", lambda run: f"{max(depth[third] for depth in run[0]):,.0f}"),
        ("longest wait, minutes", lambda run: f"{run[1][third]:,.0f}"),
        ("nobody waits again from", lambda run: emptied(run, third)),
        ("most parts of all others that wait", lambda run: f"{max(sum(depth) - depth[third] for depth in run[0]):,.0f}"),
    ):
        lines.append(f"| {what} | {figure(usual)} | {figure(slow)} |")
    return "\n".join(lines) + "\n"


def clock(minute):
    return f"{minute // 60:02}:{minute % 60:02}"


def emptied(run, retailer):
    waits = [minute for minute, depth in enumerate(run[0]) if depth[retailer] >= 1]
    if not waits:
        return "always"
    return clock(waits[-1] + 1) if waits[-1] + 1 < 24 * 60 else "the next day"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--write", action="store_true", help="put the tables into the page")
    given = parser.parse_args()
    printed = tables()
    if not (given.check or given.write):
        print(printed, end="")
        return
    before, found, rest = PAGE.read_text().partition(BEGIN)
    written, ended, after = rest.partition(END)
    if not (found and ended):
        sys.exit(f"{PAGE} does not say where the tables are")
    if given.write:
        PAGE.write_text(before + BEGIN + printed + END + after)
    elif written != printed:
        sys.exit(f"The tables of {PAGE} are not those that benches/simulation.py prints: run it with --write.")
    else:
        print("docs/dev/scaling.md has the tables that the simulation prints")


if __name__ == "__main__":
    main()
