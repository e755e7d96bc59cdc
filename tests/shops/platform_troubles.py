#!/usr/bin/env python3
"""What may go wrong at a shop, at every platform that platforms.py plays: a wrong password, a second factor, a locked account, a
captcha, maintenance, a sign-in that ends in the middle, too many requests, a list that grows.

For each platform and trouble, a user types `connect` and `sync`, four times: into an empty store; without the trouble; with it again
over rows that are right (every order read again); without it. The command has to end with the right exit code, code and message, the
password may not be posted again and again, and no row may be lost, doubled or altered.

    platform_troubles.py [--only REGEX] [--short] [--every N] [--report FILE]

--short: as in CI, the first two of the four. --every N: one of so many.
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
from typing import Callable

import runs  # noqa: F401: finds the judges
from breaks import ANSWERS
from judge import Service, Verdict, command, private_file
from platforms import HTML, INSIDE, JSON, PAGE, PASSWORD, PLATFORMS, Answer, Dropped, Shop, in_json

#: Most of the time is waiting.
AT_ONCE = 48
#: For how many seconds a shop wants to be left alone: longer than a sync waits by itself, after a password and after anything else.
PASSWORD_RETRY_AFTER, RETRY_AFTER = 8, 3
#: A request that is on its way is still sent.
NEAR = 0.25
FAILED = 9
#: What the command says for each code.
SAYS = {
    "credentials_refused": "refused the user name or the password", "account_locked": "has locked this account",
    "mfa_failed": "verification code was wrong three times",
    "action_required": "wants to see that no robot is at work|asks for a second factor that its recipe does not describe",
    "retailer_unavailable": "out of order|failure of its own|empty page|nothing could be read after it|ends it again|cannot be reached",
    "retailer_rate_limited": "fewer requests", "retailer_changed": "answere?[sd]? with|lacks an? |does not show the order list",
}
#: After these, the connection has to be fixed.
INVALID = ("credentials_refused", "account_locked", "mfa_failed")


@dataclasses.dataclass
class Trouble:
    name: str
    #: Sets it up at a shop that is calm, anew for each sync.
    begin: Callable
    #: "equal": the sync has to complete. Codes: one of them.
    must: tuple
    #: Whether it meets only those who sign in: the remembered sign-in has ended, then.
    signs_in: bool = False
    #: How often the password may be posted; None: it does not matter.
    passwords: tuple = None
    #: Which platforms it applies to.
    applies: Callable = lambda platform: True
    #: Whether the newest order may be missing at first.
    grows: bool = False
    #: What is typed when the shop asks for a code, a line each.
    codes: str = ""
    #: For how long nothing may be asked for after the one answer that is a trouble.
    retry_after: float = 0


TROUBLES = []


def trouble(name, begin, *must, **how):
    TROUBLES.append(Trouble(name, begin, must, **how))


def answering(kinds, answer):
    """The shop answers requests of these kinds so. `answer`: made of the platform."""
    def begin(shop):
        shop.trouble = lambda kind, request: answer(shop.platform) if kind in kinds else None
    return begin


def once(kinds, answer, after=0):
    """It does so once, after so many of them."""
    def begin(shop):
        lock, left = threading.Lock(), [after + 1]

        def instead(kind, request):
            if kind not in kinds:
                return None
            with lock:
                left[0] -= 1
                is_now = left[0] == 0
                if is_now:
                    shop.troubled_at = time.monotonic()
            return answer(shop.platform) if is_now else None
        shop.trouble, shop.troubled_at = instead, None
    return begin


def page(what, retry_after=None):
    status, body, *_ = ANSWERS[what]
    headers = (("Retry-After", str(retry_after)),) if retry_after else ()
    kind = JSON if what == "json" else HTML
    return lambda platform: Answer(status, body, headers, kind)


def dropped(platform):
    raise Dropped


def of(name):
    return lambda platform: getattr(platform, name)()


# The sign-in. It is wanted for each sync: the remembered one has ended.
SIGN_IN = ("sign-in",)
NO_CODE = ("retailer_changed", "retailer_unavailable", "action_required")


def tells(name):
    return lambda platform: getattr(platform, name) is not None


trouble("wrong_password", answering(SIGN_IN, of("refused")), "credentials_refused", signs_in=True, passwords=(1,))
trouble("locked_account", answering(SIGN_IN, of("locked")), "account_locked", signs_in=True, passwords=(1,), applies=tells("locked"))
has_code = {"applies": lambda platform: hasattr(platform, "code")}
trouble("second_factor", lambda shop: setattr(shop, "asks_for_code", True), "equal", signs_in=True, passwords=(1,), codes="123456\n", **has_code)
trouble("second_factor_wrong_once", lambda shop: setattr(shop, "asks_for_code", True), "equal", signs_in=True, passwords=(1,), codes="000000\n123456\n", **has_code)
trouble("second_factor_wrong", lambda shop: setattr(shop, "asks_for_code", True), "mfa_failed", signs_in=True, passwords=(1,), codes="000000\n" * 3, **has_code)
trouble("second_factor_unknown", lambda shop: setattr(shop, "asks_for_code", True), *NO_CODE, signs_in=True, passwords=(1, 2, 3),
        applies=lambda platform: not hasattr(platform, "code") and not platform.has_code_page)
of_code_page = {"applies": lambda platform: platform.has_code_page}
trouble("second_factor_page", lambda shop: setattr(shop, "asks_for_code", True), "action_required", signs_in=True, passwords=(1,), **of_code_page)
# The password is taken, and every page of the account is that page then.
trouble("second_factor_in_account", answering(INSIDE, of("code_page")), "action_required", passwords=(0, 1),
        applies=lambda platform: hasattr(platform, "code_page"))
for what, code, times in (("captcha", "action_required", (1,)), ("maintenance", "retailer_unavailable", (1, 2, 3)), ("503", "retailer_unavailable", (1, 2, 3)),
                          ("empty", "retailer_unavailable", (1, 2, 3)), ("404", "retailer_changed", (1, 2, 3)), ("403", "retailer_changed", (1, 2, 3))):
    trouble(f"sign_in_{what}", answering(SIGN_IN, page(what)), code, signs_in=True, passwords=times)
trouble("sign_in_maintenance_in_json", answering(SIGN_IN, lambda platform: in_json({"message": "We will be back soon.", "maintenance": True})), *NO_CODE,
        signs_in=True, passwords=(1, 2, 3))
trouble("sign_in_429", answering(SIGN_IN, page("429", RETRY_AFTER)), "retailer_rate_limited", signs_in=True, passwords=(1, 2, 3))
trouble("sign_in_429_once", once(SIGN_IN, page("429", PASSWORD_RETRY_AFTER)), "equal", signs_in=True, passwords=(2,), retry_after=PASSWORD_RETRY_AFTER)
trouble("sign_in_dropped_once", once(SIGN_IN, dropped), "equal", signs_in=True, passwords=(1, 2))
trouble("form_captcha", answering(("form",), page("captcha")), "action_required", signs_in=True, passwords=(0,), applies=lambda platform: platform.form_page())
trouble("form_maintenance", answering(("form",), page("maintenance")), "retailer_unavailable", signs_in=True, passwords=(0,),
        applies=lambda platform: platform.form_page())

# Other answers in the place of the list and of orders.
CODES = {"captcha": "action_required", "maintenance": "retailer_unavailable", "503": "retailer_unavailable", "empty": "retailer_unavailable",
         "429": "retailer_rate_limited"}
PLACES = {"list": (("list",), 0), "second_list": (("list",), 2), "orders": (("order",), 0)}
for where, (kinds, after) in PLACES.items():
    applies = {"applies": lambda platform, kinds=kinds: platform.has_orders or "order" not in kinds}
    if where != "second_list":
        for what, code in CODES.items():
            trouble(f"{where}_{what}", answering(kinds, page(what, RETRY_AFTER if what == "429" else None)), code, passwords=(0, 1, 2, 3), **applies)
    trouble(f"{where}_429_once", once(kinds, page("429", RETRY_AFTER), after), "equal", passwords=(0, 1), retry_after=RETRY_AFTER, **applies)
    trouble(f"{where}_503_once", once(kinds, page("503"), after), "equal", passwords=(0, 1), **applies)
    trouble(f"{where}_maintenance_once", once(kinds, page("maintenance"), after), "equal", passwords=(0, 1), **applies)
    trouble(f"{where}_dropped_once", once(kinds, dropped, after), "equal", passwords=(0, 1), **applies)


def in_theme(title, text):
    """A page in the shop's own theme."""
    return lambda platform: Answer(200, PAGE.format(title, f"<p>{text}</p>"))


