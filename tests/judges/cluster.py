#!/usr/bin/env python3
"""The alert rules, read by promtool.

It checks the rules and runs their unit tests; each alert has one, a severity, and a line in the section that its runbook_url names.

Needs Debian's prometheus, and requirements.txt.
"""

import re
import shutil
import subprocess
import sys

import yaml

from judge import ROOT, Verdict

RULES = ROOT / "packaging/prometheus-rules.yml"
RULE_TESTS = ROOT / "tests/judges/prometheus-rules-test.yml"
PAGE = ROOT / "docs/operating.md"


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


def main():
    verdict = Verdict()
    check_rules(verdict)
    return verdict.end("cluster")


if __name__ == "__main__":
    sys.exit(main())
