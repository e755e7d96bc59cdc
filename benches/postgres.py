#!/usr/bin/env python3
"""What the store costs on PostgreSQL, beside SQLite, in one run. Needs PostgreSQL's server and wrk (Debian's packages).

    cargo build --release
    python3 benches/postgres.py                          all of it, with two million items
    python3 benches/postgres.py --items 100000 pages     one part, with fewer

pages    pages at offset 0 and far behind, with each filter: medians, and their ratio
ingest   a sync of the items, beside COPY of the same rows into the same tables and indexes
reads    requests per second, and processor time per request of node and database; beside SQLite, and with four nodes
writes   what a sync costs, and what a stored item costs: processor time, bytes in the store, bytes of WAL

Each part prints tables as docs/dev/scaling.md has them. All that is written is in folders that are removed.
"""

import argparse
import contextlib
import http.client
import json
import os
import shutil
import statistics
import sys
import tempfile
import time

from nodes import ROOT, File, Load, Server, table

PARTS = ("ingest", "pages", "reads", "writes")
PHONE = "+15550101"
SHARES = {12: 0.8, 3: 0.2}
FILTERS = {
    "none": "",
    "retailer": "&retailer_id=12",
    "start": "&start_date=2024-09-01",
    "end": "&end_date=2026-05-01",
    "all three": "&retailer_id=12&start_date=2024-09-01&end_date=2026-05-01",
}
# The tables whose rows grow with the items.
GROWING = ("orders", "line_items", "line_nodes")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--items", type=int, default=2_000_000)
    parser.add_argument("--offset", type=int, help="of the last pages; default: half of the items")
    parser.add_argument("--runs", type=int, default=21, help="of each page; of COPY, three at most")
    parser.add_argument("--seconds", type=int, default=10, help="of each load")
    parser.add_argument("--users", type=int, default=50, help="who sync, in writes; 100 at most")
    parser.add_argument("--rounds", type=int, default=5, help="of their syncs, in writes")
    given = parser.parse_args()
    if unknown := set(given.parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(unknown)}")
    given.parts = given.parts or PARTS
    given.offset = given.items // 2 if given.offset is None else given.offset
    return given


