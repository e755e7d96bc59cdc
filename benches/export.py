#!/usr/bin/env python3
"""Measures `orders export` beside its peers, over the same service and the same line items, in the same run.

    cargo build --release
    python3 benches/export.py                          200,000 items, five runs of each
    python3 benches/export.py --items 20000 --runs 3
    python3 benches/export.py --memory 20000 2000000   peak memory of client and service at two sizes
    python3 benches/export.py --once 10000000          one export of so many, to the end

It starts `serve --sandbox --rate-limit off` on a port of the system's choosing, lets a simulated retailer make the items,
and runs everything one after the other, the candidates taking turns. Peers that are not installed are named and left out:
curl, jq, mlr (Miller), Python with requests. Writes nothing but a folder that it removes.
"""

import argparse
import csv
import decimal
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = 1000
# The fourteen columns; CSV that the service writes has no other.
FIELDS = (
    "retailerName orderId orderDate itemName brandName department category subCategory retailerSku quantity price currency "
    "shipmentStatus orderTotal"
).split()
# With an id, JSON is the only way to have them.
CONVERTED = ["id", *FIELDS]
SCRIPT = """
import csv, os, requests
fields = %r
session = requests.Session()
session.headers["Authorization"] = "Bearer " + os.environ["ORDERSYNC_TOKEN"]
with open("python.csv", "w", newline="") as file:
    writer = csv.writer(file)
    writer.writerow(fields)
    offset = 0
    while True:
        answer = session.get(os.environ["ORDERSYNC_BASE_URL"] + "/sync/orders", params={"limit": 1000, "offset": offset})
        answer.raise_for_status()
        rows = answer.json()
        writer.writerows([row[field] for field in fields] for row in rows)
        offset += len(rows)
        if len(rows) < 1000:
            break
"""


