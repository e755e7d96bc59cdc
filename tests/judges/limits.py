#!/usr/bin/env python3
"""What one user, one shop, one disk may do to all others: next to nothing.

  fairness  eight long syncs of one user, and a hundred short ones of others at once: the short ones' median at most twice,
            the slowest at most five times their time alone
  pace      a shop with `min_interval_ms = 1000` and eight users: all completed
  hostile   pages made to be read forever: each refused within 5 s (pauses before a repetition are left out; in CI, within
            5 s of work, or without optimisation within a hundred times that of Python's html.parser on such a page), at most 256 MiB above idle, and the 99th percentile of others' requests at most 250 ms meanwhile
  disk      a full disk, twice: 503, `/readyz` says so, and all goes on without a restart (as root: it needs a file system)

    limits.py [--short] [PART...]

`--short` is CI's form. The long one has longer syncs, more pages, and a disk that the store itself fills.
"""

import argparse
import concurrent.futures
import contextlib
import functools
import html.parser
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime

from judge import Service, Verdict, binary
from small_shop import LINES, SmallShop

USERS = [f"+155501{place:02}" for place in range(100)]
MIB = 1 << 20


def seconds(session):
    """From the request to the end, by the service's own clock."""
    began, ended = (datetime.fromisoformat(session[name].replace("Z", "+00:00")) for name in ("createdAt", "completedAt"))
    return (ended - began).total_seconds()


def statuses(session):
    return [(part["syncStatus"], part.get("error")) for part in session["retailerSyncSessions"]]


def sync(service, phone, retailer, username):
    """(token, batch) of a sync that has begun."""
    token = service.token(phone=phone)
    answer = service.connect(token, retailer, username)
    assert answer.status == 202, answer
    return token, answer.json["batchId"]


def fairness(folder, verdict, short):
    items, crowd, shop = (30_000 if short else 100_000), 100, 12
    with Service(folder, "--rate-limit", "off") as service:
        catalog = [entry["retailerId"] for entry in service.request("GET", "/sync/retailers").json if entry["syncConfig"]["serverSide"]]
        others = [number for number in catalog if number != shop]
        alone = []
        for place in range(5):
            token, batch = sync(service, USERS[90 + place], others[place], "user_good")
            alone.append(seconds(service.follow(token, batch)))
        alone = statistics.median(alone)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            long = [sync(service, USERS[0], retailer, f"user_items_{items}") for retailer in others[:8]]
            for token, batch in long:
                service.follow(token, batch, until=lambda session: session["retailerSyncSessions"][0]["syncStatus"] != "queued")
            who = [(USERS[1 + place % 99], shop if place < 99 else others[9]) for place in range(crowd)]
            began = list(pool.map(lambda one: sync(service, *one, "user_good"), who))
            sessions = [service.follow(token, batch, seconds=600) for token, batch in began]
            running = sum(service.session(token, batch)["status"] == "syncing" for token, batch in long)
            times = sorted(map(seconds, sessions))
            ended = [service.follow(token, batch, seconds=1800) for token, batch in long]
        print(f"fairness: alone {alone:.2f} s; {crowd} at once beside {len(long)} long: median {statistics.median(times):.2f} s, slowest {times[-1]:.2f} s; "
              f"{running} long ones were not done yet; these took {min(map(seconds, ended)):.0f} to {max(map(seconds, ended)):.0f} s", flush=True)
        verdict.check("all short syncs are completed", all(s == [("completed", None)] for s in map(statuses, sessions)), [s for s in map(statuses, sessions) if s != [("completed", None)]][:3])
        verdict.check("all long syncs are completed", all(s == [("completed", None)] for s in map(statuses, ended)), list(map(statuses, ended)))
        verdict.check("long syncs went on meanwhile", running >= 4, f"{running} of {len(long)}")
        verdict.check("the short ones' median is at most twice their time alone", statistics.median(times) <= 2 * alone, f"{statistics.median(times):.2f} s to {alone:.2f} s")
        verdict.check("the slowest takes at most five times its time alone", times[-1] <= 5 * alone, f"{times[-1]:.2f} s to {alone:.2f} s")


