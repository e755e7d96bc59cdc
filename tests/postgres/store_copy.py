#!/usr/bin/env python3
"""A store in use a moment before moves from SQLite into PostgreSQL, and the copy is killed on the way.

    tests/postgres/store_copy.py [--items 2000000] [--kills 3] [--seed N]

A service on an SQLite file has a user with so many line items, and another one whose sync is under way when the service is killed.
The copy is killed again and again at random moments; meanwhile no service starts on the database. Afterwards every table has to
have the same rows, the exports of the first user have to be the same to the byte, and the sync under way has to end in PostgreSQL
with the rows that it ends with in the file. Before that, four processes that migrate at once have to migrate once.
"""

import argparse
import concurrent.futures
import contextlib
import hashlib
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "judges"))
from cluster import Cluster  # noqa: E402
from judge import Service, Verdict, binary, clean_environment, command  # noqa: E402

RETAILER = 12
SETTLED, UNDER_WAY = "+15550110", "+15550111"
FLAGS = ("--rate-limit", "off", "--log", "json")


def store(home, *arguments):
    return command("admin", "store", *arguments, home=home)


def doctor_says(verdict, what, home, address, code, *expected):
    """Looks at the store as a person does who wants to know whether a service can use it."""
    looked = command("doctor", "--database", address, home=home)
    line = next((line for line in looked.stdout.splitlines() if "serve-store" in line), "")
    verdict.check(f"doctor looks at {what}", looked.returncode == code and all(text in line for text in expected), looked)


def migrate_at_once(cluster, home, verdict):
    """Four processes on an empty schema: one makes the tables."""
    pending = len(json.loads(store(home, "migrate", "--dry-run", "--database", cluster.address(), "-o", "json").stdout)["migrations"])
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda _: store(home, "migrate", "--database", cluster.address(), "-o", "json"), range(4)))
    verdict.check("four migrate at once", all(one.returncode == 0 for one in done), [one.stderr for one in done])
    steps = sorted(len(json.loads(one.stdout)["migrations"]) for one in done)
    verdict.check("one of them migrates", steps == [0, 0, 0, pending] and pending > 0, steps)


def fill(service, items):
    """A user whose sync has ended, and one who is about to sync. Returns their tokens."""
    settled, under_way = service.token(SETTLED), service.token(UNDER_WAY)
    batch = service.connect(settled, RETAILER, f"user_items_{items}").json["batchId"]
    service.follow(settled, batch, seconds=3600)
    return settled, under_way


def is_over(session):
    return session["status"] == "normal"


