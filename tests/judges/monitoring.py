#!/usr/bin/env python3
"""The alert rules and the dashboard, in a Prometheus that scrapes two nodes on a PostgreSQL.

promtool checks the rules and runs their unit tests; each alert has one, a severity, and a line in the section that its runbook_url
names. Then users ask and sync, some of them too often; a shop has new pages, the database stops, and a node dies. Every query of the
dashboard, its variables included, has an answer with data, the events can be seen in the figures, and alerts are pending or fire.

Needs Debian's prometheus and postgresql, and requirements.txt.
"""

import contextlib
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import yaml

from judge import ROOT, Service, Verdict, request

sys.path.insert(0, str(ROOT / "tests/postgres"))
from cluster import Cluster, free_port  # noqa: E402

RULES = ROOT / "packaging/prometheus-rules.yml"
RULE_TESTS = ROOT / "tests/judges/prometheus-rules-test.yml"
DASHBOARD = ROOT / "packaging/grafana-dashboard.json"
PAGE = ROOT / "docs/operating.md"
OWN = re.compile(r"\b(?:ordersync_[a-z_]+|process_start_time_seconds)\b")
#: As Grafana would set it: some scrapes long.
INTERVAL = "10s"
#: Until the last events are scraped.
SCRAPE_SECONDS = 3
#: A shop that fails for so many users is one that the rules are for.
FAILING = 8


def rules():
    return [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]


def section(page, anchor):
    """The text of a section, by the anchor of its heading."""
    for part in re.split(r"^(?=##+ )", page, flags=re.MULTILINE):
        heading = part.partition("\n")[0].lstrip("# ")
        if re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") == anchor:
            return part
    return None


def check_rules(verdict):
    promtool = shutil.which("promtool") or sys.exit("there is no promtool: install Debian's package prometheus")
    for words in (("check", "rules", RULES), ("test", "rules", RULE_TESTS)):
        ran = subprocess.run([promtool, *words], capture_output=True, text=True, timeout=60)
        verdict.check(f"promtool {words[0]}s the rules", ran.returncode == 0, ran.stdout + ran.stderr)
    tested = {case["alertname"] for test in yaml.safe_load(RULE_TESTS.read_text())["tests"] for case in test.get("alert_rule_test", [])
              if case["exp_alerts"]}
    page = PAGE.read_text()
    for rule in rules():
        name, notes = rule["alert"], rule["annotations"]
        verdict.check(f"{name} has a severity", rule["labels"]["severity"] in ("critical", "warning"), rule)
        verdict.check(f"{name} says what it is about", notes["summary"] and notes["description"], notes)
        file, _, anchor = notes["runbook_url"].partition("#")
        says = section(page, anchor) if file == "docs/operating.md" else None
        verdict.check(f"{name} is in the section that it names", says and f"`{name}`" in says, notes)
        verdict.check(f"{name} fires in a unit test", name in tested, tested)
    named = set(re.findall(r"`(Ordersync\w+)`", page))
    verdict.check("the page names no other alerts", named <= {rule["alert"] for rule in rules()}, named)
    # The command at the head of the file, by which the links become complete.
    [command] = re.findall(r"^# +sed --in-place '(.+)' prometheus-rules\.yml$", RULES.read_text(), re.MULTILINE)
    changed = yaml.safe_load(subprocess.run(["sed", command, RULES], capture_output=True, text=True, check=True).stdout)
    links = [rule["annotations"]["runbook_url"] for rule in changed["groups"][0]["rules"]]
    verdict.check("the links of the rules can be made complete", all(link.startswith("https://") for link in links), links)


