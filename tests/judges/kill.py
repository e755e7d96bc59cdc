#!/usr/bin/env python3
"""Kills the service at random moments of a sync, starts it again, and compares the orders with an undisturbed run's.

    kill.py [--rounds 25] [--seed N]                                   syncs of user_items_5000, simulated
    kill.py --shop http://127.0.0.1:8101 [--email ...] [--password ...]   of a shop that runs on django-oscar
    kill.py --all                                                      of every platform at once: a running oscar, a recorded WooCommerce
                                                                       shop, and those of tests/shops/platforms.py

Every session has to end `completed`, and the exported rows have to be those of the undisturbed run: none missing, none
twice. With --all, those rows are compared with what the shops have. Sessions may be hit up to three times, more often early, where
sign-ins and lists are. The pages of user_items_5000 are waited for as in life, so that there is something to hit.
"""

import argparse
import contextlib
import json
import pathlib
import random
import signal
import sys
import tempfile
import time
from decimal import Decimal

from judge import ROOT, Service

sys.path.insert(0, str(ROOT / "tests/shops"))
from oscar_shop import oscar_entry  # noqa: E402

HITS_PER_SESSION = 3
# The lease of a node that died runs out after about ten seconds; then the sync goes on.
PATIENCE = 240
#: A service works on so many syncs of one user at a time.
PER_USER = 4
#: From one request to the next, in milliseconds, by the platform's number of requests: so that all syncs last about as long.
INTERVALS = {"magento": 1500, "opencart": 300, "medusa": 300, "vendure": 300, "opencart3": 300, "zencart": 300}