IN_THEME = {"maintenance": in_theme("Maintenance", "The shop will be back soon."), "captcha": in_theme("Security check", "Are you human?")}
of_pages = {"applies": lambda platform: platform.form_page()}
for what, answer in IN_THEME.items():
    for where in ("list", "orders"):
        trouble(f"{where}_{what}_in_theme", answering(PLACES[where][0], answer), CODES[what], passwords=(0, 1, 2, 3), **of_pages)


# A token that is valid for so many requests only.
def expires(uses):
    def begin(shop):
        shop.uses = uses
        shop.end_sessions()
    return begin


trouble("token_expires_at_once", expires(0), "retailer_changed", "retailer_unavailable", passwords=(1, 2, 3))
trouble("token_expires_after_1", expires(1), "retailer_unavailable", "equal", passwords=tuple(range(1, 60)))
for uses in (2, 3, 7):
    trouble(f"token_expires_after_{uses}", expires(uses), "equal", passwords=tuple(range(1, 40)))


def expires_in_place(uses):
    """The sign-in is shown where the page would be, without a redirect."""
    def begin(shop):
        expires(uses)(shop)
        shop.trouble = lambda kind, request: instead(shop, kind, request) if kind in INSIDE else None

    def instead(shop, kind, request):
        answer = shop.natural(kind, request)
        return shop.platform.form_page() if answer.status == 302 else answer
    return begin


