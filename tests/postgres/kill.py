#!/usr/bin/env python3
"""Several nodes on one PostgreSQL, whose users sync while nodes are killed and the database is restarted at random moments.

    tests/postgres/kill.py [--kills 100] [--restarts 10] [--users 40] [--nodes 4] [--seed N]

Every session that was answered with 202 has to end `completed`, every user has to have the rows of an undisturbed run, none
missing and none twice, and the store has to be sound.
"""

import argparse
import contextlib
import http.client
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "judges"))
from cluster import Cluster  # noqa: E402
from judge import Service, binary, clean_environment  # noqa: E402

RETAILER, ACCOUNT = 12, "user_items_1000"
# A lease of a node that died runs out after about ten seconds; then the sync continues.
PATIENCE = 300
FIRST_PHONE = 15550110


class Users:
    """Users who sync through whichever node answers."""

    def __init__(self, nodes, number, moments):
        self.nodes, self.moments = nodes, moments
        self.tokens = [self.anywhere(lambda node, phone=FIRST_PHONE + index: node.token(f"+{phone}")) for index in range(number)]
        self.batches = {}

    def anywhere(self, ask, patience=60):
        """What a node answers. One that was killed, or whose database is away, is no answer."""
        deadline = time.monotonic() + patience
        while True:
            node = self.moments.choice(self.nodes)
            try:
                return ask(node)
            except (OSError, http.client.HTTPException, AssertionError) as why:
                is_away = not isinstance(why, AssertionError) or why.args[0].status == 503
                if not is_away:
                    raise
                if time.monotonic() > deadline:
                    raise SystemExit(f"no node answers: {why!r}")
                time.sleep(0.05)

    def begin(self):
        """First syncs, on an empty store."""
        for token in self.tokens:
            self.anywhere(lambda node, token=token: expect(node.request("POST", "/sandbox/reset", {}, token=token), 204))
            self.batches[token] = self.anywhere(lambda node, token=token: self.connected(node, token))

    def connected(self, node, token):
        answer = node.connect(token, RETAILER, ACCOUNT)
        # The node before this one may have made the connection, and died before it could say so.
        if answer.status == 409:
            return expect(node.request("GET", "/sync/sessions/latest", token=token), 200).json["batchId"]
        return expect(answer, 202).json["batchId"]

    def sessions(self):
        return [self.anywhere(lambda node, token=token: node.session(token, batch)) for token, batch in self.batches.items()]

    def are_over(self):
        return all(session["status"] == "normal" for session in self.sessions())

    def end(self):
        """The rows of each user."""
        deadline = time.monotonic() + PATIENCE
        while not self.are_over():
            if time.monotonic() > deadline:
                raise SystemExit(f"sessions do not end: {[s for s in self.sessions() if s['status'] != 'normal']}")
            time.sleep(0.2)
        for session in self.sessions():
            if any(part["syncStatus"] != "completed" for part in session["retailerSyncSessions"]):
                raise SystemExit(f"a session did not complete: {session}")
        return [self.anywhere(lambda node, token=token: node.export(token)) for token in self.tokens]


def expect(answer, status):
    assert answer.status == status, answer
    return answer


def disturb(cluster, nodes, users, kills, restarts, length, moments):
    """Kills nodes and restarts the database at random moments of the syncs. Returns how often it did either."""
    done, ends = [0, 0], time.monotonic() + length
    while time.monotonic() < ends and done != [kills, restarts]:
        time.sleep(moments.uniform(0, length / 12))
        if done[1] < restarts and moments.random() < restarts / (kills + restarts):
            # As a crash, or as an operator would.
            cluster.stop(mode=moments.choice(["immediate", "fast"]))
            time.sleep(moments.uniform(0, 1))
            cluster.start()
            done[1] += 1
        elif done[0] < kills:
            node = moments.choice(nodes)
            node.kill()
            time.sleep(moments.uniform(0, 1))
            node.start()
            done[0] += 1
    return done


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--users", type=int, default=40)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--speed", type=float, default=2)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    moments = random.Random(seed)
    with Cluster(durable=True) as cluster, tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as running:
        nodes = [Service(f"{folder}/node{number}", "--rate-limit", "off", "--log", "json", "--speed", str(arguments.speed),
                         database=cluster.address(), home=f"{folder}/home") for number in range(arguments.nodes)]
        for node in nodes:
            running.enter_context(node)
        users, began = Users(nodes, arguments.users, moments), time.monotonic()
        users.begin()
        undisturbed = users.end()
        length = time.monotonic() - began
        print(f"undisturbed: {length:.1f} s, {arguments.users} users of {len(undisturbed[0]) - 1} rows; seed {seed}", flush=True)
        if len(undisturbed[0]) < 100 or any(rows != undisturbed[0] for rows in undisturbed):
            sys.exit("the undisturbed run is no measure")
        kills = restarts = rounds = 0
        while kills < arguments.kills or restarts < arguments.restarts:
            rounds += 1
            users.begin()
            more = disturb(cluster, nodes, users, arguments.kills - kills, arguments.restarts - restarts, length, moments)
            kills, restarts = kills + more[0], restarts + more[1]
            print(f"{kills} kills, {restarts} restarts of the database", flush=True)
            for number, rows in enumerate(users.end()):
                if rows != undisturbed[0]:
                    missing = len(set(undisturbed[0]) - set(rows))
                    sys.exit(f"user {number}: {missing} rows are missing or changed, {len(rows) - len(undisturbed[0]):+} rows in all")
        checked = subprocess.run([binary(), "admin", "store", "check", "--database", cluster.address()],
                                 capture_output=True, text=True, env=clean_environment() | {"ORDERSYNC_HOME": f"{folder}/home"})
        if checked.returncode != 0:
            sys.exit(f"the store is not sound: {checked.stdout}{checked.stderr}")
    print(f"kill: {kills} kills of {arguments.nodes} nodes and {restarts} restarts of PostgreSQL in {rounds} rounds of "
          f"{arguments.users} users, every row as it was, the store sound")
    return 0


if __name__ == "__main__":
    sys.exit(main())
