"""Runs changes of a shop's pages against a service, and judges what became of the rows.

A sync has to end with rows equal to the shop's database, or in an error that names what did not fit; orders that are
stored beside an error have to be whole and right. Anything else is reported:
  SILENT   it said `completed`, but the rows differ
  WRONG    an error, but wrong rows beside it
  LOST     rows that were right are not any more
  OTHER    an error with a code that does not fit, a connection that became invalid, or not equal where it has to be
A status may be missing, and no more, from rows that are marked for it.
"""

import argparse
import concurrent.futures
import dataclasses
import json
import pathlib
import re
import signal
import sys
import tempfile
import threading
import time
from decimal import Decimal
from zoneinfo import ZoneInfo

from oscar_shop import PASSWORD, ROOT, Shop, truth
from judge import Service, Verdict
from proxy import Door

import changes

EMAIL, ZONE = "variants@shop.test", ZoneInfo("Europe/London")
AT_ONCE = 6
#: Codes that say that a page is not as it should be.
PAGES = ("retailer_incomplete", "retailer_changed", "retailer_misconfigured")
#: Codes after which the connection has to be fixed.
INVALID = ("credentials_refused", "account_locked", "account_mismatch")
FIELDS = {"Retailer Order ID": "orderId", "Order Date": "orderDate", "Item Name": "itemName", "Dept": "department", "Category": "category",
          "SubCategory": "subCategory", "SKU": "retailerSku", "Quantity": "quantity", "Price": "price", "Currency": "currency",
          "Shipment Status": "shipmentStatus", "Order Total": "orderTotal"}


class Customer:
    """What the shop's database has, to compare rows with."""

    def __init__(self, database, email=EMAIL):
        self.truth = truth()
        self.orders, self.lines = self.truth.from_shop(database, email)

    def row(self, item):
        row = {column: "" if item.get(field) is None else str(item[field]) for column, field in FIELDS.items()}
        known = self.orders.get(item["orderId"])
        if known and not row["Shipment Status"] and any("status" in mark["check"] for mark in item.get("mismatch") or ()):
            row["Shipment Status"] = known[3]
        return row

    def compare(self, items, may_lack=()):
        """(what differs, numbers of the orders that the rows lack altogether)."""
        rows = [self.row(item) for item in items]
        try:
            got_orders, got_lines, problems = self.truth.from_rows(rows)
        except (ArithmeticError, ValueError) as error:
            return [f"a row cannot be read: {error!r}"], set()
        if may_lack:
            got_lines = {number: self.completed(number, lines) for number, lines in got_lines.items()}
        missing = self.orders.keys() - got_orders.keys()
        problems += self.truth.differences({n: o for n, o in self.orders.items() if n not in missing}, self.lines, got_orders, got_lines, ZONE)
        problems += [f"order {item['orderId']}: lineTotal {item['lineTotal']}" for item in items
                     if item.get("lineTotal") is not None and not self.has_line(item)]
        problems += [f"order {item['orderId']} is said to be missing since {item['missingSince']}" for item in items
                     if item.get("missingSince") and item["orderId"] in self.orders]
        return problems, missing

    def completed(self, number, lines):
        """The lines with what may be missing put in, where it is missing."""
        wanted = self.lines.get(number, {})
        return type(lines)({
            next((want for want in wanted if want[:3] == line[:3] and all(a in ("", b) for a, b in zip(line[3:], want[3:]))), line): count
            for line, count in lines.items()})

    def has_line(self, item):
        total = Decimal(str(item["lineTotal"]))
        return any(title == item["itemName"] and quantity == Decimal(str(item["quantity"])) and (known is None or known == total)
                   for title, quantity, known, *_ in self.lines.get(item["orderId"], ()))


