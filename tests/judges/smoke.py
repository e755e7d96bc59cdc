#!/usr/bin/env python3
"""The JUnit XML of `ordersync smoke`, read by another XML parser than the one that wrote it.

A sandbox passes with every case in the report; with a token that is refused, the report has the one failed case, and
the process ends with 4.
"""

import pathlib
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

from judge import Service, Verdict, command


def cases(path):
    """The suite's counts, and how each case ended."""
    root = ElementTree.parse(path).getroot()
    suite = root.find("testsuite")
    ended = {}
    for case in suite.findall("testcase"):
        float(case.get("time"))
        inner = [child.tag for child in case]
        ended[case.get("name")] = inner[0] if inner else "passed"
    return {name: int(suite.get(name)) for name in ("tests", "failures", "errors", "skipped")}, ended


def agree(counts, ended):
    """Whether the counts are those of the cases."""
    values = list(ended.values())
    return counts == {
        "tests": len(values), "failures": values.count("failure"), "errors": 0, "skipped": values.count("skipped")}


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Service(folder / "service") as service:
            token = service.request("POST", "/sandbox/token", {"phone": "+15550100"}).json["access_token"]
            for name, bearer, code, failed in (("good", token, 0, []), ("bad", "<&\"refused\">", 4, ["sign-in"])):
                report = folder / f"{name}.xml"
                run = command("smoke", "--junit", report, home=folder / "home", base=service.base, token=bearer)
                verdict.check(f"{name}: exit code", run.returncode == code, (run.returncode, run.stdout, run.stderr))
                counts, ended = cases(report)
                verdict.check(f"{name}: counts", agree(counts, ended), (counts, ended))
                seen = [case for case, how in ended.items() if how == "failure"]
                verdict.check(f"{name}: failed cases", seen == failed, ended)
                lines = [line.split(": ")[0][2:] for line in run.stdout.splitlines() if line[:1] in "✓✗-"]
                verdict.check(f"{name}: a line for each case", lines == list(ended), (lines, list(ended)))
    return verdict.end("smoke")


if __name__ == "__main__":
    sys.exit(main())
