#!/usr/bin/env python3
"""The request budget in real time: 250 pages of line items, first exported by one command, then by three at once, from a
service that lets 100 requests through in any 60 seconds. It takes about seven minutes.

The least time is that of a strict window: the 250th request follows the 150th by 60 seconds, and that one the 50th. No
more than 1.03 times that may pass, the service may have refused nothing, and no row may be missing.
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

LIMIT, WINDOW, PAGE = 100, 60, 1000
# Of three retailers.
PAGES = (84, 83, 83)
ALLOWED = 1.03


def at_once(service, folder, token, exports):
    """The seconds that it took, the exit codes, and the ids of the items of each file."""
    environment = {
        **clean_environment(), "ORDERSYNC_HOME": str(folder / "home"), "ORDERSYNC_BASE_URL": service.base,
        "ORDERSYNC_TOKEN": token, "CI": "true"}
    files = [folder / f"{number}.jsonl" for number, _ in enumerate(exports)]
    began = time.monotonic()
    processes = []
    for flags, file in zip(exports, files):
        command = [binary(), "orders", "export", "--out", file, *flags]
        processes.append(subprocess.Popen(
            [str(part) for part in command], env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE))
    codes = [process.wait(900) for process in processes]
    took = time.monotonic() - began
    for process in processes:
        said = process.stderr.read().decode()
        print("   ", said.strip().replace("\n", "\n    "))
    return took, codes, [[json.loads(line)["id"] for line in open(file)] for file in files]


def refused(service):
    """How many requests the service has refused for their number."""
    text = service.request("GET", "/metrics").body.decode()
    return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if not line.startswith("#") and 'status="429"' in line)


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Service(folder / "service", "--rate-limit", str(LIMIT), "--speed", "1000000") as service:
            token = service.token()
            catalog = service.request("GET", "/sync/retailers", token=token).json
            retailers = [entry["retailerId"] for entry in catalog if len(entry["credentialFields"]) == 2]
            for retailer, pages in zip(retailers, PAGES):
                batch = service.connect(token, retailer, f"user_items_{pages * PAGE}").json["batchId"]
                deadline = time.monotonic() + 120
                while service.session(token, batch)["status"] != "normal" and time.monotonic() < deadline:
                    time.sleep(2)
            of_each = [["--retailer", str(retailer)] for retailer in retailers[:len(PAGES)]]
            for name, exports, pages in (("one command", [[]], [sum(PAGES)]), ("three at once", of_each, PAGES)):
                # What was sent before is out of the window.
                time.sleep(WINDOW + 1)
                counted = service.log.read_text().count("status=200")
                took, codes, ids = at_once(service, folder, token, exports)
                requests = service.log.read_text().count("status=200") - counted
                least = WINDOW * (math.ceil(requests / LIMIT) - 1)
                print(f"{name}: {requests} requests in {took:.2f} s, {took / least:.4f} times the least ({least} s)")
                verdict.check(f"{name}: exit codes", not any(codes), codes)
                expected = [number * PAGE for number in pages]
                verdict.check(f"{name}: rows", list(map(len, ids)) == expected, list(map(len, ids)))
                verdict.check(f"{name}: each once", len(set().union(*ids)) == sum(expected))
                verdict.check(f"{name}: hardly more requests than pages", requests <= sum(pages) + len(exports), requests)
                verdict.check(f"{name}: time", least <= took <= least * ALLOWED, took)
                verdict.check(f"{name}: nothing refused", refused(service) == 0, refused(service))
    return verdict.end("budget")


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    sys.exit(main())