class Run:
    """One change at one retailer, by one user."""

    def __init__(self, service, shop, change, door, retailer, phone):
        self.service, self.shop, self.change, self.door, self.retailer = service, shop, change, door, retailer
        self.token = service.token(phone=phone)
        self.connection, self.outcomes, self.bad, self.seconds = None, [], [], 0.0

    def get(self, path):
        answer = self.service.request("GET", path, token=self.token)
        assert answer.status == 200, answer
        return json.loads(answer.body, parse_float=Decimal)

    def status(self):
        return self.get(f"/sync/connections/{self.connection}")["status"]

    def sync(self, full):
        """(the retailer's part of the session at its end, the items that are stored)."""
        if self.connection is None or self.status() == "invalid":
            answer = self.service.connect(self.token, self.retailer, self.shop.email, PASSWORD, "FIX" if self.connection else "CONNECT")
        else:
            answer = self.service.request("POST", f"/sync/connections/{self.connection}/sync?full={str(full).lower()}", token=self.token)
        assert answer.status == 202, answer
        self.connection = self.connection or answer.json["connectionId"]
        part, = self.service.follow(self.token, answer.json["batchId"], seconds=900)["retailerSyncSessions"]
        return part, self.get(f"/sync/orders?limit=1000&include=adjustments&retailer_id={self.retailer}")

    def shows(self, changed):
        """Has the shop show the change from now on, or not."""
        if not changed:
            self.door.become()
            return
        self.door.become(self.change.name, self.change.request, self.change.stateful() if self.change.stateful else self.change.response)

    def look(self, step):
        """One sync, judged."""
        self.shows(step.changed)
        part, items = self.sync(step.full)
        wrong, missing = self.shop.customer.compare(items, self.change.may_lack if step.changed and not step.rows else ())
        completed, error = part["syncStatus"] == "completed", part.get("error") or {}
        said = "equal" if completed else f"{error.get('code')}: {error.get('message')}"
        marked = sum(bool(item.get("mismatch")) for item in items)
        if wrong or (missing and (completed or step.rows)):
            said = f"{'LOST' if step.rows else 'SILENT' if completed else 'WRONG'}: {said}"
        elif not completed and error.get("code") not in (self.change.must, *PAGES, *self.change.codes):
            said = f"OTHER (code): {said}"
        elif not completed and (not step.changed or self.change.must == "equal"):
            said = f"OTHER (not equal): {said}"
        elif step.changed and self.change.must not in ("", "equal", error.get("code")):
            said = f"OTHER (not {self.change.must}): {said}"
        elif (status := self.status()) not in self.statuses(step, error):
            said = f"OTHER ({status}): {said}"
        if re.match("[A-Z]{4}", said):
            seen = [*wrong[:3], *([f"{len(missing)} of {len(self.shop.customer.orders)} orders missing"] if missing else [])]
            self.bad.append(f"{step.name}: {said}: {'; '.join(seen)}")
        self.outcomes.append(said + (f", {marked} marked" if marked and completed else ""))

    @staticmethod
    def statuses(step, error):
        """What the connection may be after this end of a sync."""
        code = error.get("code")
        if code in INVALID:
            return ("invalid",)
        return ("valid",) if code in (None, "retailer_incomplete") or step.rows else ("valid", "pending")

    def all(self, steps):
        began, read, altered = time.monotonic(), {True: {}, False: {}}, []
        for step in steps:
            self.look(step)
            seen, by_response = self.door.become()
            altered += by_response
            for path, digest in seen.items():
                read[step.changed].setdefault(path, digest)
        kind = self.shop.reads[self.change.reads]
        differs = [path for path, digest in read[True].items() if kind.match(path) and read[False].get(path) != digest]
        differs += filter(kind.match, altered)
        if read[False] and bool(differs) == (self.change.name == "stock"):
            self.bad.append(f"differs at {differs}" if differs else "changes nothing that is read")
        self.seconds = time.monotonic() - began


@dataclasses.dataclass
class Step:
    name: str
    #: Whether the change is in force.
    changed: bool
    #: Whether the store has all rows before.
    rows: bool
    #: Whether all orders are read again, settled ones, too.
    full: bool = False


EMPTY, UNCHANGED = Step("into an empty store", True, False), Step("without it", False, False)
RIGHT, AFTER = Step("over right rows", True, True, full=True), Step("afterwards", False, True)


