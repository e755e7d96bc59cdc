#!/usr/bin/env python3
"""The request budget in real time: 250 pages of a list, first by one command, then by three at once, at a service that
lets 100 requests through in any 60 seconds. It takes about six minutes.

The least time is that of a strict window: the 250th request follows the 150th by 60 seconds, and that one the 50th. No
more than 1.03 times that may pass, the service's log may hold no 429, and no row may be missing.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from judge import Service, Verdict, binary, clean_environment

LIMIT, WINDOW, PAGES, ROWS = 100, 60, 250, 10
ALLOWED = 1.03


def at_once(service, home, token, shares):
    """The seconds that it took, and the rows of each command: `shares` says how many pages each reads."""
    environment = {
        **clean_environment(), "ORDERSYNC_HOME": str(home), "ORDERSYNC_BASE_URL": service.base,
        "ORDERSYNC_TOKEN": token, "CI": "true"}
    files = [tempfile.TemporaryFile() for _ in shares]
    began = time.monotonic()
    processes = []
    for pages, file in zip(shares, files):
        offset = ["-f", f"offset={(PAGES - pages) * ROWS}"]
        command = [binary(), "api", "GET", f"/sync/orders?limit={ROWS}", *offset, "--paginate"]
        processes.append(subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.PIPE))
    codes = [process.wait(600) for process in processes]
    took = time.monotonic() - began
    for process in processes:
        said = process.stderr.read().decode()
        print("   ", said.strip().replace("\n", "\n    "))
    rows = []
    for file in files:
        file.seek(0)
        rows.append({row["id"] for row in json.load(file)})
    return took, codes, rows


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Service(folder / "service", "--rate-limit", str(LIMIT), "--speed", "50") as service:
            token = service.token()
            batch = service.connect(token, 1, f"user_items_{PAGES * ROWS}").json["batchId"]
            deadline = time.monotonic() + 120
            while service.session(token, batch)["status"] != "normal" and time.monotonic() < deadline:
                time.sleep(2)
            for name, shares in (("one command", [PAGES]), ("three at once", [84, 83, 83])):
                # What was sent before is out of the window.
                time.sleep(WINDOW + 1)
                counted = service.log.read_text().count("status=200")
                took, codes, rows = at_once(service, folder / "home", token, shares)
                requests = service.log.read_text().count("status=200") - counted
                least = WINDOW * (math.ceil(requests / LIMIT) - 1)
                print(f"{name}: {requests} requests in {took:.2f} s, {took / least:.4f} times the least ({least} s)")
                verdict.check(f"{name}: exit codes", not any(codes), codes)
                verdict.check(f"{name}: rows", [len(ids) for ids in rows] == [n * ROWS for n in shares], list(map(len, rows)))
                verdict.check(f"{name}: all requests are the pages", PAGES <= requests <= PAGES + len(shares), requests)
                verdict.check(f"{name}: time", least <= took <= least * ALLOWED, took)
                verdict.check(f"{name}: nothing refused", "status=429" not in service.log.read_text())
    return verdict.end("budget")


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    sys.exit(main())
