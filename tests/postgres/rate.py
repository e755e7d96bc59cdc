#!/usr/bin/env python3
"""The rate limit over four nodes on one PostgreSQL, asked through 64 connections that never wait: in no window are more requests
accepted than the limit allows, and hardly fewer.

    tests/postgres/rate.py              a limit of 100 in 6 seconds, over four windows
    tests/postgres/rate.py --minute     the limit of the specification, 100 in 60 seconds, over two
"""

import http.client
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "judges"))
from cluster import Cluster  # noqa: E402
from judge import READY_SECONDS, STOP_SECONDS, Verdict, binary, clean_environment  # noqa: E402

NODES, CONNECTIONS, REQUESTS = 4, 64, 100


def start(address, window, folder):
    """The nodes, each with its port."""
    nodes = []
    for number in range(NODES):
        log = pathlib.Path(folder) / f"node{number}.log"
        words = [binary(), "serve", "--sandbox", "--listen", "127.0.0.1:0", "--database", address, "--log", "json",
                 "--rate-limit", f"{REQUESTS}/{window}s"]
        process = subprocess.Popen(words, stdout=log.open("w"), stderr=subprocess.STDOUT,
                                   env=clean_environment() | {"HOME": folder})
        deadline, listening = time.monotonic() + READY_SECONDS, None
        while listening is None and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
            listening = re.search(r"listening on http://127\.0\.0\.1:(\d+)", log.read_text())
        if listening is None:
            sys.exit(f"a node does not start: {log.read_text()}")
        nodes.append((process, int(listening[1])))
    return nodes


def ask(port, token, until, accepted, others, lock):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
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
        nodes = start(cluster.address(), window, folder)
        try:
            made = subprocess.run([binary(), "sandbox", "token"], capture_output=True, text=True,
                                  env=clean_environment() | {"HOME": folder,
                                                                   "ORDERSYNC_BASE_URL": f"http://127.0.0.1:{nodes[0][1]}"})
            token = made.stdout.strip()
            accepted, others, lock = [], [], threading.Lock()
            until = time.monotonic() + window * windows
            threads = [threading.Thread(target=ask, args=(nodes[number % NODES][1], token, until, accepted, others, lock))
                       for number in range(CONNECTIONS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            for process, _ in nodes:
                process.terminate()
            for process, _ in nodes:
                process.wait(STOP_SECONDS)
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
