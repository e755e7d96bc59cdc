#!/usr/bin/env python3
"""Kills the export of a history at random moments, goes on with --resume until it is done, and compares the file with an
undisturbed one, byte for byte.

    export_kill.py [--rounds 100] [--seed N] [--user user_items_5000]
"""

import argparse
import pathlib
import random
import subprocess
import sys
import tempfile
import time

from judge import Service, binary, clean_environment

FORMS = ["csv", "json", "jsonl"]


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
    answer = service.connect(token, 1, arguments.user, "pass_good")
    assert answer.status == 202, answer
    service.follow(token, answer.json["batchId"], seconds=300)
    surroundings = dict(clean_environment(), ORDERSYNC_HOME=str(folder / "home"), ORDERSYNC_BASE_URL=service.base,
                        ORDERSYNC_TOKEN=token)

    def export(form, name, *more):
        command = [binary(), "orders", "export", "--format", form, "--out", folder / name, *more]
        return subprocess.Popen(command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    whole, lengths = {}, {}
    for form in FORMS:
        began = time.monotonic()
        running = export(form, f"whole.{form}")
        _, told = running.communicate()
        assert running.returncode == 0, told
        lengths[form] = time.monotonic() - began
        whole[form] = (folder / f"whole.{form}").read_bytes()
    print(f"undisturbed: {lengths}, {len(whole['csv'])} bytes of CSV; seed {seed}", flush=True)

    kills = files = gone_on = 0
    while kills < arguments.rounds:
        form = FORMS[files % len(FORMS)]
        file = folder / f"orders.{form}"
        while True:
            running = export(form, file.name, "--resume")
            try:
                _, told = running.communicate(timeout=moments.uniform(0, lengths[form] * 1.1))
            except subprocess.TimeoutExpired:
                running.kill()
                _, told = running.communicate()
                kills += 1
            gone_on += b"Going on after" in told
            if running.returncode == 0:
                break
            assert running.returncode < 0, told
            assert not file.exists(), "a file that is not whole"
        if file.read_bytes() != whole[form]:
            sys.exit(f"{form}: another file after {kills} kills; seed {seed}")
        left = [entry.name for entry in folder.iterdir() if entry.name.startswith(f"{file.name}.part")]
        assert f"{file.name}.part" not in left, left
        file.unlink()
        files += 1
    print(f"{kills} kills, {gone_on} gone on with, {files} files byte for byte the undisturbed ones")


if __name__ == "__main__":
    main()