class Prometheus:
    """Scrapes the nodes every second, and evaluates the rules."""

    def __init__(self, folder, targets):
        self.folder, self.base = folder, f"http://127.0.0.1:{free_port()}"
        folder.mkdir()
        configuration = {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(RULES)],
            "scrape_configs": [{"job_name": "ordersync", "static_configs": [{"targets": targets}]}],
        }
        (folder / "prometheus.yml").write_text(yaml.safe_dump(configuration))

    def __enter__(self):
        program = shutil.which("prometheus") or sys.exit("there is no prometheus: install Debian's package prometheus")
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                [program, f"--config.file={self.folder}/prometheus.yml", f"--storage.tsdb.path={self.folder}/data",
                 f"--web.listen-address={self.base.removeprefix('http://')}"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def ask(self, path, **fields):
        """The data of an answer, or why there is none."""
        query = urllib.parse.urlencode(fields, doseq=True)
        try:
            with urllib.request.urlopen(f"{self.base}/api/v1/{path}?{query}", timeout=30) as answer:
                return json.load(answer)["data"], None
        except urllib.error.HTTPError as refused:
            return None, refused.read().decode()
        except OSError as why:
            return None, str(why)

    def series(self, expression, since=None):
        """Labels and values of what a query finds, now or at each second since; and why it finds nothing."""
        now = time.time()
        if since is None:
            data, why = self.ask("query", query=expression, time=now)
        else:
            data, why = self.ask("query_range", query=expression, start=since, end=now, step=1)
        if why:
            return [], why
        found = [(one["metric"], [one["value"]] if since is None else one["values"]) for one in data["result"]]
        return [(labels, [float(value) for _, value in values if not math.isnan(float(value))]) for labels, values in found], None

    def until(self, verdict, what, expression, seconds=30):
        """Waits until a query has an answer."""
        deadline = time.monotonic() + seconds
        while not self.series(expression)[0]:
            if time.monotonic() > deadline:
                return verdict.check(what, False, (self.series(expression), (self.folder / "log").read_text()[-2000:]))
            time.sleep(0.2)
        return verdict.check(what, True)


def in_parallel(work, items):
    threads = [threading.Thread(target=work, args=(item,)) for item in items]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Traffic(contextlib.ExitStack):
    """Requests to both nodes all the time: those of a user, soon more than the limit allows, and those without a valid token. A node
    that does not answer ends none of it."""

    def __init__(self, bases, token):
        super().__init__()
        self.ended = threading.Event()
        asked = [("/readyz", None), ("/sync/profile", token), ("/sync/orders?limit=20", token), ("/sync/orders/none", token),
                 ("/sync/profile", "none")]

        def ask(base):
            while not self.ended.wait(0.1):
                for path, bearer in asked:
                    with contextlib.suppress(OSError):
                        request(base, "GET", path, token=bearer)

        threads = [threading.Thread(target=ask, args=(base,)) for base in bases]
        for thread in threads:
            thread.start()
            self.callback(thread.join)
        self.callback(self.ended.set)


def things_happen(verdict, prometheus, cluster, nodes):
    first, second = nodes
    token = first.token()
    # Retailers differ: one connection of a user each.
    accounts = [(1, "user_good"), (2, "user_mfa_enter"), (3, "user_bad"), (4, "user_items_200")]
    in_parallel(lambda one: second.connect(token, *one), accounts)
    in_parallel(lambda number: first.connect(first.token(f"+155501{10 + number}"), 5, "error_retailer_changed"), range(FAILING))
    prometheus.until(verdict, "steps of syncs are counted", "sum(ordersync_sync_step_duration_seconds_count) > 0")
    # Prometheus reckons from two scrapes: the first events of a kind do not suffice.
    in_parallel(lambda retailer: first.connect(token, retailer, "user_items_200"), range(6, 10))
    with Traffic([node.base for node in nodes], token):
        prometheus.until(verdict, "a user is limited", 'sum(ordersync_http_requests_total{status="429"}) > 50')
        prometheus.until(verdict, "syncs complete", 'sum(ordersync_syncs_total{result="completed"}) >= 6')
        prometheus.until(verdict, "a shop's syncs fail", f'sum(ordersync_syncs_total{{result="retailer_changed"}}) >= {FAILING}')
        prometheus.until(verdict, "a sync waits for its user", 'ordersync_sync_queue{waits_for="user"} > 0')
        cluster.stop()
        prometheus.until(verdict, "an alert is pending while the database is away", 'ALERTS{alertname="OrdersyncStoreAway"}')
        prometheus.until(verdict, "that it is away is counted at /readyz", 'ALERTS{alertname="OrdersyncAnswersNotReady"}')
        cluster.start()
        prometheus.until(verdict, "the alert ends with the outage", 'absent(ALERTS{alertname="OrdersyncStoreAway"})')
        second.kill()
        prometheus.until(verdict, "an alert is pending while a node is down", 'ALERTS{alertname="OrdersyncDown"}')
    second.start()
    prometheus.until(verdict, "both nodes are there again", 'count(ordersync_sync_queue{waits_for="process"}) == 2')
    time.sleep(SCRAPE_SECONDS)


def queries(dashboard):
    """The title, kind and expression of each query."""
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], "instant" if target["instant"] else "range", target["expr"]
    for annotation in dashboard["annotations"]["list"]:
        yield annotation["name"], "range", annotation["expr"]


