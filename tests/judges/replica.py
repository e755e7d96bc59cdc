#!/usr/bin/env python3
"""Litestream copies an SQLite store while the service writes, as docs/operating.md has it; the restored store is sound and whole.

Litestream runs as root and the service as another user, whichever starts first; both are killed, and the machine's disk is lost.
A service on the restored store has every order that was stored before the last copy, and a removed connection stays removed.

Needs requirements.txt, and root for the other user.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import yaml

from judge import ROOT, Service, Verdict, binary, command

PAGE = ROOT / "docs/operating.md"
#: Litestream looks for changes each second.
COPIED_SECONDS = 4
USER = 65532


def litestream():
    found = shutil.which("litestream", path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return found or sys.exit("there is no litestream: install tests/judges/requirements.txt")


class Replica:
    """The configuration of the page, for this store and with a folder as the other place."""

    def __init__(self, folder, store):
        self.folder, self.store = folder, store
        [example] = re.findall(r"^    dbs:\n(?:      .+\n)+", PAGE.read_text(), re.MULTILINE)
        example = yaml.safe_load(example)
        [described] = example["dbs"]
        described["path"], described["replica"]["url"] = str(store), f"file://{folder}/replica"
        self.configuration = folder / "litestream.yml"
        self.configuration.write_text(yaml.safe_dump(example))

    def __enter__(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen([litestream(), "replicate", "-config", self.configuration], stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def restore(self, to):
        [words] = re.findall(r"^`litestream (restore -o BACKUP /var/lib/ordersync/db.sqlite3)`", PAGE.read_text(), re.MULTILINE)
        words = [{"BACKUP": str(to), "/var/lib/ordersync/db.sqlite3": str(self.store)}.get(word, word) for word in words.split()]
        words[1:1] = ["-config", str(self.configuration)]
        return subprocess.run([litestream(), *words], capture_output=True, text=True, timeout=60)


def as_another_user(folder):
    """A program that is the command, as a user who may do nothing else."""
    folder.chmod(0o755)
    shutil.copy(binary(), folder / "built")
    program = folder / "ordersync"
    program.write_text(f'#!/bin/sh\nexec setpriv --reuid={USER} --regid={USER} --clear-groups "{folder}/built" "$@"\n')
    program.chmod(0o755)
    for place in (folder / "service", folder / "service/home"):
        place.mkdir(mode=0o700)
        os.chown(place, USER, USER)
    return program


def synced(service, token, retailer, account):
    answer = service.connect(token, retailer, account)
    assert answer.status == 202, answer
    return service.follow(token, answer.json["batchId"])


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        service = Service(folder / "service", "--rate-limit", "off", "--speed", "1000", program=str(as_another_user(folder)))
        with service:
            token = service.token()
            synced(service, token, 4, "user_items_2000")
            with Replica(folder, service.database) as replica:
                time.sleep(COPIED_SECONDS)
                # Now Litestream has the store open first.
                service.stop()
                service.start()
                token, other = service.token(), service.token("+15550101")
                for account in ("user_items_1000", "user_items_300"):
                    synced(service, token, 5 if account == "user_items_1000" else 6, account)
                synced(service, other, 4, "user_items_500")
                connections = service.request("GET", "/sync/connections", token=token).json
                [gone] = [one["connectionId"] for one in connections if one["retailerId"] == 6]
                removed = service.request("DELETE", f"/sync/connections/{gone}", token=token)
                verdict.check("a connection is removed", removed.status == 204, removed)
                rows = {phone: service.export(service.token(phone)) for phone in ("+15550100", "+15550101")}
                verdict.check("users have their orders", [len(of) - 1 for of in rows.values()] == [3000, 500], [len(of) for of in rows.values()])
                time.sleep(COPIED_SECONDS)
                service.kill()
            said = service.log.read_text(errors="replace")
            verdict.check("the service writes as ever", " ERROR " not in said and " WARN " not in said,
                          [line for line in said.splitlines() if " ERROR " in line or " WARN " in line])
        key = (folder / "service/db.key").read_text()
        shutil.rmtree(folder / "service")
        restored = folder / "restored"
        restored.mkdir()
        done = replica.restore(restored / "db.sqlite3")
        if verdict.check("the store is restored", done.returncode == 0, (done.stderr, (folder / "log").read_text()[-2000:])):
            (restored / "db.sqlite3").chmod(0o600)
            (restored / "db.key").write_text(key)
            (restored / "db.key").chmod(0o600)
            sound = command("admin", "store", "check", "--database", restored / "db.sqlite3", home=folder / "home")
            verdict.check("it is sound", sound.returncode == 0, sound.stdout + sound.stderr)
            with Service(restored, "--rate-limit", "off") as again:
                for phone, expected in rows.items():
                    found = again.export(again.token(phone))
                    verdict.check(f"{phone} has the same orders", found == expected, (len(found), len(expected)))
                left = {one["retailerId"] for one in again.request("GET", "/sync/connections", token=again.token()).json}
                verdict.check("the removed connection is gone", left == {4, 5}, left)
                verdict.check("syncs work", synced(again, again.token(), 7, "user_items_100")["retailerSyncSessions"][0]["syncStatus"] == "completed")
    return verdict.end("replica")


if __name__ == "__main__":
    sys.exit(main())
