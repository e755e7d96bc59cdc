#!/usr/bin/env python3
"""Kills the export of a history at random moments, resumes it with --resume until it is done, and compares the files with
undisturbed ones, byte for byte: in forms that are appended to, and in those that are made when all items are there. It
says how far the exports were when they were killed: before the first row, within the rows (in tenths of their bytes),
after the last one, and when all files were in their places already.

    export_kill.py [--rounds 100] [--seed N] [--user user_items_5000]
"""

import argparse
import collections
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from judge import Service, binary, clean_environment

FORMS = [
    ["orders.csv"],
    ["orders.json"],
    ["orders.jsonl"],
    ["orders.csv.gz"],
    ["orders.xlsx"],
    ["orders.parquet"],
    ["orders.jsonl", "--split-by", "month"],
    ["orders.csv.gz", "--split-by", "retailer"],
]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100, help="how often the export is killed")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--user", default="user_items_5000", help="the simulated customer")
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(2**32)
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        service = Service(folder / "service", "--rate-limit", "off", "--log", "json", "--speed", "50")
        service.start()
        try:
            judge(arguments, service, folder, moments, seed)
        finally:
            service.stop()


def judge(arguments, service, folder, moments, seed):
    token = service.token()
    catalog = service.request("GET", "/sync/retailers", token=token).json
    simple = [entry["retailerId"] for entry in catalog if len(entry["credentialFields"]) == 2]
    for retailer, user in zip(simple, [arguments.user, "user_items_1000"]):
        answer = service.connect(token, retailer, user, "pass_good")
        assert answer.status == 202, answer
        service.follow(token, answer.json["batchId"], seconds=300)
    surroundings = dict(clean_environment(), ORDERSYNC_HOME=str(folder / "home"), ORDERSYNC_BASE_URL=service.base,
                        ORDERSYNC_TOKEN=token)

    def export(form, to, *more):
        name, *flags = form
        to.mkdir(exist_ok=True)
        command = [binary(), "orders", "export", "--out", to / name, *flags, *more]
        return subprocess.Popen(command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    whole, lengths = [], []
    for number, form in enumerate(FORMS):
        began = time.monotonic()
        running = export(form, folder / f"whole{number}")
        _, told = running.communicate()
        assert running.returncode == 0, told
        lengths.append(time.monotonic() - began)
        whole.append(files(folder / f"whole{number}"))
        assert whole[-1], form
    print(f"undisturbed: {[round(length, 2) for length in lengths]} s; seed {seed}", flush=True)

    kills = done = gone_on = 0
    phases = collections.Counter()
    while kills < arguments.rounds:
        number = done % len(FORMS)
        form, to = FORMS[number], folder / f"killed{done}"
        longest = lengths[number]
        while True:
            # On a machine that has become slower since, an export may need more than its time to get any further.
            longest *= 1.1
            running = export(form, to, "--resume")
            try:
                _, told = running.communicate(timeout=moments.uniform(0, longest))
            except subprocess.TimeoutExpired:
                running.kill()
                _, told = running.communicate()
                kills += 1
                phases[phase(to, form[0], whole[number])] += 1
            gone_on += b"Resuming after" in told
            if running.returncode == 0:
                break
            assert running.returncode < 0, told
            for name, seen in files(to).items():
                assert seen == whole[number][name], f"{name}: a file that is not whole"
        if files(to) != whole[number]:
            sys.exit(f"{form}: other files after {kills} kills; seed {seed}")
        left = [entry.name for entry in to.iterdir() if ".part" in entry.name]
        assert not left, left
        done += 1
    print("killed", ", ".join(f"{name}: {phases[name]}" for name in sorted(phases)))
    print(f"{kills} kills, {gone_on} resumed, {done} exports byte for byte the undisturbed ones")


def phase(folder, name, whole):
    """How far an export has come that was killed. What cannot be appended to is spooled as JSON lines."""
    there, part = files(folder), folder / f"{name}.part"
    if len(there) == len(whole):
        return "all files in their places"
    if there:
        return "some files in their places"
    if any(entry.name.startswith(f"{name}.part.out") for entry in folder.iterdir()):
        return "while the files were made of the spool"
    size = part.stat().st_size if part.exists() else 0
    if size < 200:
        return "before the first row"
    if len(whole) > 1 or name.rsplit(".", 1)[-1] not in ("csv", "json", "jsonl"):
        return "while rows were spooled"
    # The end of JSON is a line of its own.
    whole = len(whole[name])
    return "after the last row" if size >= whole - 2 else f"at {size * 10 // whole}/10"


def files(folder):
    """What was exported, by name; not what is there until it is whole."""
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()
            if entry.name.startswith("orders") and ".part" not in entry.name}


if __name__ == "__main__":
    main()