def copy(home, file, address):
    command_line = [binary(), "admin", "store", "copy", "--from", str(file), "--to", address, "-o", "json"]
    environment = {**clean_environment(), "ORDERSYNC_HOME": str(home)}
    return subprocess.Popen(command_line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def time_of_copy(cluster, home, file):
    """How long an undisturbed copy takes here, in seconds."""
    cluster.sql("CREATE DATABASE timed", database="postgres")
    began = time.monotonic()
    process = copy(home, file, cluster.address("timed"))
    _, errors = process.communicate()
    assert process.returncode == 0, errors
    took = time.monotonic() - began
    cluster.sql("DROP DATABASE timed", database="postgres")
    return took


def has_begun(cluster):
    return cluster.sql("SELECT 1 FROM pg_class WHERE relname = 'store_copy'", "moved")


def copy_and_kill(cluster, arguments, home, file, address, moments, verdict):
    """Kills the copy at random moments, and lets it end then. Returns how long the last one took."""
    took = time_of_copy(cluster, home, file)
    print(f"an undisturbed copy takes {took:.1f} s", flush=True)
    # A copy goes on where the one before was killed. So short parts leave something for the last one, even if it is faster than
    # the one that was timed.
    longest, amid = 0.7 * took / (arguments.kills + 1), 0
    for number in range(arguments.kills):
        began = time.monotonic()
        process = copy(home, file, address)
        # At the latest the last one is killed amid its work.
        while number == arguments.kills - 1 and not (amid or has_begun(cluster)) and process.poll() is None:
            time.sleep(0.02)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(moments.uniform(longest / 4, longest))
        verdict.check("it is killed before it ends", process.poll() is None, process.returncode)
        process.kill()
        process.communicate()
        print(f"killed after {time.monotonic() - began:.1f} s", flush=True)
        # Killed before its first transaction, it has left nothing.
        if not has_begun(cluster):
            continue
        amid += 1
        doctor_says(verdict, "a store half copied", home, address, 1, "has not finished")
        refused = [command("serve", "--sandbox", "--listen", "127.0.0.1:0", "--database", address, home=home),
                   command("admin", "clients", "list", "--database", address, home=home)]
        for one in refused:
            said = "has not finished" in one.stderr and "store copy" in one.stderr
            verdict.check("a store half copied is refused", one.returncode == 1 and said, one)
    verdict.check("it was killed amid its work", amid > 0 or not arguments.kills)
    began = time.monotonic()
    process = copy(home, file, address)
    out, errors = process.communicate()
    verdict.check("the copy ends", process.returncode == 0, errors)
    return json.loads(out or "[]"), time.monotonic() - began


def export(service, token, home, folder, form):
    """The digest of a user's whole export."""
    out = folder / f"export.{form}"
    done = command("orders", "export", "--format", form, "--out", out, home=home, base=service.base, token=token)
    assert done.returncode == 0, done
    return hashlib.sha256(out.read_bytes()).hexdigest(), out.stat().st_size, out.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=2_000_000)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--speed", type=float, default=None)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    moments, verdict = random.Random(seed), Verdict()
    with Cluster(durable=True) as cluster, tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        home = folder / "home"
        home.mkdir()
        migrate_at_once(cluster, home, verdict)
        cluster.sql("CREATE DATABASE moved", database="postgres")
        address = cluster.address("moved")
        doctor_says(verdict, "an empty database", home, address, 0, "PostgreSQL", "empty")
        flags = (*FLAGS, "--speed", str(arguments.speed or 1_000_000))
        began = time.monotonic()
        with Service(folder / "before", *flags, home=home) as service:
            settled, under_way = fill(service, arguments.items)
            used = store(home, "copy", "--from", service.database, "--to", address)
            verdict.check("a file in use is refused", used.returncode == 1 and "open" in used.stderr, used)
            batch = service.connect(under_way, RETAILER, f"user_items_{max(arguments.items // 4, 20_000)}").json["batchId"]
            session = service.follow(under_way, batch, until=lambda one: one["retailerSyncSessions"][0]["itemsFound"] > 0)
            service.kill()
        verdict.check("a sync is under way", not is_over(session), session)
        file, size = service.database, service.database.stat().st_size
        print(f"{arguments.items} items in {time.monotonic() - began:.0f} s, {size / 2**20:.0f} MiB; seed {seed}", flush=True)
        compared, seconds = copy_and_kill(cluster, arguments, home, file, address, moments, verdict)
        verdict.check("every table has the same rows", len(compared) > 30 and all(one["isEqual"] for one in compared), compared)
        rows = {one["table"]: one["targetRows"] for one in compared}
        verdict.check("the items are there", rows.get("line_items", 0) >= arguments.items, rows)
        there = {table: int(cluster.sql(f"SELECT count(*) FROM {table}", "moved")[0][0]) for table in rows}
        verdict.check("PostgreSQL counts the same", there == rows, there)
        print(f"the last copy took {seconds:.1f} s, for what the others had left of {sum(rows.values())} rows", flush=True)
        # The root key is beside the file.
        key = ("--key-file", str(file.with_suffix(".key")))
        results = []
        with Service(folder / "after", *flags, *key, database=address, home=folder / "other") as served:
            session = served.follow(under_way, batch, seconds=3600)
            parts = [part["syncStatus"] for part in session["retailerSyncSessions"]]
            verdict.check("the sync under way ends in PostgreSQL", parts == ["completed"], session)
            results.append([[export(served, settled, folder / "home3", folder, form) for form in ("jsonl", "csv")],
                            served.export(under_way)])
            sound = store(home, "check", "--database", address)
            verdict.check("the store is sound", sound.returncode == 0, sound)
            doctor_says(verdict, "a store in use", home, address, 0, "PostgreSQL", "up to date")
        with Service(folder / "undisturbed", *flags, *key, database=shutil.copy(file, folder / "copy.sqlite3"),
                     home=folder / "another") as undisturbed:
            undisturbed.follow(under_way, batch, seconds=3600)
            results.append([[export(undisturbed, settled, folder / "home4", folder, form) for form in ("jsonl", "csv")],
                            undisturbed.export(under_way)])
        verdict.check("the exports are the same to the byte", results[0][0] == results[1][0], [one[0] for one in results])
        verdict.check("the sync under way has the same rows", results[0][1] == results[1][1], [len(one[1]) for one in results])
        verdict.check("it has rows", len(results[0][1]) > 1000, len(results[0][1]))
        print(f"exports: {results[0][0][0][1]} bytes of jsonl, {results[0][0][1][1]} bytes of csv", flush=True)
    return verdict.end("copy")


if __name__ == "__main__":
    sys.exit(main())
