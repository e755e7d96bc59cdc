#!/usr/bin/env python3
"""Several nodes on one PostgreSQL, whose users sync while everything fails at random moments: nodes are killed, the database is
restarted, its connections are cut, and a replica takes over.

    tests/postgres/kill.py [--kills 100] [--restarts 10] [--cuts 10] [--promote] [--shop] [--users 40] [--nodes 4] [--seed N]

Every session that was answered with 202 has to end `completed`, every user has to have the rows of an undisturbed run, none
missing and none twice, what was answered with 2xx (writers.py) has to be so, and the store has to be sound. --shop: every
tenth user syncs from a shop that runs on django-oscar; --work keeps its installation.
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent / "judges"), str(HERE.parent / "shops")]
import writers  # noqa: E402
from failover import Database  # noqa: E402
from judge import ROOT, Service, binary, clean_environment  # noqa: E402

SIMULATED, SHOP = (12, "user_items_1000", "pass_good"), 101
# A lease of a node that died runs out after about ten seconds; then the sync continues.
PATIENCE = 600
#: For syncs that nobody follows, after all others have ended.
UNFOLLOWED = 60
#: Between one disturbance and the next.
LONGEST_REST = 3
FIRST_PHONE, FIRST_WRITER, WRITERS = 15550110, 15550180, 3
#: What no log may have: whatever fails, a node says what it was.
FAULTS = re.compile(r'panicked|"status":500\b')
REQUEST = re.compile(r'"request_id":"(\w+)"')


class Users:
    """Users who sync through whichever node answers. `targets`: retailer, user name and password, of one user after the other."""

    def __init__(self, nodes, number, targets, moments):
        self.nodes, self.targets, self.moments = nodes, targets, moments
        self.tokens = [self.anywhere(lambda node, phone=FIRST_PHONE + index: node.token(f"+{phone}")) for index in range(number)]
        self.batches = {}

    def target(self, index):
        return self.targets[index % len(self.targets)]

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
        for index, token in enumerate(self.tokens):
            self.anywhere(lambda node, token=token: expect(node.request("POST", "/sandbox/reset", {}, token=token), 204))
            target = self.target(index)
            self.batches[token] = self.anywhere(lambda node, token=token, target=target: self.connected(node, token, target))

    def connected(self, node, token, target):
        answer = node.connect(token, *target)
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


class Disturbance:
    """What is to happen at random moments, and what has happened."""

    def __init__(self, wanted, nodes, database, moments):
        self.wanted, self.done = wanted, dict.fromkeys(wanted, 0)
        self.nodes, self.database, self.moments = nodes, database, moments

    def left(self):
        return {kind: number - self.done[kind] for kind, number in self.wanted.items() if number > self.done[kind]}

    def during(self, length):
        """For so long, or until all has happened."""
        ends = time.monotonic() + length
        while time.monotonic() < ends and self.left():
            time.sleep(self.moments.uniform(0, min(LONGEST_REST, length / 12)))
            left = self.left()
            kind = self.moments.choices(list(left), list(left.values()))[0]
            getattr(self, kind)()
            self.done[kind] += 1

    def kills(self):
        node = self.moments.choice(self.nodes)
        node.kill()
        time.sleep(self.moments.uniform(0, 1))
        node.start()

    def restarts(self):
        self.database.restart(self.moments)

    def cuts(self):
        self.database.cut(self.moments)

    def promotions(self):
        self.database.promote(self.moments)

    def __str__(self):
        return ", ".join(f"{number} {kind}" for kind, number in self.done.items())


@contextlib.contextmanager
def targets_of(arguments, folder):
    """The flags of the nodes, and who syncs what."""
    if not arguments.shop:
        yield [], [SIMULATED]
        return
    from oscar_shop import PASSWORD, Shop, oscar_entry

    arguments.work.mkdir(parents=True, exist_ok=True)
    shop = Shop(arguments.work, {})
    try:
        shop.ready()
        (folder / "retailers.toml").write_text(oscar_entry(shop.base))
        yield ["--retailers", str(folder / "retailers.toml")], [(SHOP, arguments.customer, PASSWORD), *[SIMULATED] * 9]
    finally:
        shop.stop()


def admin(database, home, *arguments):
    ran = subprocess.run([binary(), "admin", *arguments, "--database", database.address()], capture_output=True, text=True,
                         env=clean_environment() | {"ORDERSYNC_HOME": str(home)})
    if ran.returncode != 0:
        sys.exit(f"admin {' '.join(arguments)}: {ran.stdout}{ran.stderr}")
    return ran.stdout


def in_the_end(database, home):
    """Nothing goes on, and the store is sound. Nobody follows the syncs of writers, and if the node of one was killed last, another
    has to wait for the lease first."""
    patience = time.monotonic() + UNFOLLOWED
    while going_on := json.loads(admin(database, home, "sessions", "list", "--output", "json")):
        if time.monotonic() > patience:
            sys.exit(f"sessions are stuck: {going_on}")
        time.sleep(1)
    admin(database, home, "store", "check")


def faults(nodes):
    """What no node should have logged, and what it said about those requests."""
    lines = [line for node in nodes for line in node.log.read_text(errors="replace").splitlines()]
    found = [line for line in lines if FAULTS.search(line)]
    requests = {request[1] for line in found if (request := REQUEST.search(line))}
    about = [line for line in lines if (request := REQUEST.search(line)) and request[1] in requests and line not in found]
    return [f"{len(found)} faults are in the logs:", *found[:5], *about[:5]] if found else []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--restarts", type=int, default=10)
    parser.add_argument("--cuts", type=int, default=10)
    parser.add_argument("--promote", action="store_true", help="the primary dies once, and its replica takes over")
    parser.add_argument("--shop", action="store_true")
    parser.add_argument("--customer", default="cust19@shop.test")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/shops/oscar")
    parser.add_argument("--users", type=int, default=40)
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--speed", type=float, default=2)
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    moments = random.Random(seed)
    with contextlib.ExitStack() as running:
        folder = pathlib.Path(running.enter_context(tempfile.TemporaryDirectory()))
        database = running.enter_context(Database(replicated=arguments.promote))
        flags, targets = running.enter_context(targets_of(arguments, folder))
        nodes = [Service(folder / f"node{number}", "--rate-limit", "off", "--log", "json", "--speed", str(arguments.speed), *flags,
                         database=database.address(), home=folder / "home") for number in range(arguments.nodes)]
        for node in nodes:
            running.enter_context(node)
        wanted = {"kills": arguments.kills, "restarts": arguments.restarts, "cuts": arguments.cuts, "promotions": int(arguments.promote)}
        disturbance = Disturbance(wanted, nodes, database, moments)
        try:
            said = judge(arguments, Users(nodes, arguments.users, targets, moments), disturbance, seed)
            in_the_end(database, folder / "home")
        except SystemExit as why:
            sys.exit("\n".join([str(why), *faults(nodes)]))
        if found := faults(nodes):
            sys.exit("\n".join(found))
    print(said)
    return 0


def judge(arguments, users, disturbance, seed):
    began = time.monotonic()
    users.begin()
    undisturbed = users.end()
    length = time.monotonic() - began
    rows = [len(rows) - 1 for rows in undisturbed[:len(users.targets)]]
    print(f"undisturbed: {length:.1f} s, {arguments.users} users of {sorted(set(rows))} rows; seed {seed}", flush=True)
    if min(rows) < 10 or any(rows != undisturbed[index % len(rows)] for index, rows in enumerate(undisturbed)):
        sys.exit("the undisturbed run is no measure")
    phones = [f"+{FIRST_WRITER + number}" for number in range(WRITERS)]
    writing, rounds = writers.begin(users.nodes, phones, users.moments), 0
    while disturbance.left():
        rounds += 1
        users.begin()
        disturbance.during(length)
        print(disturbance, flush=True)
        for number, rows in enumerate(users.end()):
            expected = undisturbed[number % len(users.targets)]
            if rows != expected:
                missing, more = set(expected) - set(rows), set(rows) - set(expected)
                sys.exit("\n".join([f"user {number}: {len(missing)} rows are missing or changed, {len(rows) - len(expected):+} rows in all",
                                    *sorted(missing)[:3], "instead there are", *sorted(more)[:3]]))
    written, unanswered = writers.end(writing, users.nodes[0])
    return (f"kill: {disturbance} of {arguments.nodes} nodes and their PostgreSQL in {rounds} rounds of {arguments.users} users: every "
            f"row as it was, {written} writes that were answered are there ({unanswered} were not), no session stuck, the store sound")


if __name__ == "__main__":
    sys.exit(main())
