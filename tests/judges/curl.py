#!/usr/bin/env python3
"""Runs examples/curl.sh against a service of its own, and finds no endpoint missing."""

import pathlib
import re
import subprocess
import sys
import tempfile

import judge


def operations():
    path = None
    for line in (judge.ROOT / "openapi.yaml").read_text().splitlines():
        if match := re.match(r"  (/\S*):$", line):
            path = match[1]
        elif match := re.match(r"    (get|post|put|delete|patch):$", line):
            yield match[1].upper(), path


def main():
    commands = (judge.ROOT / "examples/curl.sh").read_text()
    called = {re.sub(r"\$\w+", "{}", path) for path in re.findall(r"\$base(/[^\s\"?]+)", commands)}
    missing = [f"{method} {path}" for method, path in operations() if re.sub(r"{\w+}", "{}", path) not in called]
    if missing:
        sys.exit(f"examples/curl.sh calls no {', '.join(missing)}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with judge.Service(folder / "service", "--rate-limit", "off", "--speed", "50") as service:
            work = folder / "work"
            work.mkdir()
            script = f"set -euo pipefail\nexec 2>&1\nbase={service.base}\npython3() {{ {sys.executable} \"$@\"; }}\n{commands}"
            ran = subprocess.run(["bash", "-c", script], cwd=work, timeout=600, stdout=subprocess.PIPE, text=True,
                                 stdin=subprocess.DEVNULL)
            orders = work / "orders.csv"
            if ran.returncode != 0 or not orders.exists() or len(orders.read_text().splitlines()) < 2:
                sys.exit(f"examples/curl.sh does not run (status {ran.returncode}):\n{ran.stdout}")
    print(f"examples/curl.sh: {commands.count('curl ')} commands ran, every endpoint among them")


main()
