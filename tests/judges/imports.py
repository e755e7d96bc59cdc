#!/usr/bin/env python3
"""Generated exports of Amazon (tests/own_history/generate.py), imported and held against what was generated.

A second import changes nothing; one that is killed and repeated ends as one that ran through; after that of a year later,
refunds are there, titles are the new ones, and nothing is gone. By hand: `--large 400000` imports so many orders into a
service of its own, and says how long it took and how much memory the command and the service had.
"""

import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from decimal import Decimal

from judge import ROOT, Service, Verdict, binary, clean_environment, command

sys.path.insert(0, str(ROOT / "tests/own_history"))
import generate  # noqa: E402


def differences(lines, seed, count, later):
    """Orders that are not as generated: their numbers, with both forms of each."""
    waiting, seen, wrong = {}, set(), []
    for line in lines:
        item = json.loads(line, parse_float=Decimal, parse_int=Decimal)
        made = generate.order(seed, generate.number_of(item["orderId"]))
        items = waiting.setdefault(made["number"], [])
        items.append(item)
        # An order's lines are near one another: memory holds a few orders.
        if len(items) == len(made["lines"]):
            stored, expected = generate.stored(waiting.pop(made["number"])), generate.expected(made, later)
            if made["number"] in seen or item["orderId"] != made["id"] or stored != expected:
                fields = [name for name in expected if stored[name] != expected[name]]
                wrong.append((made["id"], made["layout"], [(name, stored[name], expected[name]) for name in fields]))
            seen.add(made["number"])
    return wrong + [(number, "has too few lines") for number in waiting] + [(number, "is not stored") for number in range(count) if number not in seen][:20]


class Home:
    """A command's home, and with `service` one of its own behind it."""

    def __init__(self, folder, base=None, token=None):
        self.folder, self.base, self.token = pathlib.Path(folder), base, token
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, *arguments):
        return command(*arguments, home=self.folder, base=self.base, token=self.token)

    def imported(self, verdict, path):
        ran = self.run("import", path, "-o", "json")
        verdict.check(f"import of {path}", ran.returncode == 0, ran.stderr)
        results = json.loads(ran.stdout or "{}").get("results", [])
        return tuple(sum(one[name] for one in results) for name in ("ordersNew", "ordersChanged"))

    def compare(self, verdict, what, seed, count, later=False):
        out = self.folder / "orders.jsonl"
        ran = self.run("orders", "export", "--columns", generate.COLUMNS, "--out", out, "--restart")
        verdict.check(f"export of {what}", ran.returncode == 0, ran.stderr)
        with open(out, encoding="utf-8") as lines:
            wrong = differences(lines, seed, count, later)
        verdict.check(what, not wrong, wrong[:3])

    def killed(self, path, seconds):
        """Whether an import is killed that takes longer than this."""
        environment = {**clean_environment(), "ORDERSYNC_HOME": str(self.folder), "CI": "true"}
        process = subprocess.Popen([binary(), "import", str(path)], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(seconds)
            return False
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return True


def judge(verdict, folder, seed, count, kills):
    first, later = folder / f"{seed}", folder / f"{seed}-later"
    generate.write(first, seed, count, packed=True)
    generate.write(later, seed, count, later=True)
    home, began = Home(folder / f"home-{seed}"), time.monotonic()
    packed = first.with_suffix(".zip")
    verdict.check(f"orders of {seed}", home.imported(verdict, packed) == (count, 0))
    took = time.monotonic() - began
    home.compare(verdict, f"orders of {seed} as they were generated", seed, count)
    verdict.check(f"{seed} again", home.imported(verdict, first) == (0, 0))
    new, _ = home.imported(verdict, later)
    verdict.check(f"{seed} a year later has no new orders", new == 0, new)
    home.compare(verdict, f"orders of {seed} a year later", seed, count, later=True)
    verdict.check(f"{seed} a year later again", home.imported(verdict, later) == (0, 0))
    other, dice = Home(folder / f"home-{seed}-killed"), random.Random(seed)
    were_killed = 0
    # An import that ends before its kill says that the first one was slower than they are now.
    while were_killed < kills and took > 0.01:
        if other.killed(packed, dice.random() * took):
            were_killed += 1
        else:
            took /= 2
    verdict.check(f"{kills} imports of {seed} were killed", were_killed == kills, were_killed)
    other.imported(verdict, packed)
    other.compare(verdict, f"orders of {seed} after {were_killed} kills", seed, count)


class Peak:
    """The most memory that processes had (VmHWM), in MiB."""

    def __init__(self):
        self.most = {}

    def watch(self, name, process):
        def read():
            while process.poll() is None:
                try:
                    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
                    self.most[name] = max(self.most.get(name, 0), int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024)
                except (OSError, TypeError):
                    pass
                time.sleep(0.05)
        threading.Thread(target=read, daemon=True).start()


def large(verdict, folder, seed, count):
    with Service(folder / "service", "--rate-limit", "off") as service:
        token = service.token()
        for later in (False, True):
            path = folder / f"large-{later}"
            generate.write(path, seed, count, later)
            peak, began = Peak(), time.monotonic()
            environment = {**clean_environment(), "ORDERSYNC_HOME": str(folder / "home"), "CI": "true", "ORDERSYNC_BASE_URL": service.base,
                           "ORDERSYNC_TOKEN": token}
            ran = subprocess.Popen([binary(), "import", str(path)], env=environment, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=open(folder / "said", "wb"))
            peak.watch("command", ran)
            peak.watch("service", service.process)
            verdict.check("the import", ran.wait() == 0, (folder / "said").read_text()[-2000:])
            rows = sum(len(generate.order(seed, number)["lines"]) for number in range(0, count, 50)) * 50
            print(f"{count} orders, about {rows} lines, later={later}: {time.monotonic() - began:.0f} s, {peak.most} MiB", flush=True)
            Home(folder / "home", service.base, token).compare(verdict, f"{count} orders, later={later}", seed, count, later)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1,2")
    parser.add_argument("--count", type=int, default=480)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--large", type=int)
    options = parser.parse_args()
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        for seed in options.seeds.split(","):
            if options.large:
                large(verdict, pathlib.Path(folder), seed, options.large)
            else:
                judge(verdict, pathlib.Path(folder), seed, options.count, options.kills)
    return verdict.end("imports")


if __name__ == "__main__":
    sys.exit(main())