def filled(text, instance=".*"):
    for name, value in (("$__rate_interval", INTERVAL), ("$job", "ordersync"), ("$instance", instance)):
        text = text.replace(name, value)
    return text


def check_form(verdict, dashboard, shown):
    """Mistakes that Grafana shows by an empty panel, if at all."""
    panels = dashboard["panels"]
    verdict.check("panels have ids of their own", len({panel["id"] for panel in panels}) == len(panels))
    cells = [(x, y) for panel in panels for place in [panel["gridPos"]]
             for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])]
    verdict.check("panels do not overlap", len(set(cells)) == len(cells) and max(x for x, _ in cells) < 24)
    sources = re.findall(r'"uid": "([^"]+)"', DASHBOARD.read_text())
    verdict.check("the data source is the user's", set(sources) == {"${datasource}", dashboard["uid"]}, set(sources))
    used = set(OWN.findall(DASHBOARD.read_text())) | {name for rule in rules() for name in OWN.findall(rule["expr"])}
    plain = {re.sub(r"_(bucket|count|sum)$", "", name) for name in used}
    verdict.check("only figures that the service has are used", plain <= shown, plain - shown)
    in_dashboard = {re.sub(r"_(bucket|count|sum)$", "", name) for name in OWN.findall(DASHBOARD.read_text())}
    verdict.check("the dashboard shows every figure", shown <= in_dashboard, shown - in_dashboard)
    unknown = [name for _, _, text in queries(dashboard) for name in re.findall(r"\$\w+", filled(text))]
    verdict.check("no variable is unknown", not unknown, unknown)


def check_dashboard(verdict, prometheus, dashboard, since, targets):
    variables = {one["name"]: one["query"] for one in dashboard["templating"]["list"] if one["type"] == "query"}
    for name, expected in (("job", ["ordersync"]), ("instance", sorted(targets))):
        selector, label = re.fullmatch(r"label_values\((.+), (\w+)\)", variables[name]["query"]).groups()
        values, why = prometheus.ask(f"label/{label}/values", **{"match[]": filled(selector)})
        verdict.check(f"the variable {name} has its values", values == expected, (values, why))
    found = {}
    for title, kind, expression in queries(dashboard):
        # All of them, and one as Grafana writes it.
        for instance in (".*", targets[1].replace(".", r"\\.")):
            series, why = prometheus.series(filled(expression, instance), since if kind == "range" else None)
            with_data = [one for one in series if one[1]]
            if instance != ".*":
                # The other node may have done all of it.
                verdict.check(f"{title}: {expression} can be asked of one node", not why, why)
            elif verdict.check(f"{title}: {expression} has data", with_data and not why, why or series):
                found.setdefault(title, []).extend(with_data)
    print(f"{sum(len(one) for one in found.values())} series in {len(found)} panels")
    return found