class Oscar:
    """A running oscar. What runs change is their templates, or what a door in front of it lets through."""

    email, reads = EMAIL, changes.READS

    def __init__(self, arguments, chosen, folder):
        self.work, self.chosen, self.templates = arguments.work, chosen, folder / "templates"
        self.templates.mkdir()
        self.work.mkdir(parents=True, exist_ok=True)
        database, seed = self.work / "variants.sqlite3", ROOT / "tests/shops/oscar/shop/seed_variants.py"
        stale = {"RESEED": "1"} if database.exists() and database.stat().st_mtime < seed.stat().st_mtime else {}
        self.shop = Shop(self.work, {"SEED": "variants", "OSCAR_PAGE": "5", "OSCAR_VARIANTS": str(self.templates), **stale})

    def ready(self):
        self.shop.ready()
        changes.write(self.chosen, next(self.work.glob("venv/lib/python*/site-packages/oscar/templates")), self.templates)
        self.base, self.customer = self.shop.base, Customer(self.work / "variants.sqlite3")

    def stop(self):
        self.shop.stop()

    @staticmethod
    def entry(number, name, base, lines):
        """The shop in the file of retailers."""
        return (f'[[retailer]]\nid = {number}\ndisplay_name = "{name}"\nconnector = "oscar"\nbase_url = "{base}"\n'
                f'allow_private_network = true\ntime_zone = "{ZONE}"\nmin_interval_ms = 0\n{lines}\n')


def check(service, shop, chosen, doors, steps, verdict):
    def one(place):
        change = chosen[place]
        run = Run(service, shop, change, doors[place], 1000 + place, f"+155501{place % 100:02}")
        try:
            run.all(steps if change.steps is None else change.steps)
        except BaseException as error:  # noqa: BLE001: whatever it was, it belongs to this change
            run.bad.append(f"{type(error).__name__}: {error}")
        return run

    runs = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for run in pool.map(one, range(len(chosen))):
            print(f"{'BAD ' if run.bad else 'ok  '}{run.change.name:32} {run.seconds:5.1f} s  {' | '.join(run.outcomes)[:230]}", flush=True)
            verdict.check(run.change.name, not run.bad, "\n    ".join(run.bad))
            runs.append(run)
    return runs


def report(path, steps, runs, reads):
    def cell(text):
        return text.replace("|", "\\|").replace("\n", " ")

    counts = ", ".join(f"{sum(run.change.reads == kind for run in runs)} of the {kind} page" for kind in reads)
    silent = sum(any(word in text for word in ("SILENT", "LOST", "WRONG")) for run in runs for text in [" ".join(run.outcomes)])
    lines = [f"{len(runs)} changes ({counts}): {sum(bool(run.bad) for run in runs)} bad, of which {silent} SILENT, WRONG or LOST.", "",
             f"| Change | Page | {' | '.join(step.name for step in steps)} | Bad |", f"|---|---|{'---|' * len(steps)}---|"]
    for run in runs:
        outcomes = [*run.outcomes, *[""] * len(steps)][:len(steps)]
        lines.append(f"| {run.change.name} | {run.change.reads} | {' | '.join(map(cell, outcomes))} | {cell(' / '.join(run.bad))} |")
    path.write_text("\n".join(lines) + "\n")


def arguments_of(text, recorded=False):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "target/shops/oscar", help="keeps the shop's installation")
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX", help="names of the changes")
    parser.add_argument("--short", action="store_true", help="as in CI: fewer syncs of each change")
    parser.add_argument("--once", action="store_true", help="only the first sync of each change")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one of so many changes")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="writes the table, as Markdown")
    if recorded:
        parser.add_argument("--recorded", action="store_true", help="a recorded WooCommerce shop")
    return parser.parse_args()


def judge(name, all_changes, steps, arguments, platform=Oscar):
    """Starts shop and service, runs the chosen changes; the exit code."""
    # What was started is stopped, also when this is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    steps = steps[:1] if arguments.once else steps
    chosen = [changes.Change("stock", "list", {}), *[change for change in all_changes if arguments.only.search(change.name)][::arguments.every]]
    verdict, began, doors = Verdict(), time.monotonic(), []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        shop = platform(arguments, chosen, folder)
        try:
            shop.ready()
            doors = [Door(shop.base) for _ in chosen]
            retailers = folder / "retailers.toml"
            retailers.write_text("".join(
                shop.entry(1000 + place, change.name, doors[place].base, change.settings) for place, change in enumerate(chosen)))
            with Service(folder / "service", "--rate-limit", "off", "--retailers", str(retailers)) as service:
                runs = check(service, shop, chosen, doors, steps, verdict)
                if arguments.report:
                    report(arguments.report, steps, runs, shop.reads)
        finally:
            shop.stop()
            for door in doors:
                threading.Thread(target=door.close, daemon=True).start()
    print(f"{len(chosen)} changes in {time.monotonic() - began:.0f} s")
    return verdict.end(name)
