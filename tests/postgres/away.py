#!/usr/bin/env python3
"""What nodes do whose database, or whose own process, is away for a while.

    tests/postgres/away.py [PART...]     all, which takes four minutes, or those

away: the database is away for twenty seconds while many ask. forgotten: its connections are never answered again, but new ones are.
backend: a process of the database is killed. slow: 200 clients do not read their exports. frozen: the node that syncs stops for longer
than its lease, and goes on.
"""

import collections
import contextlib
import os
import pathlib
import random
import signal
import socket
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "judges"))
from failover import Database  # noqa: E402
from judge import Service, Verdict  # noqa: E402

RETAILER, ACCOUNT, ITEMS = 12, "user_items_5000", 5000
AWAY_SECONDS = 20
#: A statement that is waited for, and what releases its connection.
GIVEN_UP_SECONDS = 50
#: After this time it is known that the database is away.
NOTICED_SECONDS = 2
#: More than a few thousand requests that wait may take, in megabytes.
ALLOWED_GROWTH = 60


class Judge:
    def __init__(self, database, nodes, verdict):
        self.database, self.nodes, self.check = database, nodes, verdict.check
        self.node = nodes[0]
        self.tokens = iter(self.node.token(f"+{15550110 + number}") for number in range(20))

    def memory(self):
        """Of the node, in megabytes."""
        status = pathlib.Path(f"/proc/{self.node.process.pid}/status").read_text()
        return next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def status(self, path, token=None, method="GET", timeout=45):
        try:
            return self.node.request(method, path, token=token, timeout=timeout).status
        except OSError as why:
            return repr(why)

    def recovers(self, what, token, seconds):
        """Reading, writing and being ready again, within so many seconds."""
        ends = time.monotonic() + seconds
        asked = (("/sync/profile", "GET"), ("/sync/connections/sync", "POST"), ("/readyz", "GET"))
        while any(self.status(path, token, method) not in (200, 202, 409) for path, method in asked):
            if time.monotonic() > ends:
                return self.check(f"{what}: works again within {seconds} s", False)
            time.sleep(0.1)
        return self.check(f"{what}: works again", True)

    def syncs(self, what, token):
        """A new sync, from its beginning to its end."""
        answer, ends = self.node.connect(token, RETAILER, ACCOUNT), time.monotonic() + 30
        while answer.status == 503 and time.monotonic() < ends:
            time.sleep(0.2)
            answer = self.node.connect(token, RETAILER, ACCOUNT)
        if self.check(f"{what}: a sync begins", answer.status == 202, answer):
            self.is_whole(what, self.node, token, answer.json["batchId"])

    def is_whole(self, what, node, token, batch):
        session = node.follow(token, batch, seconds=180)
        parts = session["retailerSyncSessions"]
        self.check(f"{what}: the sync completes", [part["syncStatus"] for part in parts] == ["completed"], session)
        rows = node.export(token)
        self.check(f"{what}: with all rows, each once", len(rows) - 1 == parts[0]["itemsFound"] == ITEMS, len(rows))

    def away(self):
        token, answers, before = next(self.tokens), collections.Counter(), self.memory()
        batch = self.node.connect(token, RETAILER, ACCOUNT).json["batchId"]
        self.database.primary.stop(mode="immediate")
        began, slowest = time.monotonic(), [0.0, 0.0]
        ends = began + AWAY_SECONDS

        def ask():
            while (asked := time.monotonic()) < ends:
                answers[self.status(random.choice(["/sync/profile", "/sync/orders", "/readyz"]), token)] += 1
                is_known = asked > began + NOTICED_SECONDS
                slowest[is_known] = max(slowest[is_known], time.monotonic() - asked)
                time.sleep(0.02)

        threads = [threading.Thread(target=ask) for _ in range(30)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.check("away: nothing but 503", set(answers) == {503}, answers)
        print(f"away: the slowest answer took {slowest[0]:.2f} s at first, then {slowest[1]:.2f} s")
        self.check("away: it answers soon, and then at once", slowest[0] < 2 * NOTICED_SECONDS and slowest[1] < NOTICED_SECONDS, slowest)
        self.check("away: it is alive", self.status("/healthz") == 200)
        self.check("away: its memory stays", self.memory() < before + ALLOWED_GROWTH, (before, self.memory()))
        self.database.primary.start()
        self.recovers("away", token, 15)
        self.is_whole("away", self.node, token, batch)

    def forgotten(self):
        token = next(self.tokens)
        threads = [threading.Thread(target=self.status, args=("/sync/orders", token)) for _ in range(30)]
        for thread in threads:
            thread.start()
        self.database.proxy.forget()
        self.recovers("forgotten", token, 2 * GIVEN_UP_SECONDS)
        # What worked in the background had to give up, too.
        time.sleep(GIVEN_UP_SECONDS)
        self.syncs("forgotten", token)

    def backend(self):
        token = next(self.tokens)
        pids = self.database.primary.sql("SELECT pid FROM pg_stat_activity WHERE application_name = 'ordersync'")
        # The server ends all others, and starts again.
        os.kill(int(pids[0][0]), signal.SIGKILL)
        self.recovers("backend", token, 15)
        self.syncs("backend", token)

    def slow(self):
        token = next(self.tokens)
        self.syncs("slow", token)
        port = int(self.node.base.rsplit(":", 1)[1])
        with contextlib.ExitStack() as open_ones:
            for _ in range(200):
                connection = open_ones.enter_context(socket.create_connection(("127.0.0.1", port)))
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                connection.sendall(f"GET /sync/orders?format=csv&limit=1000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
            time.sleep(2)
            asked = [(self.status(path, token), path) for path in ("/sync/profile", "/sync/orders", "/readyz")]
            self.check("slow: others are answered", [status for status, _ in asked] == [200] * 3, asked)

    def frozen(self):
        token, stopped, other = next(self.tokens), *self.nodes
        # So that it is known who syncs.
        other.stop()
        batch = self.node.connect(token, RETAILER, ACCOUNT).json["batchId"]
        stopped.follow(token, batch, lambda session: found(session) > 0)
        os.kill(stopped.process.pid, signal.SIGSTOP)
        try:
            other.start()
            before = found(other.session(token, batch))
            began = time.monotonic()
            other.follow(token, batch, lambda session: found(session) > before, seconds=60)
            print(f"frozen: the other node went on after {time.monotonic() - began:.1f} s, at {before} of {ITEMS} items")
        finally:
            os.kill(stopped.process.pid, signal.SIGCONT)
        self.is_whole("frozen", other, token, batch)
        self.recovers("frozen", token, 15)
        self.check("frozen: the node says that it lost the sync", "lost the lease of a sync" in stopped.log.read_text())


def found(session):
    return session["retailerSyncSessions"][0]["itemsFound"]


def main():
    parts = sys.argv[1:] or ["away", "forgotten", "backend", "slow", "frozen"]
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as running:
        database = running.enter_context(Database())
        nodes = [running.enter_context(Service(f"{folder}/node{number}", "--rate-limit", "off", "--log", "json", "--speed", "1",
                                               database=database.address(), home=f"{folder}/home")) for number in range(2)]
        judge = Judge(database, nodes, verdict)
        for part in parts:
            began = time.monotonic()
            getattr(judge, part)()
            print(f"{part}: {time.monotonic() - began:.0f} s", flush=True)
        logs = "".join(node.log.read_text(errors="replace") for node in nodes)
        verdict.check("no panic and no 500", "panicked" not in logs and '"status":500' not in logs)
    return verdict.end("away")


if __name__ == "__main__":
    sys.exit(main())
