#!/usr/bin/env python3
"""Kills `admin keys rotate` at random moments on a store with thousands of sealed values, and opens each of them after each kill.

    rotation_kill.py [--values 20000] [--kills 5] [--seed N]

The values are sealed and opened by Python's `cryptography`, from the description in `crates/service/src/keys/at_rest.rs`. An
undisturbed rotation says how long one takes here; the kills fall into that time. After every kill, each value has to open under
the old key or the new one, and no value may go back to the old one. A rotation that ended before it could be killed has to have
sealed all values again; the next one goes back to the key before. In the end all values have to be sealed under the new key, and
the service has to start without the old one.
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


class Rotations:
    """Rotations from one key to the other, of which some are killed."""

    def __init__(self, store, old, new, values):
        self.store, self.old, self.new, self.values = store, old, new, values
        self.kills = self.partly = self.moved = 0

    def turn(self, seconds=None):
        """Rotates, with a kill after so many seconds. Says whether the rotation came to its end."""
        rotation = self.store.start("admin", "keys", "rotate", keys=(self.new, self.old))
        try:
            _, said = rotation.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            rotation.kill()
            rotation.communicate()
        before, self.moved = self.moved, self.store.under(self.old, self.new, self.values)
        assert self.moved >= before, f"{before - self.moved} values went back to the old key"
        if rotation.returncode == -signal.SIGKILL:
            self.kills += 1
            self.partly += 0 < self.moved < self.values
            return False
        assert rotation.returncode == 0, said
        assert self.moved == self.values, f"{self.values - self.moved} values are left under the old key"
        return True

    def swap(self):
        self.old, self.new, self.moved = self.new, self.old, 0
        # Only a key that the service seals with is rotated to.
        self.store.serve(self.new, self.old)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--values", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    random.seed(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        old, new, store = Root(folder, "old.key", 1), Root(folder, "new.key", 2), Store(folder)
        store.serve(old)
        store.fill(old, options.values)
        store.serve(new, old)
        rotations, began = Rotations(store, old, new, options.values), time.monotonic()
        assert rotations.turn()
        length, tries = time.monotonic() - began, 1
        print(f"undisturbed: {length:.2f} s; seed {options.seed}")
        # A kill among the values, too: one before the first of them or after the last shows little.
        while rotations.kills < options.kills or not rotations.partly:
            assert tries < 20 * options.kills, f"only {rotations.kills} kills, {rotations.partly} of them among the values"
            if rotations.moved == options.values:
                rotations.swap()
            rotations.turn(random.uniform(0, length))
            tries += 1
        rotations.turn()
        retired = store.start("admin", "keys", "retire", rotations.old.fingerprint)
        _, said = retired.communicate()
        assert retired.returncode == 0, said
        store.serve(rotations.new)
    print(f"{rotations.kills} kills in {tries} rotations, {rotations.partly} among the values: all {options.values} readable after "
          "each, and under the new key in the end")


if __name__ == "__main__":
    main()
