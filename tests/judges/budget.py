#!/usr/bin/env python3
"""The rate limit in real time: 250 pages of line items, first exported by one command, then by three at once, from a
service that lets 100 requests through in any 60 seconds. It takes about seven minutes.

    budget.py [--nodes 4] [--short]

The least time is that of a strict window: the 250th request follows the 150th by 60 seconds, and that one the 50th. One
command takes at most 1.03 times as long, and no request of it is refused. Three at once do not know of each other: they
take at most 1.10 times as long, and wait out what is refused. No row may be missing.

--nodes: so many nodes on one PostgreSQL, behind a balancer that sends each request to the next. --short: 75 pages by three at
once, 30 requests in any 15 seconds, and 1.2 times the least time and a window: a busy machine may come too late for the rest of one.
"""

import argparse
import contextlib
import dataclasses
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from judge import ROOT, Balancer, Service, Verdict, binary, clean_environment

PAGE = 1000


@dataclasses.dataclass
class Measure:
    limit: int
    window: int
    # Of three retailers.
    pages: tuple
    # How many times the least time, for one command and for three at once. The second that it takes to start three commands,
    # and that up to which waits are rounded, weigh more in a short measure.
    allowed: dict
    # How many windows may be missed.
    missed: int


FULL = Measure(100, 60, (84, 83, 83), {"one command": 1.03, "three at once": 1.10}, 0)
SHORT = Measure(30, 15, (25, 25, 25), {"three at once": 1.2}, 1)


class Nodes:
    """One or several nodes, at one address."""

    def __init__(self, nodes, base):
        self.nodes, self.base = nodes, base

    def counted(self, status):
        """How many requests each has answered so; asking for it is none of them. A node's log may lag behind its answers."""
        return [sum(answered(node, status)) for node in self.nodes]


def answered(node, status):
    for line in node.request("GET", "/metrics").body.decode().splitlines():
        if line.startswith("ordersync_http_requests_total{") and f'status="{status}"' in line and 'route="/metrics"' not in line:
            yield int(line.rsplit(" ", 1)[1])


@contextlib.contextmanager
def nodes_of(number, measure, folder):
    flags = ["--rate-limit", f"{measure.limit}/{measure.window}s", "--speed", "1000000"]
    if number == 1:
        with Service(folder / "service", *flags) as service:
            yield Nodes([service], service.base)
        return
    sys.path.insert(0, str(ROOT / "tests/postgres"))
    from cluster import Cluster

    with Cluster() as cluster, contextlib.ExitStack() as running:
        nodes = [running.enter_context(Service(folder / f"node{index}", *flags, database=cluster.address(), home=folder / "service-home"))
                 for index in range(number)]
        with Balancer(nodes) as balancer:
            yield Nodes(nodes, balancer.base)


def at_once(base, folder, token, exports):
    """The seconds that it took, the exit codes, and the ids of the items of each file."""
    environment = {
        **clean_environment(), "ORDERSYNC_HOME": str(folder / "home"), "ORDERSYNC_BASE_URL": base,
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


def stored(service, measure):
    """A token of a user who has the pages, and the retailers."""
    token = service.token()
    catalog = service.request("GET", "/sync/retailers", token=token).json
    retailers = [entry["retailerId"] for entry in catalog if len(entry["credentialFields"]) == 2]
    for retailer, pages in zip(retailers, measure.pages):
        batch = service.connect(token, retailer, f"user_items_{pages * PAGE}").json["batchId"]
        deadline = time.monotonic() + 120
        while service.session(token, batch)["status"] != "normal" and time.monotonic() < deadline:
            time.sleep(2)
    return token, retailers[:len(measure.pages)]


def judge(verdict, nodes, folder, measure, runs):
    token, retailers = stored(nodes.nodes[0], measure)
    of_each = [["--retailer", str(retailer)] for retailer in retailers]
    ways = {"one command": ([[]], [sum(measure.pages)]), "three at once": (of_each, measure.pages)}
    for name in runs:
        exports, pages = ways[name]
        # What was sent before is out of the window.
        time.sleep(measure.window + 1)
        before = [nodes.counted(status) for status in (200, 429)]
        took, codes, ids = at_once(nodes.base, folder, token, exports)
        since = [nodes.counted(status) for status in (200, 429)]
        requests, refused = (sum(now) - sum(then) for now, then in zip(since, before))
        by_node = [sum(now) - sum(then) for now, then in zip(zip(*since), zip(*before))]
        least = measure.window * (math.ceil(requests / measure.limit) - 1)
        print(f"{name}: {requests} requests in {took:.2f} s, {took / least:.4f} times the least ({least} s); {refused} refused; "
              f"of each node: {by_node}")
        verdict.check(f"{name}: exit codes", not any(codes), codes)
        expected = [number * PAGE for number in pages]
        verdict.check(f"{name}: rows", list(map(len, ids)) == expected, list(map(len, ids)))
        verdict.check(f"{name}: each once", len(set().union(*ids)) == sum(expected))
        verdict.check(f"{name}: hardly more requests than pages", requests <= sum(pages) + len(exports), requests)
        verdict.check(f"{name}: every node has its part", min(by_node) >= sum(by_node) // len(by_node) - 3, by_node)
        verdict.check(f"{name}: time", least <= took <= least * measure.allowed[name] + measure.window * measure.missed, took)
        verdict.check(f"{name}: nothing refused", len(exports) > 1 or refused == 0, refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=1)
    parser.add_argument("--short", action="store_true")
    arguments = parser.parse_args()
    measure, verdict = SHORT if arguments.short else FULL, Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with nodes_of(arguments.nodes, measure, folder) as nodes:
            judge(verdict, nodes, folder, measure, ["three at once"] if arguments.short else ["one command", "three at once"])
    return verdict.end("budget")


if __name__ == "__main__":
    os.environ.setdefault("NO_COLOR", "1")
    sys.exit(main())
