"""A customer's first sync and a second one: what each asked the shop for, and whether the rows are the shop's."""

import collections
import dataclasses
import json
import sys
import time
from typing import Callable

from judge import command, private_file

#: Settled orders that a sync reads again at most: the defaults of `reread_newest` and `reread_oldest`.
READ_AGAIN = 10 + 10
#: From so many orders on, a second sync may ask for so much of what the first did, beyond the sign-in and the list.
MANY, SHARE = 100, 5


@dataclasses.dataclass
class Case:
    """A customer of a shop, and how to judge what is read of it."""

    shop: str
    retailer: int
    email: str
    password: str
    #: Fetches the paths that were asked for since the last time.
    take_asked: Callable
    #: Kind -> pattern of its paths, whose group is the order's number, if it names one. The first that fits decides.
    kinds: dict
    #: The numbers of the orders that are not settled, and of all.
    still_open: set
    orders: set
    #: (folder, what `command` needs) -> what differs from the database, a line each.
    problems: Callable
    connect: tuple = ()

    def asked(self):
        """(how many requests of each kind, the orders that they name)."""
        counts, orders = collections.Counter(), set()
        for path in self.take_asked():
            kind, found = next(((kind, found) for kind, pattern in self.kinds.items() if (found := pattern.match(path))), ("other", None))
            counts[kind] += 1
            orders |= {number for number in found.groups() if number} if found else set()
        return counts, orders


@dataclasses.dataclass
class Seen:
    """A row of the table."""

    case: Case
    first: collections.Counter
    second: collections.Counter
    seconds: float


def beyond(counts):
    return sum(count for kind, count in counts.items() if kind not in ("sign-in", "list"))


def run(service, folder, verdict, case, phone):
    """Connects, compares, syncs again; a row of the table, or None."""
    what = f"{case.email} at {case.shop}"
    slot = folder / phone.lstrip("+")
    slot.mkdir()
    there = {"home": slot, "base": service.base, "token": service.token(phone=phone)}
    entry, = (entry for entry in service.request("GET", "/sync/retailers").json if entry["retailerId"] == case.retailer)
    fields = {field["name"]: case.password if field["secret"] else case.email for field in entry["credentialFields"]}
    credentials = private_file(slot / "credentials.json", json.dumps(fields))
    case.take_asked()
    began = time.monotonic()
    ran = command("connect", "--retailer", case.retailer, "--credentials-file", credentials, *case.connect, **there)
    seconds = time.monotonic() - began
    if not verdict.check(f"{what}: connect", ran.returncode == 0, ran.stderr):
        return None
    first, read = case.asked()
    verdict.check(f"{what}: every order is read at first", read == case.orders, read ^ case.orders)
    before = exported(case, slot / "first.csv", there, verdict, what)
    problems = case.problems(slot, there)
    verdict.check(f"{what}: equal", not problems, "\n".join(problems[:30]))
    case.take_asked()
    second = again(service, verdict, case, what, there, first)
    after = exported(case, slot / "second.csv", there, verdict, what)
    verdict.check(f"{what}: nothing changed", before == after, "the second export differs from the first")
    return Seen(case, first, second, seconds)


def exported(case, out, there, verdict, what):
    ran = command("orders", "export", "--retailer", case.retailer, "--out", out, **there)
    return out.read_bytes() if verdict.check(f"{what}: {out.stem} export", ran.returncode == 0, ran.stderr) else b""


def again(service, verdict, case, what, there, first):
    """The second sync; what it asked for."""
    ran = command("sync", "-o", "json", **there)
    what = f"{what}: second sync"
    verdict.check(what, ran.returncode == 0, ran.stderr)
    counts, read = case.asked()
    part = service.request("GET", "/sync/sessions/latest", token=there["token"]).json["retailerSyncSessions"][0]
    verdict.check(f"{what} finds nothing new", part["itemsNew"] == 0, part)
    rows = service.request("GET", "/sync/orders?limit=1", token=there["token"]).headers["x-total-count"]
    verdict.check(f"{what} counts what is there", part["itemsFound"] == int(rows), (part, rows))
    verdict.check(f"{what} reads every open order", case.still_open <= read, case.still_open - read)
    settled = read - case.still_open
    verdict.check(f"{what} reads few settled orders", len(settled) <= READ_AGAIN, settled)
    verdict.check(f"{what} asks for nothing else", not counts["other"], counts)
    verdict.check(f"{what} asks for the shop's clock once at most", counts["clock"] <= 1, counts)
    if len(case.orders) >= MANY:
        most = sum(first.values()) / SHARE
        verdict.check(f"{what} asks for at most 1/{SHARE} of the first", beyond(counts) <= most, (counts, first))
    return counts


def table(rows):
    """Prints what each customer's syncs asked for."""
    kinds = list(dict.fromkeys(kind for row in rows for kind in row.case.kinds))
    print(f"{'shop':16} {'customer':20} {'orders':>6} {'open':>5} {'first':>6} {'second':>6}  beyond the list  of the first  requests of the second by kind")
    for row in rows:
        first, second, rest = sum(row.first.values()), sum(row.second.values()), beyond(row.second)
        by_kind = ", ".join(f"{kind} {row.second[kind]} of {row.first[kind]}" for kind in kinds if row.first[kind] or row.second[kind])
        print(f"{row.case.shop:16} {row.case.email:20} {len(row.case.orders):6} {len(row.case.still_open):5} {first:6} {second:6} {rest:16} "
              f"{rest / first:12.0%}   {by_kind}  ({row.seconds:.1f} s)")
    sys.stdout.flush()