def pace(folder, verdict, short):
    # Twenty orders are more than five minutes of the shop's pace, for eight users at once.
    interval, users, orders = 1000, 8, 1 if short else 20
    with SmallShop(orders=orders) as shop:
        retailers = folder / "retailers.toml"
        retailers.write_text(shop.entry(300, f"min_interval_ms = {interval}"))
        with Service(folder / "service", "--rate-limit", "off", "--retailers", str(retailers)) as service:
            began = time.monotonic()
            syncs = [sync(service, phone, 300, "somebody@shop.test") for phone in USERS[:users]]
            ended = [service.follow(token, batch, seconds=900) for token, batch in syncs]
            took = time.monotonic() - began
            counts = [int(service.request("GET", "/sync/orders?limit=1", token=token).headers["x-total-count"]) for token, _ in syncs]
        print(f"pace: {users} users, one request each {interval} ms: {took:.0f} s for {len(shop.asked)} requests", flush=True)
        verdict.check("all are completed", all(s == [("completed", None)] for s in map(statuses, ended)), list(map(statuses, ended)))
        verdict.check("all have their items", counts == [LINES * orders] * users, counts)
        verdict.check("the pace is kept", took >= (len(shop.asked) - 2) * interval / 1000, f"{len(shop.asked)} requests in {took:.1f} s")


#: The second is just within what is read of a page at all, the first above it.
SIZES = {"4 MiB": 4 * MIB - 4096, "2 MiB": 2 * MIB - 4096}