def main():
    given = arguments()
    said = " ".join(["python3 benches/postgres.py", *sys.argv[1:]])
    print(f"`{said}`: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before it\n", flush=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        os.chmod(folder, 0o755)
        stores = {kind.name: stack.enter_context(contextlib.closing(kind(f"{folder}/{kind.name}"))) for kind in (Server, File)}
        server = stores["PostgreSQL"]
        print(f"PostgreSQL {server.sql('SHOW server_version')[0][0]}\n")
        if set(given.parts) - {"writes"}:
            nodes = {name: stack.enter_context(store.node()) for name, store in stores.items()}
            tokens = {name: node.token(PHONE) for name, node in nodes.items()}
            ingest(given, stores, nodes, tokens)
        if "pages" in given.parts:
            pages(given, nodes, tokens)
        if "reads" in given.parts:
            reads(given, stores, nodes, tokens)
        if "writes" in given.parts:
            writes(given, folder)


# --- ingest


def ingest(given, stores, nodes, tokens):
    """Fills the stores, which the other parts need as well; compares with COPY if asked."""
    rows, took = [], {}
    for name, store in stores.items():
        node, token = nodes[name], tokens[name]
        if name == "PostgreSQL":
            store.sql("SELECT pg_stat_statements_reset()")
        before, size, written = (node.spent(), store.spent()), store.size(), store.written()
        started = time.monotonic()
        for retailer, share in SHARES.items():
            node.connect_account(token, retailer, f"user_items_{round(given.items * share)}")
            node.wait_until_synced(token)
        took[name] = time.monotonic() - started
        spent = [after - earlier for after, earlier in zip((node.spent(), store.spent()), before)]
        grown, log = store.size() - size, store.written()
        rows.append([f"sync, {name}", f"{took[name]:.1f}", *(f"{seconds:.1f}" for seconds in spent),
                     f"{sum(spent) / given.items * 1e6:.0f}", f"{grown / given.items:.0f}",
                     "" if log is None else f"{(log - written) / given.items:.0f}"])
    server = stores["PostgreSQL"]
    if "ingest" not in given.parts:
        return
    statements = busiest(server)
    for runs in [copy(server, given)]:
        total = statistics.median(sum(times.values()) for times, _, _ in runs)
        spent = statistics.median(seconds for _, seconds, _ in runs)
        log = statistics.median(written for _, _, written in runs)
        rows.append(["COPY, PostgreSQL", f"{total:.1f}", "", f"{spent:.1f}", f"{spent / given.items * 1e6:.0f}", "", f"{log / given.items:.0f}"])
    print(f"{given.items:,} items. The sync takes {took['PostgreSQL'] / total:.2f} times the time of COPY of the same rows\n")
    table(["", "Seconds", "Node's CPU s", "Database's CPU s", "CPU µs per item", "Bytes per item", "WAL bytes per item"], rows)
    table(["COPY", *(f"Run {number + 1}, s" for number in range(len(runs)))],
          [[name, *(f"{times[name]:.2f}" for times, _, _ in runs)] for name in GROWING])
    table(*statements)


def busiest(server):
    """The statements on which the database spent most since the last reset: the head of a table, and its rows."""
    found = server.sql("""SELECT calls, total_exec_time + total_plan_time, wal_bytes, regexp_replace(left(query, 90), '\\s+', ' ', 'g')
        FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid AND d.datname = 'shop'
        ORDER BY 2 DESC LIMIT 10""")
    rows = [[f"`{text}`".replace("|", "\\|"), calls, f"{float(milliseconds) / 1000:.2f}", f"{float(log) / 2**20:.1f}"]
            for calls, milliseconds, log, text in found]
    return ["Statement", "Calls", "Seconds in the database", "WAL MiB"], rows


def copy(server, given):
    """Copies the rows of the growing tables to tables of the same form, some times: seconds of each table, CPU, WAL."""
    exported = server.cluster.folder / "exported"
    exported.mkdir()
    shutil.chown(exported, server.cluster.user)
    for name in GROWING:
        server.sql(f"COPY {name} TO '{exported}/{name}'")
    server.sql("CREATE SCHEMA copied")
    for name in GROWING:
        server.sql(f"CREATE TABLE copied.{name} (LIKE {name} INCLUDING ALL)")
    runs = []
    for _ in range(min(3, given.runs)):
        server.sql("TRUNCATE " + ", ".join(f"copied.{name}" for name in GROWING))
        server.sql("CHECKPOINT")
        before, written, times = server.spent(), server.written(), {}
        for name in GROWING:
            started = time.monotonic()
            server.sql(f"COPY copied.{name} FROM '{exported}/{name}'")
            times[name] = time.monotonic() - started
        runs.append((times, server.spent() - before, server.written() - written))
    server.sql("DROP SCHEMA copied CASCADE")
    shutil.rmtree(exported)
    return runs


# --- pages


def pages(given, nodes, tokens):
    for name, node in nodes.items():
        connection = http.client.HTTPConnection(node.base.removeprefix("http://"), timeout=600)
        headers = {"Authorization": f"Bearer {tokens[name]}"}
        rows = []
        for form in ("json", "csv"):
            for label, query in FILTERS.items():
                offsets = [0, given.offset]
                times = {offset: [] for offset in offsets}
                # In turns, so that what else the machine does falls on both.
                for run in range(given.runs + 1):
                    for offset in offsets:
                        started = time.perf_counter()
                        connection.request("GET", f"/sync/orders?limit=1000&offset={offset}&format={form}{query}", headers=headers)
                        answer = connection.getresponse()
                        body = answer.read()
                        took = time.perf_counter() - started
                        if answer.status != 200 or offset >= int(answer.headers["X-Total-Count"]) or len(body) < 10_000:
                            sys.exit(f"{answer.status} {len(body)} bytes, of {answer.headers['X-Total-Count']} items")
                        if run:
                            times[offset].append(took * 1000)
                first, last = (statistics.median(times[offset]) for offset in offsets)
                rows.append([f"{form.upper()}, {label}", f"{int(answer.headers['X-Total-Count']):,}", f"{first:.2f}", f"{last:.2f}", f"{last / first:.2f}"])
        print(f"{name}: pages of 1,000 of {given.items:,} items, medians of {given.runs} in milliseconds\n")
        table(["Format, filter", "Items", "Offset 0", f"{given.offset:,}", "Ratio"], rows)


# --- reads


def reads(given, stores, nodes, tokens):
    with contextlib.ExitStack() as stack:
        server = stores["PostgreSQL"]
        others = [stack.enter_context(server.node(number)) for number in range(1, 4)]
        # A window holds about as many requests of each user as with the usual limit, and none is refused.
        counting = stack.enter_context(server.node(4, rate_limit="10000/5s"))
        many = [counting.token(f"+155501{number:02}") for number in range(100)]
        sets = {"SQLite": [nodes["SQLite"]], "PostgreSQL": [nodes["PostgreSQL"]], "PostgreSQL, four nodes": [nodes["PostgreSQL"], *others]}
        some = json.loads(nodes["PostgreSQL"].request("GET", "/sync/orders?limit=1", token=tokens["PostgreSQL"]).body)[0]["id"]
        ids = {"PostgreSQL": some, "SQLite": json.loads(nodes["SQLite"].request("GET", "/sync/orders?limit=1", token=tokens["SQLite"]).body)[0]["id"]}
        paths = {
            "profile": lambda name: "/sync/profile",
            "latest session": lambda name: "/sync/sessions/latest",
            "one item": lambda name: f"/sync/orders/{ids[name]}",
            "50 items": lambda name: "/sync/orders",
            "1,000 items": lambda name: "/sync/orders?limit=1000",
            f"1,000 items at {given.offset:,}": lambda name: f"/sync/orders?limit=1000&offset={given.offset}",
        }
        rows = []
        for what, path in paths.items():
            for label, members in sets.items():
                name = label.partition(",")[0]
                rows.append([what, label, *loaded(stores[name], members, path(name), [tokens[name]], given)])
        rows.append(["profile, of 100 users", "PostgreSQL", *loaded(server, [nodes["PostgreSQL"]], "/sync/profile", many, given)])
        rows.append(["the same, counted for the rate limit", "PostgreSQL", *loaded(server, [counting], "/sync/profile", many, given)])
        # Each time is kept for a minute.
        large = stack.enter_context(server.node(5, rate_limit="60000/60s"))
        rows.append(["of one caller with thousands in a minute, counted", "PostgreSQL",
                     *loaded(server, [large], "/sync/profile", [tokens["PostgreSQL"]], given)])
        print(f"{given.items:,} items, wrk with 16 connections for {given.seconds} s each, on the same machine\n")
        table(["Request", "Store", "Per second", "Median ms", "99 % ms", "Node's CPU µs", "Database's CPU µs"], rows)


def loaded(store, members, path, tokens, given):
    Load([node.base for node in members], path, tokens, 1, 16)
    before = sum(node.spent() for node in members), store.spent()
    load = Load([node.base for node in members], path, tokens, given.seconds, 16)
    spent = sum(node.spent() for node in members), store.spent()
    each = [(after - earlier) / load.requests * 1e6 for after, earlier in zip(spent, before)]
    return [f"{load.per_second:,.0f}", f"{load.median:.2f}", f"{load.late:.2f}", *(f"{microseconds:.0f}" for microseconds in each)]


# --- writes


def writes(given, folder):
    """Users with a hundred items each: their first syncs, and syncs that find nothing new."""
    rows = []
    for kind in (Server, File):
        with contextlib.closing(kind(f"{folder}/{kind.name}-writes")) as store, store.node() as node:
            tokens = [node.token(f"+155501{number:02}") for number in range(given.users)]
            idle = idling(store, node)
            rows.append([f"idle, per second, {kind.name}", 1, "", *measured_idle(idle)])
            measure = lambda: (time.monotonic(), node.spent(), store.spent(), store.size(), store.written() or 0)
            before = measure()
            for token in tokens:
                node.connect_account(token, 12, "user_items_100")
            ended(node, tokens)
            rows.append([f"first sync of 100 items, {kind.name}", given.users, *difference(before, measure(), given.users, idle)])
            if kind is Server:
                store.sql("SELECT pg_stat_statements_reset()")
            before = measure()
            for _ in range(given.rounds):
                for token in tokens:
                    answer = node.request("POST", "/sync/orders/sync", {}, token=token)
                    if answer.status not in (200, 202):
                        sys.exit(f"a sync was refused: {answer}")
                ended(node, tokens)
            syncs = given.users * given.rounds
            rows.append([f"sync without changes, {kind.name}", syncs, *difference(before, measure(), syncs, idle)])
            if kind is Server:
                statements = busiest(store)
    print("Per sync, with its request and those that wait for its end, less what an idle node and database spend meanwhile\n")
    table(["", "Syncs", "Per second", "Node's CPU ms", "Database's CPU ms", "Bytes in the store", "WAL bytes"], rows)
    print("The statements of the syncs without changes, on PostgreSQL\n")
    table(*statements)


def ended(node, tokens):
    for token in tokens:
        session = node.wait_until_synced(token, every=0.5)
        if any(part["syncStatus"] != "completed" for part in session["retailerSyncSessions"]):
            sys.exit(f"a sync failed: {session}")


def idling(store, node, seconds=5):
    """Processor seconds of node and database in a second without requests."""
    before = node.spent(), store.spent(), store.written() or 0
    time.sleep(seconds)
    return [(after - earlier) / seconds for after, earlier in zip((node.spent(), store.spent(), store.written() or 0), before)]


def measured_idle(idle):
    return [f"{idle[0] * 1000:.2f}", f"{idle[1] * 1000:.2f}", "", f"{idle[2]:.0f}"]


def difference(before, after, count, idle):
    seconds, node, database, size, written = (end - start for end, start in zip(after, before))
    return [f"{count / seconds:.1f}", f"{(node - idle[0] * seconds) / count * 1000:.2f}", f"{(database - idle[1] * seconds) / count * 1000:.2f}",
            f"{size / count:,.0f}", f"{(written - idle[2] * seconds) / count:,.0f}"]


if __name__ == "__main__":
    main()
