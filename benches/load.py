#!/usr/bin/env python3
"""Many users of one sandbox at once, for a long time: what requests and syncs take, and whether memory grows.

    python3 benches/load.py [--users 1000] [--minutes 60] [--syncs 2] [--requests 40]

Connects an account of 200 items for each user; then syncs and requests that read, so many per second, of users that take turns. Prints
a line for each minute; at the end, the largest change of the resident memory after the first ten minutes.
"""

import argparse
import contextlib
import itertools
import os
import sys
import tempfile
import threading
import time

from nodes import File

READS = ("/sync/profile", "/sync/orders?limit=50", "/sync/sessions/latest", "/sync/retailers", "/sync/connections",
         "/sync/orders?format=csv&limit=1000")
SETTLED = 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual in (("users", 1000), ("minutes", 60), ("syncs", 2), ("requests", 40)):
        parser.add_argument(f"--{name}", type=float if name in ("syncs", "requests") else int, default=usual)
    given = parser.parse_args()
    print(f"`python3 benches/load.py {' '.join(sys.argv[1:])}`: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before it", flush=True)
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(File(folder)) as store, store.node() as node:
        tokens = [node.token(phone(user)) for user in range(given.users)]
        for token in tokens:
            answer = node.connect(token, 12, "user_items_200")
            if answer.status != 202:
                sys.exit(f"an account was not connected: {answer}")
        for token in tokens:
            node.wait_until_synced(token)
        run(node, tokens, given)


def phone(user):
    """555-0100 to 555-0199 of the area codes 200 and up."""
    return f"+1{200 + user // 100}55501{user % 100:02}"


def run(node, tokens, given):
    lock, figures, failures = threading.Lock(), {"sync": [], "read": []}, []
    is_over = threading.Event()

    def work(kind, per_second, asked):
        users, due = itertools.cycle(range(len(tokens))), time.monotonic()
        while not is_over.wait(max(0, due - time.monotonic())):
            due += 1 / per_second
            (method, path, body), user = next(asked), next(users)
            began = time.monotonic()
            try:
                answer = node.request(method, path, body, token=tokens[user])
                # A token is good for an hour.
                if answer.status == 401:
                    tokens[user] = node.token(phone(user))
                    answer = node.request(method, path, body, token=tokens[user])
                failed = None if answer.status in (200, 202, 409) else f"{path}: {answer}"
            except OSError as error:
                failed = f"{path}: {error}"
            with lock:
                figures[kind].append(time.monotonic() - began)
                if failed:
                    failures.append(failed)

    syncs = itertools.repeat(("POST", "/sync/orders/sync", {}))
    workers = [threading.Thread(target=work, args=("sync", given.syncs, syncs))]
    workers += [threading.Thread(target=work, args=("read", given.requests / 4, itertools.cycle([("GET", path, None) for path in READS])))
                for _ in range(4)]
    for worker in workers:
        worker.start()
    memory = []
    try:
        for minute in range(1, given.minutes + 1):
            spent = node.spent()
            time.sleep(60)
            with lock:
                now = {kind: sorted(times) for kind, times in figures.items()}
                for times in figures.values():
                    times.clear()
            memory.append(resident(node.process.pid))
            told = "; ".join(f"{len(times)} {kind}s, p50 {times[len(times) // 2] * 1000:.1f}, p99 {times[len(times) * 99 // 100] * 1000:.1f} ms"
                             for kind, times in now.items() if times)
            print(f"minute {minute}: {memory[-1]:.1f} MiB, CPU {(node.spent() - spent) / 0.6:.0f} %; {told}", flush=True)
    finally:
        is_over.set()
        for worker in workers:
            worker.join()
    settled = memory[SETTLED - 1:]
    if len(settled) > 1:
        print(f"resident memory after {SETTLED} minutes: {settled[0]:.1f} MiB, then {min(settled):.1f} to {max(settled):.1f} MiB "
              f"({(max(settled) / settled[0] - 1) * 100:+.1f} %)")
    if failures:
        sys.exit(f"{len(failures)} requests failed; the first: {failures[0]}")


def resident(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


if __name__ == "__main__":
    main()
