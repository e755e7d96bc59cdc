#!/usr/bin/env python3
"""A retailer's pace over several nodes on one PostgreSQL: whichever node asks, requests keep their distance, and when the shop asks
one node to wait (Retry-After), all of them wait.

    tests/postgres/pace.py [--nodes 3] [--users 6]
"""

import argparse
import contextlib
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "judges"))
from cluster import Cluster  # noqa: E402
from judge import Service, Verdict  # noqa: E402
from small_shop import LINES, SmallShop  # noqa: E402

RETAILER, INTERVAL, ORDERS, RETRY_AFTER = 301, 0.1, 6, 3
PATIENCE = 120
# A node waits in place for a turn that is so near, and sends even if the shop says meanwhile that it should not.
NEAR = 0.25


class TimedShop(SmallShop):
    """A shop that knows when it was asked, and asks once to be left alone: with its request number `refused`."""

    def __init__(self, refused, **more):
        super().__init__(**more)
        self.times, self.refused, self.refused_at = [], refused, None

    def serve(self, handler):
        shop = self

        class Timed(handler):
            def handle_one_request(self):
                # The connection waits here for the next request.
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline:
                    self.close_connection = True
                elif self.parse_request():
                    shop.times.append(time.monotonic())
                    if len(shop.times) == shop.refused:
                        self.rfile.read(int(self.headers.get("Content-Length") or 0))
                        self.answer(429, "<html>Too many</html>", [("Retry-After", str(RETRY_AFTER))])
                        shop.refused_at = time.monotonic()
                    else:
                        getattr(self, f"do_{self.command}")()
                    self.wfile.flush()

        return super().serve(Timed)


def sync(nodes, users):
    """The line items of each user, once all have synced at once."""
    tokens = [nodes[0].token(f"+{15550130 + number}") for number in range(users)]
    batches = []
    for number, token in enumerate(tokens):
        answer = nodes[number % len(nodes)].connect(token, RETAILER, f"person{number}@example.com")
        assert answer.status == 202, answer
        batches.append(answer.json["batchId"])
    deadline = time.monotonic() + PATIENCE
    for token, batch in zip(tokens, batches):
        while nodes[0].session(token, batch)["status"] != "normal":
            assert time.monotonic() < deadline, "a sync does not end"
            time.sleep(0.1)
    ends = [part["syncStatus"] for token, batch in zip(tokens, batches)
            for part in nodes[0].session(token, batch)["retailerSyncSessions"]]
    return ends, [len(nodes[0].request("GET", "/sync/orders?limit=1000", token=token).json) for token in tokens]


def steps(node):
    """How many steps of syncs a node did. Which of them ends a sync is chance."""
    text = node.request("GET", "/metrics").body.decode()
    return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith("ordersync_sync_step_duration_seconds_count"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--users", type=int, default=6)
    arguments = parser.parse_args()
    verdict = Verdict()
    with (Cluster() as cluster, tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as running,
          TimedShop(refused=40, orders=ORDERS) as shop):
        retailers = pathlib.Path(folder) / "retailers.toml"
        retailers.write_text(shop.entry(RETAILER, f"min_interval_ms = {round(INTERVAL * 1000)}"))
        nodes = [Service(f"{folder}/node{number}", "--rate-limit", "off", "--log", "json", "--retailers", str(retailers),
                         database=cluster.address(), home=f"{folder}/home") for number in range(arguments.nodes)]
        for node in nodes:
            running.enter_context(node)
        ends, items = sync(nodes, arguments.users)
        at_work = [steps(node) for node in nodes]
        times, refused_at = shop.times, shop.refused_at
    verdict.check("all syncs complete", ends == ["completed"] * arguments.users, ends)
    verdict.check("with all line items", items == [ORDERS * LINES] * arguments.users, items)
    verdict.check("several nodes did some of their steps", sum(count > 0 for count in at_work) > 1, at_work)
    # Networks are not exact: ten requests together may be a little early, a single one more so. On a busy machine, a request may
    # come late, which makes those after it look early: a beginning is the earliest that it or the next two allow.
    begins = [min(times[index + later] - later * INTERVAL for later in range(3)) for index in range(len(times) - 10)]
    close = [(index, times[index + 10] - began) for index, began in enumerate(begins)
             if times[index + 10] - began < 10 * INTERVAL - 0.15]
    verdict.check(f"requests are {INTERVAL} s apart, over all nodes", not close, close[:3])
    verdict.check("the shop asked to be left alone", refused_at is not None, len(times))
    if refused_at is not None:
        soon = [moment - refused_at for moment in times if refused_at + NEAR < moment < refused_at + RETRY_AFTER - 0.1]
        verdict.check(f"and was, for {RETRY_AFTER} s, by all nodes", not soon, soon[:3])
    print(f"{len(times)} requests of {arguments.users} users by {arguments.nodes} nodes, {at_work} steps by each, "
          f"{times[-1] - times[0]:.1f} s")
    return verdict.end("pace")


if __name__ == "__main__":
    sys.exit(main())
