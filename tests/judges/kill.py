#!/usr/bin/env python3
"""Kills the service at random moments of a sync, starts it again, and compares the orders with an undisturbed run's.

    kill.py [--rounds 25] [--seed N]                                   syncs of user_items_5000, simulated
    kill.py --shop http://127.0.0.1:8101 [--email ...] [--password ...]   of a shop that runs on django-oscar
    kill.py --both                                                     of a running oscar and a recorded WooCommerce shop at once

Every session has to end `completed`, and the exported rows have to be those of the undisturbed run: none missing, none
twice. Sessions may be hit up to three times. The pages of user_items_5000 are waited for as in life, so that there is
something to hit.
"""

import argparse
import contextlib
import pathlib
import random
import sys
import tempfile
import time

from judge import ROOT, Service

sys.path.insert(0, str(ROOT / "tests/shops"))
from oscar_shop import oscar_entry  # noqa: E402

HITS_PER_SESSION = 3
# The lease of a node that died runs out after about ten seconds; then the sync goes on.
PATIENCE = 240


class Killed:
    """A service that syncs one user from several retailers at once. `targets`: retailer, user name, password."""

    def __init__(self, service, targets):
        self.service, self.targets, self.batches = service, targets, []
        self.token = service.token()

    def begin(self):
        """First syncs, on an empty store."""
        reset = self.service.request("POST", "/sandbox/reset", {}, token=self.token)
        assert reset.status == 204, reset
        answers = [self.service.connect(self.token, *target) for target in self.targets]
        assert all(answer.status == 202 for answer in answers), answers
        self.batches = [answer.json["batchId"] for answer in answers]

    def parts(self):
        sessions = [self.service.session(self.token, batch) for batch in self.batches]
        return [part for session in sessions for part in session["retailerSyncSessions"]]

    def are_over(self):
        return all(self.service.session(self.token, batch)["status"] == "normal" for batch in self.batches)

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
        rows = self.service.export(self.token)
        if sum(part["itemsFound"] for part in parts) != len(rows) - 1:
            raise SystemExit(f"{len(rows) - 1} rows, but the sessions counted {parts}")
        return rows

    def hit(self, length, moments):
        """Kills the service at a moment of the syncs, and starts it again; False: they were over before."""
        moment = time.monotonic() + moments.uniform(0, length)
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
    """(the file of retailers, the targets)."""
    if arguments.both:
        from oscar_shop import PASSWORD, Shop
        from recordings import Recording, entry
        from replay import COPIED, Replay

        arguments.work.mkdir(parents=True, exist_ok=True)
        recording = Recording()
        large = recording.copied(*COPIED)
        replay, oscar = Replay(recording).start(), Shop(arguments.work, {})
        try:
            oscar.ready()
            yield (oscar_entry(oscar.base) + entry(201, "Recorded Shop", replay.base),
                   [(101, "cust45@shop.test", PASSWORD), (201, large, PASSWORD)])
        finally:
            oscar.stop()
            replay.shutdown()
    elif arguments.shop:
        yield oscar_entry(arguments.shop), [(101, arguments.email or "cust123@shop.test", arguments.password or "OrderSync!2024")]
    else:
        yield None, [(12, arguments.email or "user_items_5000", arguments.password or "pass_good")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25, help="how often the service is killed")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--shop", help="base URL of a shop that runs on django-oscar")
    parser.add_argument("--email", help="the customer")
    parser.add_argument("--password")
    parser.add_argument("--both", action="store_true")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/shops/oscar", help="with --both: keeps the shop's installation")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    with tempfile.TemporaryDirectory() as folder, shops_of(arguments) as (retailers, targets):
        folder = pathlib.Path(folder)
        flags = ["--rate-limit", "off", "--log", "json"]
        if retailers:
            (folder / "retailers.toml").write_text(retailers)
            flags += ["--retailers", str(folder / "retailers.toml")]
        with Service(folder / "service", *flags) as service:
            return judge(Killed(service, targets), arguments.rounds, seed)


def judge(killed, rounds, seed):
    moments, began = random.Random(seed), time.monotonic()
    killed.begin()
    undisturbed = killed.end()
    length = time.monotonic() - began
    print(f"undisturbed: {length:.1f} s, {len(undisturbed) - 1} rows; seed {seed}", flush=True)
    if len(undisturbed) < 2:
        sys.exit("the undisturbed run is no measure")
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