trouble("token_expires_in_place", expires_in_place(3), "equal", passwords=tuple(range(1, 40)), **of_pages)


# New orders appear while the list is read.
def grows(after, count=1):
    def begin(shop):
        lock, left = threading.Lock(), [after]
        shop.hidden = count

        def instead(kind, request):
            if kind == "list":
                with lock:
                    left[0] -= 1
                    if left[0] < 0:
                        shop.hidden = 0
        shop.trouble = instead
    return begin


for after in (1, 2, 3):
    trouble(f"grows_after_{after}", grows(after), "equal", passwords=(0, 1), grows=True)
trouble("grows_by_three", grows(2, 3), "equal", passwords=(0, 1), grows=True)


@dataclasses.dataclass
class Step:
    name: str
    troubled: bool
    #: Whether the store has all rows before.
    rows: bool


STEPS = (Step("into an empty store", True, False), Step("without it", False, False), Step("over right rows", True, True), Step("afterwards", False, True))


class Run:
    """One trouble at one shop, by one user who types."""

    def __init__(self, service, folder, place, shop, trouble, phone):
        self.service, self.shop, self.trouble, self.retailer = service, shop, trouble, place
        self.name = f"{shop.platform}: {trouble.name}"
        self.folder = folder / str(place)
        self.folder.mkdir()
        self.there = {"home": self.folder, "base": service.base, "token": service.token(phone=phone)}
        username = service.request("GET", "/sync/retailers", token=self.there["token"]).json
        username, = (entry for entry in username if entry["retailerId"] == place)
        fields = {field["name"]: PASSWORD if field["secret"] else shop.platform.email for field in username["credentialFields"]}
        self.credentials = private_file(self.folder / "credentials.json", json.dumps(fields))
        self.connection, self.rows, self.outcomes, self.bad, self.seconds = None, [], [], [], 0.0

    def get(self, path):
        answer = self.service.request("GET", path, token=self.there["token"])
        assert answer.status == 200, answer
        return json.loads(answer.body, parse_float=Decimal)

    def own(self, path):
        return [one for one in self.get(path) if one["retailerId"] == self.retailer]

    def type_it(self, step):
        """The command that a person would type now."""
        codes = ("--mfa-code-stdin",) if step.troubled and self.trouble.codes else ()
        found = self.own("/sync/connections")
        if not found or found[0]["status"] == "invalid":
            how = "fix" if found else "connect"
            return command(how, "--retailer", self.retailer, "--credentials-file", self.credentials, *codes, "-o", "json", stdin=self.trouble.codes, **self.there)
        return command("sync", "--retailer", self.retailer, *(["--full"] if step.rows else []), *codes, "-o", "json", stdin=self.trouble.codes, **self.there)

    def look(self, step):
        shop, trouble = self.shop, self.trouble
        shop.calm()
        if step.troubled:
            if trouble.signs_in:
                shop.end_sessions()
            trouble.begin(shop)
        shop.take_asked()
        ran = self.type_it(step)
        asked = shop.take_asked()
        connection, = self.own("/sync/connections")
        items = self.get(f"/sync/orders?limit=1000&include=adjustments&retailer_id={self.retailer}")
        error = json.loads(ran.stderr.strip().splitlines()[-1]) if ran.returncode else {}
        details = json.dumps(error.get("details"))
        codes = [code for code in SAYS if f'"{code}"' in details] or [error.get("code")]
        said = "equal" if ran.returncode == 0 else f"{codes[0]}: {self.message(error)}"
        self.outcomes.append(said)
        must = trouble.must if step.troubled else ("equal",)
        problem = lambda what: self.bad.append(f"{step.name}: {what} ({ran.returncode}: {said})")  # noqa: E731
        if ran.returncode not in (0, FAILED):
            return problem(f"exit code; {ran.stderr[-400:]}")
        outcome = "equal" if ran.returncode == 0 else codes[0]
        if outcome not in must:
            problem(f"not {' or '.join(must)}")
        if ran.returncode and not re.search(SAYS.get(codes[0], "^$"), said + str(error)):
            problem("the message does not name it")
        if (connection["status"] == "invalid") != (outcome in INVALID):
            problem(f"the connection is {connection['status']}")
        self.compare(step, ran.returncode == 0, items, problem)
        self.requests(step, asked, problem)
        if step.troubled and outcome in INVALID:
            self.again(problem)

    @staticmethod
    def message(error):
        found = re.search(r'"message": "((?:[^"\\]|\\.)*)"', json.dumps(error.get("details"), ensure_ascii=False) or "")
        return found[1] if found else error.get("message")

    def compare(self, step, completed, items, problem):
        wrong, missing = self.shop.platform.compare(items)
        if self.trouble.grows and step.troubled and not step.rows:
            # Orders that appeared while the list was read may wait for the next sync.
            missing -= set(self.shop.platform.numbers[:3])
        if wrong or (missing and (completed or step.rows)):
            problem(f"{'LOST' if step.rows else 'SILENT' if completed else 'WRONG'}: {wrong[:3]}, {len(missing)} missing")
        ids = [item["id"] for item in items]
        if len(ids) != len(set(ids)):
            problem("an id is there twice")
        if gone := {item["id"] for item in self.rows} - set(ids):
            problem(f"{len(gone)} of {len(self.rows)} ids are gone")
        # Nothing at the shop changes once all rows are there.
        kept = sorted(items, key=lambda item: item["id"])
        if step.rows and not (self.trouble.grows and step.troubled) and kept != self.rows:
            problem(f"rows changed: {len(self.rows)} before, {len(kept)} after")
        self.rows = kept

    def requests(self, step, asked, problem):
        trouble, kinds = self.trouble, [kind for _, kind in asked]
        # A busy machine may cut a step off after its password.
        passwords = trouble.passwords if step.troubled else (0, 1, 2)
        if passwords and kinds.count("sign-in") not in passwords:
            problem(f"the password was posted {kinds.count('sign-in')} times")
        if step.troubled and trouble.retry_after:
            after = [at - self.shop.troubled_at for at, _ in asked] if self.shop.troubled_at else []
            if not any(passed > trouble.retry_after * 0.95 for passed in after):
                problem("nothing was asked for after Retry-After")
            if soon := [f"{passed:.1f} s" for passed in after if NEAR < passed < trouble.retry_after * 0.95]:
                problem(f"Retry-After was not waited for: asked after {', '.join(soon)}")

    def again(self, problem):
        """Another sync, with credentials that were refused: the shop is asked for nothing."""
        ran = command("sync", "--retailer", self.retailer, "-o", "json", **self.there)
        if ran.returncode == 0:
            problem("a sync with refused credentials succeeds")
        if asked := self.shop.take_asked():
            problem(f"asks a shop that refused the credentials for {asked}")

    def all(self, steps):
        began = time.monotonic()
        for step in steps:
            self.look(step)
        self.seconds = time.monotonic() - began


