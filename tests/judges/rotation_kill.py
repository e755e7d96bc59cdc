#!/usr/bin/env python3
"""Kills `admin keys rotate` at random moments on a store with thousands of sealed values, and opens each of them after each kill.

    rotation_kill.py [--values 20000] [--seed N]

The values are sealed and opened by Python's `cryptography`, from the description in `crates/service/src/keys/at_rest.rs`. After
every kill, each value has to open under the old key or the new one, and no value may go back to the old one. In the end all of
them have to be sealed under the new key, and the service has to start without the old one.
"""

import argparse
import base64
import hashlib
import hmac
import os
import pathlib
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import judge


def mac(key, *parts):
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.digest()


class Root:
    """A root key, and the values that are sealed under it."""

    def __init__(self, folder, name, fill):
        root = bytes([fill]) * 32
        fingerprint = mac(root, b"ordersync/2/fingerprint")
        self.id = fingerprint[:4]
        self.fingerprint = "-".join(fingerprint[at:at + 2].hex() for at in range(0, 8, 2))
        self.parent = mac(root, b"ordersync/2/at-rest")
        self.file = folder / name
        self.file.write_bytes(base64.b64encode(root))
        self.file.chmod(0o600)

    def seal(self, row):
        salt = os.urandom(24)
        head = b"\x02" + self.id + salt
        return head + AESGCM(mac(self.parent, salt)).encrypt(bytes(12), row.encode(), head + place(row))

    def opens(self, row, sealed):
        head, salt = sealed[:29], sealed[5:29]
        return AESGCM(mac(self.parent, salt)).decrypt(bytes(12), sealed[29:], head + place(row)) == row.encode()


def place(row):
    return b"connections.credentials\0" + row.encode()


class Store:
    def __init__(self, folder):
        self.folder, self.path = folder, folder / "store.sqlite3"
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "ORDERSYNC_HOME": str(folder)}

    def start(self, *arguments, keys=()):
        flags = [flag for key in keys for flag in ("--key-file", str(key.file))]
        command = [judge.binary(), *arguments, "--database", str(self.path), *flags]
        return subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def serve(self, *keys):
        """Starts the service with these keys and stops it."""
        service = self.start("serve", "--sandbox", "--listen", "127.0.0.1:0", keys=keys)
        said = []
        for line in service.stderr:
            said.append(line)
            if "listening on" in line:
                service.send_signal(signal.SIGTERM)
                service.communicate()
                return
        sys.exit("the service did not start: " + "".join(said))

    def fill(self, key, values):
        with sqlite3.connect(self.path) as store:
            store.execute("INSERT INTO users (id, phone_digest, phone_last4, created_at) VALUES ('u', x'00', '0000', 0)")
            rows = ((f"conn_{number:06}", number, number) for number in range(1, values + 1))
            store.executemany(
                "INSERT INTO connections (id, user_id, number, retailer_id, display_name, status, credentials, created_at)"
                " VALUES (?, 'u', ?, ?, '', 'valid', ?, 0)",
                ((row, number, retailer, key.seal(row)) for row, number, retailer in rows))
        store.close()

    def under(self, old, new, values):
        """How many values are sealed under the new key. All have to open."""
        store = sqlite3.connect(self.path)
        rows = store.execute("SELECT id, credentials FROM connections").fetchall()
        problems = store.execute("PRAGMA integrity_check").fetchone()
        store.close()
        assert problems == ("ok",) and len(rows) == values, (problems, len(rows))
        moved = [sealed[1:5] == new.id for _, sealed in rows]
        for (row, sealed), is_new in zip(rows, moved):
            assert (new if is_new else old).opens(row, sealed), row
        return sum(moved)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--values", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    random.seed(options.seed)
    print(f"seed {options.seed}")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        old, new, store = Root(folder, "old.key", 1), Root(folder, "new.key", 2), Store(folder)
        store.serve(old)
        store.fill(old, options.values)
        store.serve(new, old)
        kills, moved = 0, 0
        while True:
            rotation = store.start("admin", "keys", "rotate", keys=(new, old))
            time.sleep(random.uniform(0.05, 0.8))
            is_killed = rotation.poll() is None
            rotation.kill()
            _, said = rotation.communicate()
            before, moved = moved, store.under(old, new, options.values)
            assert moved >= before, f"{before - moved} values went back to the old key"
            if not is_killed:
                break
            kills += 1
        assert rotation.returncode == 0, said
        assert moved == options.values, f"{options.values - moved} values are left under the old key"
        assert kills >= 3, f"only {kills} kills: give more --values"
        retired = store.start("admin", "keys", "retire", old.fingerprint)
        _, said = retired.communicate()
        assert retired.returncode == 0, said
        store.serve(new)
        print(f"{kills} kills, {options.values} values readable after each, all under the new key in the end")


if __name__ == "__main__":
    main()