class Service:
    """A service of its own in a folder of its own."""

    def __init__(self, binary, items):
        self.binary, self.items = binary, items
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="ordersync-bench-"))
        self.log = open(self.folder / "serve.log", "w+")
        self.process = subprocess.Popen(
            [binary, "serve", "--sandbox", "--listen", "127.0.0.1:0", "--rate-limit", "off", "--speed", "1000000",
             "--log", "json", "--database", str(self.folder / "service.sqlite3")],
            stdout=self.log, stderr=subprocess.STDOUT, env=self.environment(),
        )
        self.base_url = self.address()
        token = subprocess.run(
            [binary, "sandbox", "token", "--base-url", self.base_url], env=self.environment(), check=True, capture_output=True, text=True
        )
        self.token = token.stdout.strip()
        self.seconds = self.fill()

    def environment(self, **more):
        return {"PATH": os.environ["PATH"], "HOME": str(self.folder), "ORDERSYNC_HOME": str(self.folder / "home"), "LANG": "C.UTF-8", **more}

    def client(self):
        return self.environment(ORDERSYNC_BASE_URL=self.base_url, ORDERSYNC_TOKEN=self.token)

    def address(self):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            text = (self.folder / "serve.log").read_text()
            for word in text.replace('"', " ").split():
                if word.startswith("http://127.0.0.1:"):
                    return word.rstrip("/.,;")
            time.sleep(0.02)
        sys.exit(f"serve did not start: {text}")

    def fill(self):
        """Lets the simulated retailer make the items; the seconds that storing them took."""
        credentials = self.folder / "credentials.json"
        credentials.write_text(json.dumps({"username": f"user_items_{self.items}", "password": "pass_good"}))
        credentials.chmod(0o600)
        started = time.monotonic()
        subprocess.run(
            [self.binary, "connect", "-r", "1", "--credentials-file", str(credentials), "--quiet", "--timeout", "3h"],
            env=self.client(), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        return time.monotonic() - started

    def peak(self):
        """Peak memory of the service, in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1024

    def close(self):
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)


def urls(service, form):
    """What curl asks for: every page, over one connection."""
    pages = range(0, service.items, PAGE)
    lines = [f'url = "{service.base_url}/sync/orders?limit={PAGE}&offset={offset}&format={form}"\noutput = "-"' for offset in pages]
    path = service.folder / f"pages-{form}"
    path.write_text("\n".join(lines) + "\n")
    return path


def candidates(service):
    binary = service.binary
    curl = f'curl -sf -H "Authorization: Bearer $ORDERSYNC_TOKEN" -K'
    jq = ".[]|[" + ",".join(f".{field}" for field in CONVERTED) + "]|@csv"
    as_csv, as_json = urls(service, "csv"), urls(service, "json")
    script = service.folder / "peer.py"
    script.write_text(SCRIPT % CONVERTED)
    has = lambda program: shutil.which(program) is not None
    python = sys.executable
    requests = subprocess.run([python, "-c", "import requests"], capture_output=True).returncode == 0
    ours = "ordersync orders export"
    return [
        ("csv", f"{ours} (CSV, passed through)", f"{binary} orders export --out ours.csv --quiet", True),
        ("csv", "curl, CSV pages", f"{curl} {as_csv} >curl.csv", has("curl")),
        ("json", f"{ours} --columns id,… (JSON pages to CSV)", f"{binary} orders export --columns {','.join(CONVERTED)} --out columns.csv --quiet", True),
        ("json", "curl, JSON pages, nothing converted", f"{curl} {as_json} >curl.json", has("curl")),
        ("json", "curl | jq -r @csv", f"{curl} {as_json} | jq -r '{jq}' >jq.csv", has("curl") and has("jq")),
        ("json", "curl | mlr --ojson to csv", f"{curl} {as_json} | mlr --ijson --ocsv cut -o -f {','.join(CONVERTED)} >mlr.csv", has("curl") and has("mlr")),
        ("json", "Python, requests and csv", f"{python} {script}", requests),
    ]


def run(service, command):
    """Wall time in seconds, and the peak memory of the largest process in MiB."""
    started = time.monotonic()
    process = subprocess.Popen(["/bin/sh", "-c", f"exec {command}" if "|" not in command else command], env=service.client(), cwd=service.folder)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - started
    if status != 0:
        sys.exit(f"failed: {command}")
    return seconds, usage.ru_maxrss / 1024


def speed(binary, items, runs):
    service = Service(binary, items)
    try:
        peers = candidates(service)
        for _, name, _, there in peers:
            if not there:
                print(f"not installed, left out: {name}", file=sys.stderr)
        peers = [peer for peer in peers if peer[3]]
        times = {name: [] for _, name, _, _ in peers}
        for _, name, command, _ in peers:
            run(service, command)
        for _ in range(runs):
            for _, name, command, _ in peers:
                times[name].append(run(service, command)[0])
        print(f"{items} line items, {items // PAGE} pages, {runs} runs of each, taking turns; stored in {service.seconds:.1f} s\n")
        print("| What | Median s | Least | Most | To ours |\n|---|---:|---:|---:|---:|")
        first = {}
        for kind, name, _, _ in peers:
            median = statistics.median(times[name])
            base = first.setdefault(kind, median)
            print(f"| {name.replace('|', chr(92) + '|')} | {median:.3f} | {min(times[name]):.3f} | {max(times[name]):.3f} | {median / base:.2f} |")
        print(f"\nservice's peak memory: {service.peak():.0f} MiB")
        check(service.folder, items)
    finally:
        service.close()


def check(folder, items):
    """Whether what was measured is right: ours and the peers' files hold the same rows."""
    numbers = [CONVERTED.index(field) for field in ("quantity", "price", "orderTotal")]

    def rows(name, header):
        # The peers write in their own way: 12.5 for 12.50, null for nothing.
        for row in list(csv.reader((folder / name).open(newline="")))[header:]:
            row = ["" if cell == "null" else cell for cell in row]
            yield [decimal.Decimal(cell).normalize() if index in numbers and cell else cell for index, cell in enumerate(row)]

    converted = list(csv.reader((folder / "columns.csv").open(newline="")))[1:]
    passed = list(csv.reader((folder / "ours.csv").open(newline="")))[1:]
    same = {"passed through": [row[1:] for row in converted] == passed and len(passed) == items}
    converted = list(rows("columns.csv", 1))
    for name, header in (("jq.csv", 0), ("mlr.csv", 1), ("python.csv", 1)):
        if (folder / name).exists():
            same[name] = list(rows(name, header)) == converted
    print("the same rows as ours from JSON: " + ", ".join(f"{name} {'yes' if is_same else 'NO'}" for name, is_same in same.items()))
    if not all(same.values()):
        sys.exit("what was measured is not the same work")


def memory(binary, sizes):
    print("| Items | Form | Seconds | Client's peak MiB | Service's peak MiB |\n|---:|---|---:|---:|---:|")
    for items in sizes:
        service = Service(binary, items)
        try:
            for form in ("csv", "jsonl"):
                seconds, peak = run(service, f"{binary} orders export --format {form} --out out.{form} --quiet")
                print(f"| {items} | {form} | {seconds:.1f} | {peak:.1f} | {service.peak():.0f} |", flush=True)
        finally:
            service.close()


def once(binary, items):
    service = Service(binary, items)
    try:
        print(f"{items} items stored in {service.seconds:.0f} s, {(service.folder / 'service.sqlite3').stat().st_size / 2**30:.2f} GiB", flush=True)
        seconds, peak = run(service, f"{binary} orders export --out once.csv --quiet --timeout 3h")
        size = (service.folder / "once.csv").stat().st_size
        print(f"exported in {seconds:.1f} s, {size / 2**30:.2f} GiB; client's peak {peak:.1f} MiB, service's {service.peak():.0f} MiB")
    finally:
        service.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--memory", type=int, nargs="+", metavar="ITEMS")
    parser.add_argument("--once", type=int, metavar="ITEMS")
    arguments = parser.parse_args()
    binary = os.environ.get("ORDERSYNC_BIN", str(ROOT / "target/release/ordersync"))
    if arguments.memory:
        memory(binary, arguments.memory)
    elif arguments.once:
        once(binary, arguments.once)
    else:
        speed(binary, arguments.items, arguments.runs)


if __name__ == "__main__":
    main()
