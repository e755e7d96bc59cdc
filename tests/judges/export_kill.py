#!/usr/bin/env python3
"""Kills the export of a history at random moments, goes on with --resume until it is done, and compares the file with an
undisturbed one, byte for byte. It says how far the exports were when they were killed: before the first row, within the
rows (in tenths of the bytes), after the last one, and when the file was in its place already.

    export_kill.py [--rounds 100] [--seed N] [--user user_items_5000] [--forms csv,json,jsonl]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100, help="how often the export is killed")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--user", default="user_items_5000", help="the simulated customer")
    parser.add_argument("--forms", default="csv,json,jsonl", help="the ends of the names of the files")
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

    forms = arguments.forms.split(",")

    def export(name, *more):
        command = [binary(), "orders", "export", "--out", folder / name, *more]
        return subprocess.Popen(command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    whole, lengths = {}, {}
    for form in forms:
        began = time.monotonic()
        running = export(f"whole.{form}")
        _, told = running.communicate()
        assert running.returncode == 0, told
        lengths[form] = time.monotonic() - began
        whole[form] = (folder / f"whole.{form}").read_bytes()
    print(f"undisturbed: {lengths}, { {form: len(content) for form, content in whole.items()} } bytes; seed {seed}", flush=True)

    kills = files = gone_on = 0
    phases = collections.Counter()
    while kills < arguments.rounds:
        form = forms[files % len(forms)]
        file = folder / f"orders.{form}"
        part = file.with_name(f"{file.name}.part")
        while True:
            running = export(file.name, "--resume")
            try:
                _, told = running.communicate(timeout=moments.uniform(0, lengths[form] * 1.1))
            except subprocess.TimeoutExpired:
                running.kill()
                _, told = running.communicate()
                kills += 1
                phases[phase(file, part, len(whole[form]))] += 1
            gone_on += b"Going on after" in told
            if running.returncode == 0:
                break
            assert running.returncode < 0, told
            if file.exists():
                # It was killed after its work was done.
                part.with_name(f"{part.name}.json").unlink(missing_ok=True)
                break
        if file.read_bytes() != whole[form]:
            sys.exit(f"{form}: another file after {kills} kills; seed {seed}")
        left = [entry.name for entry in folder.iterdir() if entry.name.startswith(part.name)]
        assert not left, left
        file.unlink()
        files += 1
    print("killed", ", ".join(f"{name}: {phases[name]}" for name in sorted(phases)))
    print(f"{kills} kills, {gone_on} gone on with, {files} files byte for byte the undisturbed ones")


def phase(file, part, whole):
    """How far an export has come that was killed."""
    if file.exists():
        return "the file in its place"
    size = part.stat().st_size if part.exists() else 0
    if size < 200:
        return "before the first row"
    # The end of JSON is a line of its own.
    return "after the last row" if size >= whole - 2 else f"at {size * 10 // whole}/10"


if __name__ == "__main__":
    main()
