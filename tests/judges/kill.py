#!/usr/bin/env python3
"""Kills the service at random moments of a sync, starts it again, and compares the orders with an undisturbed run's.

    kill.py [--rounds 25] [--seed N]                                   syncs of user_items_5000, simulated
    kill.py --shop http://127.0.0.1:8101 [--email ...] [--password ...]   of a shop that runs on django-oscar

Every session has to end `completed`, and the exported rows have to be those of the undisturbed run: none missing, none
twice. A session may be hit up to three times. The pages of user_items_5000 are waited for as in life, so that there is
something to hit.
"""

import argparse
import pathlib
import random
import sys
import tempfile
import time

from judge import Service

HITS_PER_SESSION = 3
# The lease of a node that died runs out after about ten seconds; then the sync goes on.
PATIENCE = 240


def begin(service, token, arguments):
    """A first sync, on an empty store."""
    reset = service.request("POST", "/sandbox/reset", {}, token=token)
    assert reset.status == 204, reset
    answer = service.connect(token, arguments.retailer, arguments.email, arguments.password)
    assert answer.status == 202, answer
    return answer.json["batchId"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25, help="how often the service is killed")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--shop", help="base URL of a shop that runs on django-oscar")
    parser.add_argument("--email", help="the customer")
    parser.add_argument("--password")
    arguments = parser.parse_args()
    arguments.retailer = 101 if arguments.shop else 12
    arguments.email = arguments.email or ("cust123@shop.test" if arguments.shop else "user_items_5000")
    arguments.password = arguments.password or ("OrderSync!2024" if arguments.shop else "pass_good")
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    moments = random.Random(seed)

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        flags = ["--rate-limit", "off", "--log", "json"]
        if arguments.shop:
            retailers = folder / "retailers.toml"
            retailers.write_text(
                f'[[retailer]]\nid = 101\ndisplay_name = "Oscar Test Shop"\nconnector = "oscar"\n'
                f'base_url = "{arguments.shop}"\nallow_private_network = true\ntime_zone = "Europe/London"\n')
            flags += ["--retailers", str(retailers)]
        service = Service(folder / "service", *flags)
        service.start()
        token = service.token()
        began = time.monotonic()
        session = service.follow(token, begin(service, token, arguments), seconds=PATIENCE)
        length = time.monotonic() - began
        undisturbed = service.export(token)
        status = session["retailerSyncSessions"][0]["syncStatus"]
        print(f"undisturbed: {status} in {length:.1f} s, {len(undisturbed) - 1} rows; seed {seed}", flush=True)
        if status != "completed" or len(undisturbed) < 2:
            service.stop()
            sys.exit("the undisturbed run is no measure")

        kills = sessions = in_time = 0
        while kills < arguments.rounds:
            sessions += 1
            hits = 0
            batch = begin(service, token, arguments)
            while hits < HITS_PER_SESSION and kills < arguments.rounds:
                wait_until = time.monotonic() + moments.uniform(0, length)
                seen = service.session(token, batch)
                while time.monotonic() < wait_until and seen["status"] != "normal":
                    time.sleep(min(0.05, max(0.0, wait_until - time.monotonic())))
                    seen = service.session(token, batch)
                if seen["status"] == "normal":
                    in_time += 1
                    break
                before = seen["retailerSyncSessions"][0]
                service.kill()
                kills += 1
                hits += 1
                print(f"kill {kills}: {before['syncStatus']}, {before['itemsFound']} items found", flush=True)
                service.start()
                # Most hits are on a sync that goes on again, some on one that still waits for the dead node's lease.
                if moments.random() < 0.75:
                    service.follow(token, batch, lambda s, last=before: s["retailerSyncSessions"][0] != last, PATIENCE)
            session = service.follow(token, batch, seconds=PATIENCE)
            part = session["retailerSyncSessions"][0]
            rows = service.export(token)
            if part["syncStatus"] != "completed":
                service.stop()
                sys.exit(f"session {sessions} ended {part}")
            if rows != undisturbed:
                missing = len(set(undisturbed) - set(rows))
                more = len(rows) - len(undisturbed)
                service.stop()
                sys.exit(f"session {sessions}: {missing} rows are missing or changed, {more:+} rows in all")
            if part["itemsFound"] != len(undisturbed) - 1:
                service.stop()
                sys.exit(f"session {sessions} counted {part['itemsFound']} items")
        service.stop()
    print(f"kill: {kills} kills in {sessions} sessions ({in_time} ended before their moment came), every row as it was")
    return 0


if __name__ == "__main__":
    sys.exit(main())
