#!/usr/bin/env python3
"""The rate limit over four nodes on one PostgreSQL, asked through 64 connections that never wait: in no window are more requests
accepted than the limit allows, and hardly fewer.

    tests/postgres/rate.py              a limit of 100 in 6 seconds, over four windows
    tests/postgres/rate.py --minute     the limit of the specification, 100 in 60 seconds, over two
"""

import contextlib
import http.client
import pathlib
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "judges"))
from cluster import Cluster  # noqa: E402
from judge import Service, Verdict  # noqa: E402

NODES, CONNECTIONS, REQUESTS = 4, 64, 100


def ask(base, token, until, accepted, others, lock):
    connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=30)
    mine, odd = [], []
    while time.monotonic() < until:
        sent = time.monotonic()
        connection.request("GET", "/sync/profile", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        answer.read()
        if answer.status == 200:
            mine.append((sent, time.monotonic()))
        elif answer.status != 429:
            odd.append(answer.status)
    with lock:
        accepted.extend(mine)
        others.extend(odd)


def main():
    window, windows = (60, 2) if "--minute" in sys.argv else (6, 4)
    verdict = Verdict()
    with Cluster() as cluster, tempfile.TemporaryDirectory() as folder:
        nodes = [Service(f"{folder}/node{number}", "--rate-limit", f"{REQUESTS}/{window}s", "--log", "json",
                         database=cluster.address(), home=f"{folder}/home") for number in range(NODES)]
        with contextlib.ExitStack() as running:
            for node in nodes:
                running.enter_context(node)
            token = nodes[0].token()
            accepted, others, lock = [], [], threading.Lock()
            until = time.monotonic() + window * windows
            threads = [threading.Thread(target=ask, args=(nodes[number % NODES].base, token, until, accepted, others, lock))
                       for number in range(CONNECTIONS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
    accepted.sort(key=lambda times: times[1])
    # A request was accepted between its sending and its answer. So many within less than a window were surely too many.
    beyond = [index for index in range(len(accepted) - REQUESTS)
              if accepted[index + REQUESTS][1] - min(sent for sent, _ in accepted[index:index + REQUESTS + 1]) < window]
    verdict.check(f"never more than {REQUESTS} in {window} s", not beyond, beyond[:3])
    verdict.check(f"at least {REQUESTS - 1} in each of {windows} windows", len(accepted) >= (REQUESTS - 1) * windows, len(accepted))
    verdict.check("nothing but 200 and 429", not others, others[:5])
    print(f"{len(accepted)} accepted in {windows} windows of {window} s, through {CONNECTIONS} connections to {NODES} nodes")
    return verdict.end("rate")


if __name__ == "__main__":
    sys.exit(main())
