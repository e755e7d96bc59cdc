#!/usr/bin/env python3
"""Clients that generators make of openapi.yaml: openapi-typescript (with openapi-fetch), @hey-api/openapi-ts, orval, and
openapi-python-client. Each generates without a warning, compiles (tsc --strict) or imports, and makes the same calls to a live
sandbox, to a session's end, with an answer to an MFA request, down to the typed body of an error. What it read is compared with plain
HTTP; and it reads what a later version of the service may send.

Needs: node and npm, openapi-python-client and joserfc (tests/judges/requirements.txt), a built ordersync.
Arguments: the generators, if not all. What is generated is left in target/clients.
"""

import concurrent.futures
import decimal
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/judges"))

from judge import Proxy, Service, Verdict  # noqa: E402
from person import Person  # noqa: E402

CONTRACT = ROOT / "openapi.yaml"
WORK = ROOT / "target/clients"
GENERATED = WORK / "generated"
#: The packages that package.json names bring others, in their versions of this day.
PACKAGES_OF = "2026-11-25"
SECRET = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one"
#: Commands in WORK.
GENERATORS = {
    "openapi_typescript": ["node_modules/.bin/openapi-typescript", CONTRACT, "-o", "generated/openapi_typescript/schema.ts"],
    "hey_api": ["node_modules/.bin/openapi-ts", "-i", CONTRACT, "-o", "generated/hey_api", "-p", "@hey-api/client-fetch",
                "@hey-api/typescript", "@hey-api/sdk"],
    "orval": ["node_modules/.bin/orval", "--config", "orval.config.cjs"],
    "python": [sys.executable, "-m", "openapi_python_client", "generate", "--path", CONTRACT, "--output-path",
               "generated/python/ordersync_client", "--meta", "none", "--config", "python.yaml", "--fail-on-warning"],
}
CALLERS = {"openapi_typescript": "built/openapi_fetch.js", "hey_api": "built/hey_api.js", "orval": "built/orval.js"}
#: A generator that says one of these leaves something out.
COMPLAINTS = re.compile(r"warn|error|unsupported|cannot|could not|skip|drop|ignor|fail|missing|invalid", re.I)
#: What a later version may send where an enumeration may grow.
NEWER = "from_tomorrow"
GROWING = {"status", "syncStatus", "type", "eventType", "code"}


def run(*command, **named):
    return subprocess.run([*map(str, command)], cwd=WORK, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=600, **named)


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORDERSYNC_")}
    return {**kept, "CONTRACT": str(CONTRACT), "NO_COLOR": "1", "CI": "true", "DO_NOT_TRACK": "1", "SCARF_ANALYTICS": "false", **more}


def prepare():
    """The callers and the packages, below target/."""
    WORK.mkdir(parents=True, exist_ok=True)
    installed, wanted = WORK / "node_modules/.installed", (HERE / "package.json").read_text() + PACKAGES_OF
    for file in HERE.iterdir():
        if file.suffix in (".ts", ".cjs", ".json"):
            shutil.copy(file, WORK)
    (WORK / "python.yaml").write_text("post_hooks: []\n")
    if not (installed.exists() and installed.read_text() == wanted):
        done = run("npm", "install", "--no-package-lock", "--before", PACKAGES_OF, "--ignore-scripts", "--no-audit", "--no-fund",
                   "--fetch-retries=5", env=environment())
        if done.returncode != 0:
            sys.exit(f"the packages cannot be installed:\n{done.stdout}")
        installed.write_text(wanted)
    shutil.rmtree(GENERATED, ignore_errors=True)
    shutil.rmtree(WORK / "built", ignore_errors=True)
    (GENERATED / "python").mkdir(parents=True)


def generate(names, verdict):
    with concurrent.futures.ThreadPoolExecutor() as pool:
        made = dict(zip(names, pool.map(lambda name: run(*GENERATORS[name], env=environment()), names)))
    for name, done in made.items():
        verdict.check(f"{name} generates", done.returncode == 0, done.stdout)
        said = [line for line in done.stdout.replace(str(ROOT), "").splitlines() if COMPLAINTS.search(line)]
        verdict.check(f"{name} has nothing to complain of", not said, "\n".join(said))


class Newer(Proxy):
    """The service as a later version of it might be: unknown values in enumerations that may grow, and unknown members."""

    def changed(self, thing):
        if isinstance(thing, list):
            return [self.changed(one) for one in thing]
        if not isinstance(thing, dict):
            return thing
        changed = {name: NEWER if name in GROWING and isinstance(value, str) else self.changed(value) for name, value in thing.items()}
        return {**changed, "fromTomorrow": {"value": [1]}}

    def ask(self, *asked):
        answer = super().ask(*asked)
        answer.body = json.dumps(self.changed(answer.json)).encode()
        return answer