class Killed:
    """A service that syncs from several retailers at once. `targets`: retailer, user name, password."""

    def __init__(self, service, targets):
        self.service, self.targets, self.batches = service, targets, []
        self.tokens = [service.token(phone=f"+155501{place:02}") for place in range(-(-len(targets) // PER_USER))]

    def of(self, place):
        """The token of the user who has that target."""
        return self.tokens[place // PER_USER]

    def begin(self):
        """First syncs, on an empty store."""
        for token in self.tokens:
            reset = self.service.request("POST", "/sandbox/reset", {}, token=token)
            assert reset.status == 204, reset
        answers = [self.service.connect(self.of(place), *target) for place, target in enumerate(self.targets)]
        assert all(answer.status == 202 for answer in answers), answers
        self.batches = [answer.json["batchId"] for answer in answers]

    def sessions(self):
        return [self.service.session(self.of(place), batch) for place, batch in enumerate(self.batches)]

    def items(self, retailer):
        """The items of a retailer, of whichever user has it."""
        place = next(place for place, target in enumerate(self.targets) if target[0] == retailer)
        answer = self.service.request("GET", f"/sync/orders?limit=1000&include=adjustments&retailer_id={retailer}", token=self.of(place))
        assert answer.status == 200, answer
        return json.loads(answer.body, parse_float=Decimal, parse_int=Decimal)

    def parts(self):
        return [part for session in self.sessions() for part in session["retailerSyncSessions"]]

    def are_over(self):
        return all(session["status"] == "normal" for session in self.sessions())

    def wait(self, is_it, patience=PATIENCE):
        """Until `is_it`, or until all sessions are over. False: that was too long."""
        deadline = time.monotonic() + patience
        while not self.are_over() and not is_it():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    def end(self):
        """The parts at their ends, and the rows."""
        if not self.wait(lambda: False):
            raise SystemExit(f"the sessions do not end: {self.parts()}")
        parts = self.parts()
        if any(part["syncStatus"] != "completed" for part in parts):
            raise SystemExit(f"a session did not complete: {parts}")
        header, rows = None, []
        for token in self.tokens:
            header, *own = self.service.export(token)
            rows += own
        if sum(part["itemsFound"] for part in parts) != len(rows):
            raise SystemExit(f"{len(rows)} rows, but the sessions counted {parts}")
        return [header, *sorted(rows)]

    def hit(self, length, moments):
        """Kills the service at a moment of the syncs, and starts it again; False: they were over before."""
        moment = time.monotonic() + length * moments.random() ** 2
        self.wait(lambda: time.monotonic() >= moment)
        before = self.parts()
        if self.are_over():
            return False
        self.service.kill()
        print("killed: " + ", ".join(f"{part['syncStatus']} with {part['itemsFound']} items" for part in before), flush=True)
        self.service.start()
        # Most hits are on syncs that go on again, some on ones that still wait for the dead node's lease.
        if moments.random() < 0.75:
            self.wait(lambda: self.parts() != before)
        return True


@contextlib.contextmanager
def shops_of(arguments):
    """(the file of retailers, the targets, retailer -> from its items to what is wrong of them)."""
    if arguments.all:
        with every_platform(arguments.work) as shops:
            yield shops
    elif arguments.shop:
        yield oscar_entry(arguments.shop), [(101, arguments.email or "cust123@shop.test", arguments.password or "OrderSync!2024")], {}
    else:
        yield None, [(12, arguments.email or "user_items_5000", arguments.password or "pass_good")], {}


@contextlib.contextmanager
def every_platform(work):
    from oscar_shop import PASSWORD, Shop
    from platforms import PLATFORMS, Shop as Played
    from recorded_truth import differences
    from recordings import Recording, entry
    from replay import COPIED, Replay
    from runs import Customer

    work.mkdir(parents=True, exist_ok=True)
    recording, email = Recording(), "cust21@shop.test"
    large = recording.copied(*COPIED)
    replay, oscar = Replay(recording).start(), Shop(work, {})
    played = {301 + place: Played(platform()).start() for place, platform in enumerate(PLATFORMS)}
    try:
        oscar.ready()
        entries = oscar_entry(oscar.base) + entry(201, "Recorded Shop", replay.base)
        entries += "".join(shop.entry(number, interval=INTERVALS[shop.platform.connector]) for number, shop in played.items())
        targets = [(101, email, PASSWORD), (201, large, PASSWORD), *((number, shop.platform.email, PASSWORD) for number, shop in played.items())]

        def in_all(compare):
            def wrong(items):
                problems, missing = compare(items)
                return [*problems, *(f"order {number} is missing" for number in missing)]
            return wrong

        truths = {101: in_all(Customer(work / "shop.sqlite3", email).compare), 201: lambda items: differences(recording.of(large), items),
                  **{number: in_all(shop.platform.compare) for number, shop in played.items()}}
        yield entries, targets, truths
    finally:
        oscar.stop()
        replay.shutdown()
        for shop in played.values():
            shop.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25, help="how often the service is killed")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--shop", help="base URL of a shop that runs on django-oscar")
    parser.add_argument("--email", help="the customer")
    parser.add_argument("--password")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/shops/oscar", help="with --all: keeps the shop's installation")
    arguments = parser.parse_args()
    # What was started is stopped, also when this is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    with tempfile.TemporaryDirectory() as folder, shops_of(arguments) as (retailers, targets, truths):
        folder = pathlib.Path(folder)
        flags = ["--rate-limit", "off", "--log", "json"]
        if retailers:
            (folder / "retailers.toml").write_text(retailers)
            flags += ["--retailers", str(folder / "retailers.toml")]
        with Service(folder / "service", *flags) as service:
            return judge(Killed(service, targets), truths, arguments.rounds, seed)


def judge(killed, truths, rounds, seed):
    moments, began = random.Random(seed), time.monotonic()
    killed.begin()
    undisturbed = killed.end()
    length = time.monotonic() - began
    print(f"undisturbed: {length:.1f} s, {len(undisturbed) - 1} rows; seed {seed}", flush=True)
    if len(undisturbed) < 2:
        sys.exit("the undisturbed run is no measure")
    for retailer, wrong in truths.items():
        if problems := wrong(killed.items(retailer)):
            sys.exit(f"undisturbed, the rows of {retailer} are not the shop's: {problems[:5]}")
    kills = sessions = in_time = 0
    while kills < rounds:
        sessions, hits = sessions + 1, 0
        killed.begin()
        while hits < HITS_PER_SESSION and kills < rounds:
            if not killed.hit(length, moments):
                in_time += 1
                break
            kills, hits = kills + 1, hits + 1
        rows = killed.end()
        if rows != undisturbed:
            missing = len(set(undisturbed) - set(rows))
            sys.exit(f"session {sessions}: {missing} rows are missing or changed, {len(rows) - len(undisturbed):+} rows in all")
    print(f"kill: {kills} kills in {sessions} sessions ({in_time} ended before their moment came), every row as it was")
    return 0


if __name__ == "__main__":
    sys.exit(main())
