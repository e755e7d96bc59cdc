#!/usr/bin/env python3
"""What a page of line items costs, wherever in the list it is.

Fills a sandbox's store with line items (through syncs, as always), then asks for pages of 1000 at growing offsets, with
each filter, as JSON and as CSV, over loopback, and prints the medians, with their ratio to the first page.

    cargo build --release && benches/paging.py --items 2000000

With --database, the store is kept, and filled only once.
"""

import argparse, http.client, json, os, re, statistics, subprocess, sys, tempfile, time

SHARES = {12: 0.8, 3: 0.2}
FILTERS = {
    "none": "",
    "retailer_id": "&retailer_id=12",
    "start_date": "&start_date=2024-09-01",
    "end_date": "&end_date=2026-05-01",
    "all three": "&retailer_id=12&start_date=2024-09-01&end_date=2026-05-01",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default="target/release/ordersync")
    parser.add_argument("--items", type=int, default=2_000_000)
    parser.add_argument("--database")
    parser.add_argument("--runs", type=int, default=21)
    parser.add_argument("--offsets", default="0,1000,100000,500000,1000000")
    return parser.parse_args()


class Service:
    def __init__(self, binary, database, home):
        environment = {"HOME": home, "PATH": os.environ["PATH"]}
        self.binary, self.environment = binary, environment
        command = [binary, "serve", "--sandbox", "--listen", "127.0.0.1:0", "--database", database]
        command += ["--rate-limit", "off", "--speed", "1000000"]
        self.log = open(os.path.join(home, "log"), "w+")
        self.process = subprocess.Popen(command, env=environment, stderr=self.log)
        while not (found := re.search(r"http://([\d.]+):(\d+)", open(self.log.name).read())):
            if self.process.poll() is not None:
                sys.exit(open(self.log.name).read())
            time.sleep(0.05)
        self.base = found.group(0)
        self.http = http.client.HTTPConnection(found.group(1), int(found.group(2)), timeout=600)
        token = self.ask("POST", "/sandbox/token", {"phone": "+15550101"})[2]
        self.token = json.loads(token)["access_token"]

    def ask(self, method, path, body=None):
        headers = {"Content-Type": "application/json"}
        if hasattr(self, "token"):
            headers["Authorization"] = f"Bearer {self.token}"
        self.http.request(method, path, json.dumps(body) if body is not None else None, headers)
        answer = self.http.getresponse()
        return answer.status, answer.headers, answer.read()

    def connect(self, retailer, items):
        known = json.loads(self.ask("GET", "/sync/connections")[2])
        if any(connection["retailerId"] == retailer for connection in known):
            return
        command = [self.binary, "connect", "--retailer", str(retailer), "--credentials-stdin", "--yes"]
        credentials = json.dumps({"username": f"user_items_{items}", "password": "pass_good"})
        environment = self.environment | {"ORDERSYNC_BASE_URL": self.base, "ORDERSYNC_TOKEN": self.token}
        started, before = time.monotonic(), self.spent()
        made = subprocess.run([*command, "--quiet", "--no-wait"], input=credentials, env=environment, text=True, capture_output=True)
        if made.returncode:
            sys.exit(made.stderr)
        while json.loads(self.ask("GET", "/sync/sessions/latest")[2])["status"] != "normal":
            time.sleep(0.2)
        took = time.monotonic() - started
        seconds, written = (after - earlier for after, earlier in zip(self.spent(), before))
        print(f"stored {items:,} items in {took:.1f} s: {items / took:,.0f} a second, ", end="")
        print(f"{seconds / items * 1e6:.0f} µs of processor time each, {written / 2**30:.2f} GiB written", flush=True)

    def spent(self):
        """The service's processor time in seconds, and the bytes that it wrote."""
        fields = open(f"/proc/{self.process.pid}/stat").read().rpartition(")")[2].split()
        written = re.search(r"^write_bytes: (\d+)", open(f"/proc/{self.process.pid}/io").read(), re.MULTILINE)
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(written.group(1))

    def peak(self):
        status = open(f"/proc/{self.process.pid}/status").read()
        return int(re.search(r"VmHWM:\s+(\d+)", status).group(1)) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


def main():
    given = arguments()
    with tempfile.TemporaryDirectory() as home:
        service = Service(os.path.abspath(given.binary), given.database or os.path.join(home, "store.sqlite3"), home)
        try:
            for retailer, share in SHARES.items():
                service.connect(retailer, round(given.items * share))
            print(f"peak memory of the service after that: {service.peak():.0f} MiB\n")
            measure(service, given)
            print(f"\npeak memory of the service: {service.peak():.0f} MiB")
        finally:
            service.stop()


def measure(service, given):
    offsets = [int(offset) for offset in given.offsets.split(",")]
    print("form  filter       total      " + "".join(f"{offset:>18,}" for offset in offsets))
    for form in ["json", "csv"]:
        for name, query in FILTERS.items():
            times = {offset: [] for offset in offsets}
            # In turns, so that what else the machine does falls on all of them.
            for run in range(given.runs + 1):
                for offset in offsets:
                    started = time.perf_counter()
                    path = f"/sync/orders?limit=1000&offset={offset}&format={form}{query}"
                    status, headers, body = service.ask("GET", path)
                    took = time.perf_counter() - started
                    assert status == 200 and (offset >= int(headers["X-Total-Count"]) or len(body) > 10_000)
                    if run:
                        times[offset].append(took * 1000)
            medians = {offset: statistics.median(times[offset]) for offset in offsets}
            cells = "".join(f"{medians[o]:>9.2f} ms {medians[o] / medians[offsets[0]]:>4.2f}x" for o in offsets)
            print(f"{form:5} {name:12} {headers['X-Total-Count']:>10} {cells}", flush=True)


main()