def call(name, service, newer, phone, verdict):
    """Runs a caller, and compares its report with what plain HTTP says."""
    external = f"{name}'s own user"
    machine = service.request("POST", "/oauth/token", f"grant_type=client_credentials&client_id=sandbox&client_secret={SECRET}".encode(),
                              headers={"Content-Type": "application/x-www-form-urlencoded"}).json["access_token"]
    link = service.request("POST", "/v1/link/token", {"external_user_id": external}, token=machine, headers={"X-Client-Secret": SECRET})
    Person(phone).decide(f"{service.base}/widget?link_token={link.json['link_token']}", "approve")
    command = ["node", CALLERS[name]] if name in CALLERS else [sys.executable, HERE / "python_client.py"]
    told = subprocess.run(
        [*map(str, command)], cwd=WORK, capture_output=True, text=True, timeout=300,
        env=environment(ORDERSYNC_BASE_URL=service.base, NEWER_BASE_URL=newer.base, PHONE=phone, EXTERNAL_USER=external,
                        CLIENT_SECRET=SECRET, PYTHONPATH=str(GENERATED / "python")))
    if verdict.check(f"{name} makes its calls", told.returncode == 0, told.stderr):
        compare(name, json.loads(told.stdout, parse_float=decimal.Decimal), service, phone, verdict)


def compare(name, report, service, phone, verdict):
    token = service.token(phone)

    def same(what, seen, expected):
        verdict.check(f"{name}: {what}", seen == expected, (seen, expected))

    def plain(path):
        return service.request("GET", path, token=token)

    catalog = plain("/sync/retailers").json
    same("the catalog", report["retailers"],
         [{"id": one["retailerId"], "name": one["displayName"], "connectable": one["syncConfig"]["serverSide"]} for one in catalog])
    connections = plain("/sync/connections").json
    connection = connections[0]["connectionId"]
    same("the connections", report["connections"], [{"connectionId": connection, "status": "valid"}])
    same("the new connection", report["connectionId"], connection)
    session = plain(f"/sync/sessions/{connections[0]['lastBatchId']}").json
    events = [{"type": event["type"], **({"reqId": event["reqId"], "eventType": event["mfa"]["eventType"]} if "mfa" in event else {})}
              for event in session["events"]]
    same("the session", report["session"], {"status": "normal", "syncStatuses": ["completed"], "events": events})
    verdict.check(f"{name}: there was an MFA request", any(event.get("eventType") == "enter" for event in events), events)
    same("the removal", report["removed"], 204)
    same("a typed error", report["exists"], {"httpStatus": 409, "code": "CONNECTION_EXISTS", "connectionId": connection})
    same("a bad parameter", report["badRequest"], {"httpStatus": 400, "code": "INVALID_REQUEST", "field": "limit"})
    orders = plain("/sync/orders?limit=1000")
    exact = json.loads(orders.body, parse_float=decimal.Decimal)
    verdict.check(f"{name}: there are orders with cents", any(isinstance(one["price"], decimal.Decimal) for one in exact), exact)
    same("the orders, to the last digit", report["orders"],
         [{field: one[field] for field in ("id", "price", "quantity", "orderTotal")} for one in exact])
    same("the orders as they were sent", report["exactOrders"], orders.body.decode())
    same("the CSV", report["csv"], plain("/sync/orders?limit=1000&format=csv").body.decode())
    item = plain(f"/sync/orders/{exact[0]['id']}").json
    same("an item", report["item"], {"id": item["id"], "adjustments": None if item["orderAdjustments"] is None else len(item["orderAdjustments"])})
    same("what is shared", report["share"], {"user": plain("/sync/profile").json["userId"], "connections": [connection]})
    same("a link of nobody", report["nobody"], {"httpStatus": 404, "code": "USER_NOT_FOUND"})
    newer = report["newer"]
    same("an unknown status of a session", (newer["session"]["status"], newer["session"]["syncStatuses"]), (NEWER, [NEWER]))
    same("unknown events", {(event["type"], event.get("eventType", NEWER)) for event in newer["session"]["events"]}, {(NEWER, NEWER)})
    same("an unknown status of a connection", newer["connections"], [{"connectionId": connection, "status": NEWER}])
    same("an unknown code", newer["exists"], {"httpStatus": 409, "code": NEWER, "connectionId": connection})


def main():
    names = sys.argv[1:] or list(GENERATORS)
    verdict = Verdict()
    prepare()
    generate(names, verdict)
    if verdict.wrong:
        return verdict.end("clients")
    compiled = run("node_modules/.bin/tsc", env=environment()) if names == list(GENERATORS) or CALLERS.keys() & names else None
    if compiled and not verdict.check("tsc --strict compiles the clients and their callers", compiled.returncode == 0, compiled.stdout):
        return verdict.end("clients")
    with tempfile.TemporaryDirectory() as folder, Service(folder, "--rate-limit", "off", "--speed", "50") as service, Newer(service.base) as newer:
        with concurrent.futures.ThreadPoolExecutor() as pool:
            phones = {name: f"+155501{number}" for number, name in enumerate(names, 61)}
            list(pool.map(lambda name: call(name, service, newer, phones[name], verdict), names))
    return verdict.end("clients")


if __name__ == "__main__":
    sys.exit(main())