def filled(text, size):
    """HTML of about `size` bytes made of `text`, with {n} counted."""
    if "{n}" not in text:
        return text * (size // len(text.encode()))
    parts, length, count = [], 0, 0
    while length < size - 200:
        part = text.replace("{n}", str(count))
        parts.append(part)
        length, count = length + len(part.encode()), count + 1
    return "".join(parts)


ROW = "<tr><td><a href='/accounts/orders/{n}/'>{n}</a></td><td>1</td><td>£1.00</td><td>8 Oct 2025, 6:20 p.m.</td></tr>"
LISTS, ORDERS, SIGN_INS = "/accounts/orders/", "/accounts/orders/100001/", "/accounts/login/"
#: Name, page, what it is filled with, whether CI tries it.
BOMBS = [
    ("div in the list", LISTS, "<div>", True), ("div in an order", ORDERS, "<div>", True), ("div at the sign-in", SIGN_INS, "<div>", True),
    ("formatting elements", LISTS, "<b a={n}>", True), ("formatting and paragraphs", LISTS, "<p><b a={n}>", True),
    ("tables in tables", ORDERS, "<table><tr><td>", True), ("rows", LISTS, ROW, True), ("attributes", LISTS, "<a", False),
    ("links in links", LISTS, "<a href={n}>", False), ("lists", LISTS, "<ul><li>", False), ("drawings", LISTS, "<svg><g>", False),
    ("options", LISTS, "<select><option>", False), ("templates", LISTS, "<template>", False), ("entities", LISTS, "&amp;", False),
    ("comments", LISTS, "<!--", False), ("forms and fields", SIGN_INS, "<form><input type=password name=a{n}>", False), ("misnested", LISTS, "<a><b></a></b>", False),
    ("foster-parented", LISTS, "<table><b>", False), ("buttons", LISTS, "<button><p>", False), ("frames", LISTS, "<nobr>", False),
]
#: Of these nothing is left but an empty or unknown page within all bounds. It is asked for again after pauses, as that of an
#: outage is; the work on it counts, and not the pauses.
REPEATED = {"2 MiB of attributes", "2 MiB of entities", "2 MiB of comments"}


def is_optimised():
    return "debug" not in pathlib.Path(binary()).parts


@functools.cache
def allowed():
    """How much work a page may be. Without optimisation, this is for machines of any speed, hence beside a known parser."""
    if is_optimised():
        return 5
    began = time.process_time()
    html.parser.HTMLParser().feed(filled(ROW, 2 * MIB))
    return 100 * (time.process_time() - began)


def work(process):
    """Seconds of processor time so far."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(process, what):
    """MiB of a line of /proc/PID/status."""
    line = next(line for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines() if line.startswith(what))
    return int(line.split()[1]) / 1024


#: Who gets no answer for so long gets none.
HUNG = 10
#: How often CI looks at a page until all holds: one moment without the processor is more than a percent of the requests.
ATTEMPTS = 3


class Others:
    """Requests of another user, one after the other on two connections; their times."""

    def __init__(self, service, token):
        self.service, self.token, self.times, self.over = service, token, [], threading.Event()
        self.threads = [threading.Thread(target=self.ask, daemon=True) for _ in range(2)]

    def ask(self):
        while not self.over.wait(0.01):
            began = time.monotonic()
            try:
                answer = self.service.request("GET", "/sync/orders?limit=50", token=self.token, timeout=HUNG)
                failed = answer.status != 200
            except OSError:
                failed = True
            self.times.append(HUNG if failed else time.monotonic() - began)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(2 * HUNG)

    def p99(self):
        return sorted(self.times)[min(len(self.times) - 1, len(self.times) * 99 // 100)] if self.times else 0.0


def ended_within(service, token, batch, limit):
    """The session, or what it was like when the time was over."""
    deadline = time.monotonic() + limit
    while True:
        session = service.request("GET", f"/sync/sessions/{batch}", token=token, timeout=HUNG).json
        if session["status"] == "normal":
            return session
        if time.monotonic() > deadline:
            return f"not ended after {limit} s: {session['retailerSyncSessions'][0]['syncStatus']}"
        time.sleep(0.1)


def hostile(folder, verdict, short):
    for (name, path, text, always), size in ((bomb, size) for bomb in BOMBS for size in SIZES):
        if short and (not always or (size == "4 MiB" and text != "<div>")):
            continue
        name = f"{size} of {name}"
        bomb = {path: "<!DOCTYPE html><html lang='en-gb'><body>" + filled(text, SIZES[size])}
        # A hiccup of a busy machine does not come again; what a page does to the service does.
        for attempt in range(ATTEMPTS if short else 1):
            looked = under_attack(folder / f"{name} {attempt}".replace(" ", "_"), name, bomb, short)
            if all(ok for _, ok, _ in looked):
                break
        for what, ok, seen in looked:
            verdict.check(f"{name}: {what}", ok, seen)


def under_attack(place, name, bomb, short):
    """Two syncs of a shop with the bomb, as many as a small machine has cores: (what, whether it holds, what was seen)."""
    with SmallShop() as whole, SmallShop(bomb) as shop:
        place.mkdir()
        (place / "retailers.toml").write_text(shop.entry(300) + whole.entry(301))
        with Service(place / "service", "--rate-limit", "off", "--retailers", str(place / "retailers.toml")) as service:
            other, batch = sync(service, USERS[0], 301, "somebody@shop.test")
            service.follow(other, batch)
            idle = memory(service.process, "VmRSS")
            pathlib.Path(f"/proc/{service.process.pid}/clear_refs").write_text("5")
            with Others(service, other) as others:
                began, worked = time.monotonic(), work(service.process)
                syncs = [sync(service, phone, 300, "somebody@shop.test") for phone in USERS[1:3]]
                try:
                    ended = [ended_within(service, token, batch, 240 if short else 20) for token, batch in syncs]
                except OSError as error:
                    ended = [repr(error)[:200]]
                took, worked = time.monotonic() - began, work(service.process) - worked
                # On a slow machine, a refusal may be quicker than ten answers: those that come next count, too.
                within(60, lambda: len(others.times) >= 10)
            above = memory(service.process, "VmHWM") - idle
            if any(isinstance(one, str) for one in ended):
                service.kill()
    said = [one if isinstance(one, str) else statuses(one)[0] for one in ended]
    print(f"hostile: {name:34} {took:5.1f} s, {worked:4.1f} s of work, {above:4.0f} MiB above idle, p99 of {len(others.times)} others {others.p99() * 1000:.0f} ms: {said[0]}", flush=True)
    # What else runs on a machine takes from the time, but adds nothing to the work.
    quick = (f"within {allowed():.0f} s of work", worked <= allowed()) if short or name in REPEATED else ("within 5 s", took <= 5)
    return [
        ("refused", all(not isinstance(one, str) and one[0] == "error" for one in said), said),
        (*quick, f"{took:.1f} s, {worked:.1f} s of work"),
        ("at most 256 MiB above idle", above <= 256, f"{above:.0f} MiB"),
        ("others are answered", len(others.times) >= 10 and others.p99() <= 0.25, f"{others.p99() * 1000:.0f} ms of {len(others.times)}"),
    ]


@contextlib.contextmanager
def small_disk(folder, size):
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def within(limit, asked):
    """Whether it becomes true in so many seconds."""
    deadline = time.monotonic() + limit
    while not (was := asked()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return was


def answered(ask):
    """(status, code) of the answer; None: the connection was closed without one."""
    try:
        answer = ask()
        return answer.status, answer.code
    except OSError:
        return None


def resize(small, room):
    """Leaves so many MiB of room on the small disk."""
    disk = os.statvfs(small)
    used = (disk.f_blocks - disk.f_bfree) * disk.f_frsize
    subprocess.run(["mount", "-o", f"remount,size={used + (room << 20)}", small], check=True)


def fill(small):
    with open(small / "filler", "ab", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(b"x" * 4096)


def full_once(what, service, small, way, retailer, verdict):
    """The disk is filled while a sync is going on, and freed again."""
    token = service.token(phone=USERS[0])

    def ready():
        return (answered(lambda: service.request("GET", "/readyz")) or (None,))[0]

    def writes():
        return {answered(lambda: service.request("POST", "/sandbox/token", {"phone": USERS[1]})) for _ in range(20)}

    # A store takes a while to fill a disk by itself, and a slow machine for all.
    patience = 240
    if way == "the store":
        resize(small, 8)
    answer = service.connect(token, retailer, "user_items_60000" if way == "the store" else "user_slow")
    assert answer.status == 202, answer
    batch = answer.json["batchId"]
    if way != "the store":
        service.follow(token, batch, until=lambda session: session["retailerSyncSessions"][0]["syncStatus"] == "scanning")
        fill(small)
    verdict.check(f"{what}: /readyz says 503", within(patience, lambda: ready() == 503), ready())
    if way != "the store":
        # What the service gave back when it noticed.
        fill(small)
    lines = service.log.read_bytes().count(b"\n")
    seen = writes()
    verdict.check(f"{what}: writes are 503", {answer and answer[0] for answer in seen} == {503}, seen)
    seen = answered(lambda: service.request("GET", "/sync/orders?limit=5", token=token))
    verdict.check(f"{what}: reading goes on", seen and seen[0] == 200, seen)
    ends = time.monotonic() + 5
    within(6, lambda: time.monotonic() > ends)
    more = service.log.read_bytes().count(b"\n") - lines
    verdict.check(f"{what}: loops back off", more < 200, f"{more} lines of log in five seconds")
    if way == "the store":
        resize(small, 200)
    else:
        (small / "filler").unlink()
    verdict.check(f"{what}: /readyz says 200 once there is room", within(60, lambda: ready() == 200), ready())
    seen = writes()
    verdict.check(f"{what}: writes go on", {answer and answer[0] for answer in seen} == {200}, seen)
    session = service.follow(token, batch, seconds=patience) if answered(lambda: service.request("GET", "/healthz")) else None
    verdict.check(f"{what}: the sync goes on", session and statuses(session) == [("completed", None)], session and statuses(session))


def disk(folder, verdict, short):
    for way in ["others", "others, the log on it too", *([] if short else ["the store"])]:
        # The write-ahead log alone takes up to 16 MiB.
        with small_disk(folder / way.replace(" ", "_"), "48m") as small:
            service = Service(small / "service", "--rate-limit", "off")
            if "log" not in way:
                service.log = folder / f"{way}.log"
            with service:
                for retailer, turn in enumerate(("first", "second"), 1):
                    try:
                        full_once(f"disk filled by {way}, {turn} time", service, small, way, retailer, verdict)
                    except (AssertionError, OSError, SystemExit) as error:
                        verdict.check(f"disk filled by {way}, {turn} time", False, repr(error)[:300])
                        service.kill()
                        break
        print(f"disk: filled by {way}, and freed, twice", flush=True)


PARTS = {"fairness": fairness, "pace": pace, "hostile": hostile, "disk": disk}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("part", nargs="*", choices=[*PARTS, []], metavar="PART")
    arguments = parser.parse_args()
    # What was started is stopped, also when this is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    verdict = Verdict()
    for name in arguments.part or PARTS:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            PARTS[name](pathlib.Path(folder), verdict, arguments.short)
        print(f"{name}: {time.monotonic() - began:.0f} s", flush=True)
    return verdict.end("limits")


if __name__ == "__main__":
    sys.exit(main())
