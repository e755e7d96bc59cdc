"""Nodes and their database, and what they spend: shared by the benchmarks that compare two builds, or PostgreSQL with SQLite.

Processor time comes from /proc, so a figure of the node is without the database's, and both are without the client's.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/judges"), str(ROOT / "tests/postgres")]
from cluster import Cluster  # noqa: E402
from judge import Service, clean_environment, binary  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
# A small server as somebody would run it; the rest is as PostgreSQL has it, with fsync and synchronous_commit on.
SETTINGS = ("shared_buffers=2GB", "max_wal_size=8GB", "checkpoint_timeout=15min", "max_wal_senders=0", "wal_level=replica",
            "shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track_planning=on")
TURNS = """
local tokens, turn = {%s}, 0
request = function()
    turn = turn %% #tokens + 1
    return wrk.format("GET", nil, {Authorization = "Bearer " .. tokens[turn]})
end
"""


def spent(pid, with_children=False):
    """Processor seconds of a process since it began; `with_children`: and of its children that have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15 if with_children else 13])) / TICKS


def parent(pid):
    return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


class Node(Service):
    """A sandbox without a rate limit whose retailers take no time."""

    def __init__(self, folder, *flags, rate_limit="off", **more):
        super().__init__(folder, "--rate-limit", rate_limit, "--speed", "1000000", "--max-connections-per-address", "1000",
                         *flags, **more)

    def spent(self):
        return spent(self.process.pid)

    def connect_account(self, token, retailer, username):
        """Connects an account through the command, which seals the credentials. Does not wait for the sync."""
        command = [binary(), "connect", "--retailer", str(retailer), "--credentials-stdin", "--yes", "--quiet", "--no-wait"]
        environment = {**clean_environment(), "ORDERSYNC_HOME": str(self.home), "ORDERSYNC_BASE_URL": self.base,
                       "ORDERSYNC_TOKEN": token}
        done = subprocess.run(command, env=environment, text=True, capture_output=True,
                              input=json.dumps({"username": username, "password": "pass_good"}))
        if done.returncode:
            sys.exit(done.stderr)

    def sync(self, token):
        answer = self.request("POST", "/sync/orders/sync", {}, token=token)
        if answer.status not in (200, 202):
            sys.exit(f"a sync was refused: {answer}")

    def wait_until_synced(self, token, every=0.2):
        """Waits until the user's latest session has ended. Returns it."""
        while True:
            session = self.request("GET", "/sync/sessions/latest", token=token).json
            if session["status"] == "normal":
                return session
            time.sleep(every)


class File:
    """A store in a file: its node is its database."""

    name = "SQLite"

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.database = self.folder / "store.sqlite3"

    def node(self, number=0, **more):
        return Node(self.folder / f"node{number}", database=self.database, home=self.folder / "home", **more)

    def spent(self):
        return 0.0

    def size(self):
        return sum(path.stat().st_size for path in self.folder.glob("store.sqlite3*"))

    def written(self):
        return None

    def close(self):
        pass


class Server:
    """A store in a PostgreSQL of its own."""

    name = "PostgreSQL"

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.cluster = Cluster(durable=True, settings=SETTINGS)
        self.postmaster = int((self.cluster.data / "postmaster.pid").read_text().split()[0])
        self.sql("CREATE EXTENSION pg_stat_statements")

    def sql(self, text, database="shop"):
        return self.cluster.sql(text, database)

    def node(self, number=0, **more):
        return Node(self.folder / f"node{number}", database=self.cluster.address(), home=self.folder / "home", **more)

    def spent(self):
        total = spent(self.postmaster, with_children=True)
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and parent(entry) == self.postmaster:
                    total += spent(entry)
            except (FileNotFoundError, ProcessLookupError):
                pass
        return total

    def size(self):
        return int(self.sql("SELECT pg_database_size('shop')")[0][0])

    def written(self):
        """The bytes of WAL since the cluster began."""
        return int(self.sql("SELECT pg_current_wal_lsn() - '0/0'")[0][0].split(".")[0])

    def close(self):
        self.cluster.remove()


class Load:
    """What wrk found, asking all nodes at once; the requests take turns with the tokens."""

    def __init__(self, bases, path, tokens, seconds, connections):
        wrk = shutil.which("wrk") or sys.exit("There is no wrk here: install Debian's package wrk.")
        each = max(1, connections // len(bases))
        with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
            script.write(TURNS % ", ".join(f'"{token}"' for token in tokens))
            script.flush()
            commands = [[wrk, "--threads", "1", "--connections", str(each), "--duration", f"{seconds}s", "--timeout", "30s",
                         "--latency", "--script", script.name, base + path] for base in bases]
            running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for command in commands]
            said = [process.communicate()[0] for process in running]
        for text in said:
            if "Non-2xx" in text or "Socket errors" in text:
                sys.exit(f"not every request of {path} was answered:\n{text}")
        self.requests = sum(int(re.search(r"(\d+) requests in", text)[1]) for text in said)
        self.per_second = sum(float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]) for text in said)
        self.median, self.late = (statistics.median(milliseconds(text, share) for text in said) for share in ("50", "99"))


def milliseconds(text, share):
    number, unit = re.search(rf"{share}%\s+([\d.]+)(us|ms|s)\b", text).groups()
    return float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def floor(name):
    """A program that does the least that is to be done, built if need be."""
    folder = ROOT / "target/floor"
    subprocess.run(["cargo", "build", "--release", "--quiet", "--manifest-path", ROOT / "benches/floor/Cargo.toml", "--target-dir", folder],
                   check=True)
    return folder / "release" / name


def table(head, rows):
    """A table for docs/dev/scaling.md."""
    print("| " + " | ".join(head) + " |")
    print("|---|" + "---:|" * (len(head) - 1))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    print(flush=True)


def compare(doc, prepare, turn, **options):
    """Two builds beside each other, taking turns: prints medians of what they measured, and the ratio of each pair.

    `prepare(stack, build, given)` is called once for each build, and `turn` with what it returned, and what was given on the command line;
    a turn returns {what: figure}. `options`: names and usual values of more options."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    for name, usual in {**options, "runs": 5}.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    command = f"python3 {os.path.relpath(sys.argv[0], ROOT)} {' '.join(sys.argv[1:])}"
    print(f"`{command}`: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before it\n", flush=True)
    with contextlib.ExitStack() as stack:
        builds = [os.path.abspath(given.before), os.path.abspath(given.after)]
        states, found = [], [[], []]
        for build in builds:
            os.environ["ORDERSYNC_BIN"] = build
            states.append(prepare(stack, build, given))
        # The first turn of each warms up, and each goes first as often as the other.
        for run in range(given.runs + 1):
            for index in ((0, 1), (1, 0))[run % 2]:
                os.environ["ORDERSYNC_BIN"] = builds[index]
                measured = turn(states[index], given)
                if run:
                    found[index].append(measured)
    rows = []
    for what in found[0][0]:
        before, after = ([measured[what] for measured in turns] for turns in found)
        ratios = sorted(late / early for early, late in zip(before, after) if early)
        rows.append([what, *(f"{statistics.median(one):,.{2 if max(one) < 100 else 0}f}" for one in (before, after)),
                     *([f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f} to {ratios[-1]:.2f}"] if ratios else ["", ""])])
    table(["", "Before", "After", "Ratio", "Ratios"], rows)