def report(path, done):
    """A table of troubles, with a column for each platform: how the first sync ended."""
    names = list(dict.fromkeys(str(run.shop.platform) for run in done))
    cells = {(run.trouble.name, str(run.shop.platform)): run for run in done}
    lines = [f"| Trouble | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for trouble in TROUBLES:
        row = [cells.get((trouble.name, name)) for name in names]
        if any(row):
            texts = ["" if run is None else ("**BAD** " if run.bad else "") + "; ".join(dict.fromkeys(one.split(":")[0] for one in run.outcomes)) for run in row]
            lines.append(f"| {trouble.name} | {' | '.join(texts)} |")
    path.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", type=re.compile, default=re.compile(""), metavar="REGEX", help='of "platform: trouble"')
    parser.add_argument("--short", action="store_true", help="as in CI: fewer syncs of each")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one of so many troubles")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="writes the table, as Markdown")
    arguments = parser.parse_args()
    # What was started is stopped, also when this is.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    steps = STEPS[:2] if arguments.short else STEPS
    verdict, began, platforms = Verdict(), time.monotonic(), [platform() for platform in PLATFORMS]
    chosen = [(platform, one) for one in TROUBLES for platform in platforms
              if one.applies(platform) and arguments.only.search(f"{platform}: {one.name}")][::arguments.every]
    shops = [Shop(platform).start() for platform, _ in chosen]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        retailers = folder / "retailers.toml"
        retailers.write_text("".join(shop.entry(1000 + place, f"{place} {trouble.name}") for place, (shop, (_, trouble)) in enumerate(zip(shops, chosen))))
        with Service(folder / "service", "--rate-limit", "off", "--retailers", str(retailers)) as service:
            def one(place):
                run = Run(service, folder, 1000 + place, shops[place], chosen[place][1], f"+155501{place % 100:02}")
                try:
                    run.all(steps)
                except Exception as error:  # noqa: BLE001: whatever it was, it belongs to this trouble
                    run.bad.append(f"{type(error).__name__}: {error}")
                return run

            with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                done = []
                for run in pool.map(one, range(len(chosen))):
                    print(f"{'BAD ' if run.bad else 'ok  '}{run.name:44} {run.seconds:5.1f} s  {' | '.join(run.outcomes)[:200]}", flush=True)
                    verdict.check(run.name, not run.bad, "\n    ".join(run.bad))
                    done.append(run)
    for shop in shops:
        shop.stop()
    if arguments.report:
        report(arguments.report, done)
    print(f"{len(chosen)} troubles in {time.monotonic() - began:.0f} s")
    return verdict.end("troubles of platforms")


if __name__ == "__main__":
    sys.exit(main())