def check_figures(verdict, found, targets):
    """The events can be seen in the panels."""
    def most(title, **labels):
        return max((max(values) for got, values in found.get(title, ()) if labels.items() <= got.items()), default=None)

    def states(title, instance):
        return {value for got, values in found.get(title, ()) if got.get("instance") == instance for value in values}

    first, second = targets
    for what, ok in {
        "two nodes answer": most("Nodes that answer") == 2,
        "both have their store": most("Nodes without their store") == 0,
        "an answer in a while was a failure": 0 < (most("Answers with 5xx") or 0) < 1,
        "one node died": states("Nodes", second) == {0, 1} and states("Nodes", first) == {1},
        "the database was away": states("Database outages", first) == states("Database outages", second) == {0, 1},
        "the node that died started again": most("Starts in an hour", instance=second) >= 1 > most("Starts in an hour", instance=first),
        "the start is noted": any(got["instance"] == second for got, _ in found["Starts"]),
        "503 is seen during the outage": (most("Failures", status="503", route="/sync/profile") or 0) > 0,
        "nodes were not ready": (most("Not ready", instance=first) or 0) > 0,
        "refusals are seen": all((most("Refused", status=status) or 0) > 0 for status in ("401", "404", "429")),
        "latencies are times": 0 < most("Latency") < 60,
        "a sync waits for its user": most("Queue", waits_for="user") >= 1,
        "syncs completed": (most("Syncs that ended", result="completed") or 0) > 0,
        "wrong passwords are counted": (most("Syncs that ended", result="credentials_refused") or 0) > 0,
        # As far as Prometheus reckons from what it has seen.
        "failures of a shop are counted": (most("Syncs that ask for the operator", result="retailer_changed") or 0) >= FAILING - 1,
        "some syncs completed and some did not": 0 < most("Share of syncs that completed") < 1,
    }.items():
        verdict.check(what, ok, found)


def main():
    verdict = Verdict()
    check_rules(verdict)
    dashboard = json.loads(DASHBOARD.read_text())
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as running:
        folder = pathlib.Path(folder)
        cluster = running.enter_context(Cluster())
        # Ports of their own, so that a node that starts again is the old target.
        targets = [f"127.0.0.1:{free_port()}" for _ in range(2)]
        nodes = [Service(folder / f"node{number}", "--metrics-listen", target, database=cluster.address(), home=folder / "home")
                 for number, target in enumerate(targets)]
        # One after the other: the first makes the root key.
        for node in nodes:
            running.enter_context(node)
        prometheus = running.enter_context(Prometheus(folder / "prometheus", targets))
        prometheus.until(verdict, "both nodes are scraped", 'count(up{job="ordersync"} == 1) == 2')
        # Until then, none was known.
        prometheus.until(verdict, "nothing is pending", "absent(ALERTS)")
        since = time.time()
        things_happen(verdict, prometheus, cluster, nodes)
        # A figure that has a label is shown after the first event.
        text = request(f"http://{targets[0]}", "GET", "/metrics").body.decode()
        check_form(verdict, dashboard, set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE)))
        found = check_dashboard(verdict, prometheus, dashboard, since, targets)
        check_figures(verdict, found, targets)
        groups, why = prometheus.ask("rules")
        health = {rule["name"]: rule["lastError"] for group in groups["groups"] for rule in group["rules"] if rule["health"] != "ok"}
        verdict.check("every rule can be evaluated", not why and not health, health)
        raised = {(got["alertname"], got["alertstate"]) for got, _ in prometheus.series("ALERTS", since)[0]}
        for alert in (("OrdersyncSyncsFail", "firing"), ("OrdersyncStoreAway", "pending"), ("OrdersyncAnswersNotReady", "pending"),
                      ("OrdersyncFails", "pending"), ("OrdersyncDown", "pending")):
            verdict.check(f"{alert[0]} is {alert[1]}", alert in raised, raised)
        expected = {"OrdersyncSyncsFail", "OrdersyncStoreAway", "OrdersyncAnswersNotReady", "OrdersyncFails", "OrdersyncDown",
                    "OrdersyncLimitsClients"}
        verdict.check("no other alert is raised", {name for name, _ in raised} <= expected, raised)
    return verdict.end("monitoring")


if __name__ == "__main__":
    sys.exit(main())
