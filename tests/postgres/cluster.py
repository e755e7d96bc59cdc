"""A PostgreSQL of its own for a judge: a new cluster in a temporary folder, on a port of the system's choosing.

    python3 tests/postgres/cluster.py [--at-least N] COMMAND...

runs COMMAND with ORDERSYNC_TEST_DATABASE set, stops the cluster, and says how many tests had their store on it. With --at-least,
fewer are a failure: tests that run on a file by mistake prove nothing.
"""

import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cluster:
    """A running PostgreSQL. `durable`: it survives the loss of its processes, as a real one does."""

    def __init__(self, durable=False, settings=(), folder=None, copy_of=None):
        if not FOLDERS:
            sys.exit("There is no PostgreSQL server here: install Debian's package postgresql.")
        self.bin = FOLDERS[-1]
        # initdb refuses to work for root.
        self.user = "postgres" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
        self.folder = Path(folder or tempfile.mkdtemp(prefix="cluster"))
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.user, self.user)
        if copy_of is None:
            self.run("initdb", "--pgdata", self.data, "--auth=trust", "--username=orders", "--encoding=UTF8",
                     "--locale=C.UTF-8", *([] if durable else ["--no-sync"]))
        else:
            self.run("pg_basebackup", "--pgdata", self.data, "--write-recovery-conf", "--checkpoint=fast",
                     "--dbname", copy_of)
        if not durable:
            settings = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", *settings)
        self.settings = ("listen_addresses=127.0.0.1", f"unix_socket_directories={self.folder}", "max_connections=200",
                         *settings)
        # A port that was free a moment ago may be another program's by now.
        for attempt in range(3):
            self.port = free_port()
            if self.start(check=attempt == 2).returncode == 0:
                break
        if copy_of is None:
            self.sql("CREATE DATABASE shop", database="postgres")

    def run(self, program, *arguments, check=True):
        command = [str(self.bin / program), *map(str, arguments)]
        if os.geteuid() == 0:
            command = ["runuser", "-u", self.user, "--", *command]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=self.folder)
        if check and done.returncode != 0:
            sys.exit(f"{program} failed: {done.stdout}")
        return done

    def start(self, check=True):
        options = " ".join(f"-c {setting}" for setting in (*self.settings, f"port={self.port}"))
        # Its output goes to a file: pg_ctl waits until nobody holds its pipe.
        return self.run("pg_ctl", "--pgdata", self.data, "--log", self.folder / "log", "--options", options, "--wait",
                        "--timeout=120", "start", check=check)

    def stop(self, mode="fast", check=True):
        self.run("pg_ctl", "--pgdata", self.data, "--mode", mode, "--wait", "stop", check=check)

    def promote(self):
        self.run("pg_ctl", "--pgdata", self.data, "--wait", "promote")

    def remove(self):
        self.stop(mode="immediate", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, database="shop", port=None):
        return f"postgres://orders@127.0.0.1:{port or self.port}/{database}"

    def sql(self, text, database="shop"):
        """The rows of a query, as lists of texts."""
        done = self.run("psql", "--no-psqlrc", "--tuples-only", "--no-align", "--field-separator=\t", "--set=ON_ERROR_STOP=1",
                        "--command", text, self.address(database))
        return [line.split("\t") for line in done.stdout.splitlines()]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


def main():
    command, least = sys.argv[1:], 0
    if command[:1] == ["--at-least"]:
        least, command = int(command[1]), command[2:]
    if not command:
        sys.exit(__doc__)
    with Cluster() as cluster:
        environment = {**os.environ, "ORDERSYNC_TEST_DATABASE": cluster.address()}
        code = subprocess.run(command, env=environment).returncode
        tests = cluster.sql("SELECT DISTINCT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname ~ '^[st][0-9a-f]+$'")
        version = cluster.sql("SHOW server_version")[0][0]
        print(f"PostgreSQL {version}: {len(tests)} tests had their store on it")
    sys.exit(code or len(tests) < least)


if __name__ == "__main__":
    main()
