#!/usr/bin/env python3
"""The files in packaging/, read by the programs that they are for, and compared with the built command.

systemd-analyze verifies the unit and rates its sandbox. The command of the unit is started as it is written, and the
container's health check asks it. hadolint reads the Containerfile, check-jsonschema the compose file. Every flag in the unit,
the Containerfile, the compose file and docs/operating.md exists.

Needs Debian's systemd, and requirements.txt. Neither systemd nor a container engine has to run.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import yaml

from judge import READY_SECONDS, ROOT, STOP_SECONDS, Verdict, binary, clean_environment, private_file, request

PACKAGING = ROOT / "packaging"
UNIT = PACKAGING / "ordersync.service"
PAGE = ROOT / "docs/operating.md"
WORST_EXPOSURE = 2.0
FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
# The commands whose flags the examples use.
COMMANDS = ("serve", "api", "sandbox fail", "sandbox clock", "sandbox reset", "sandbox token", "admin clients create",
            "admin clients rotate-secret", "admin clients limit", "admin users unbind", "admin users find", "admin users export", "admin users import", "admin users redelete",
            "admin retailers add", "admin audit", "admin keys list", "admin keys rotate", "admin keys retire", "admin sessions list", "admin store backup",
            "admin store copy", "admin store migrate")


def run(*words):
    return subprocess.run([*map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


def tool(name):
    """A program of the judges' own environment, or of the system."""
    found = shutil.which(name, path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    return found or sys.exit(f"there is no {name}: install systemd and tests/judges/requirements.txt")


def unit_words():
    """The command of the unit, and the flags that its comment gives as an example."""
    text = UNIT.read_text()
    [command] = re.findall(r"^ExecStart=/usr/bin/ordersync (.+)$", text, re.MULTILINE)
    [example] = re.findall(r"SERVE_FLAGS=(.+)$", text, re.MULTILINE)
    return command.split(), example.split()


def unit(verdict, folder):
    copy = folder / UNIT.name
    copy.write_text(UNIT.read_text().replace("/usr/bin/ordersync", binary()))
    verified = run(tool("systemd-analyze"), "verify", "--man=no", copy)
    verdict.check("systemd verifies the unit", verified.returncode == 0, verified)
    verdict.check("systemd has no warning about it", not verified.stdout + verified.stderr, verified)
    rated = run(tool("systemd-analyze"), "security", "--offline=true", "--no-pager", copy)
    exposure = re.search(r"Overall exposure level for \S+: ([\d.]+)", rated.stdout)
    if verdict.check("systemd rates the unit", exposure, rated):
        print(f"exposure of the unit: {exposure[1]}")
        verdict.check("the unit is closed enough", float(exposure[1]) <= WORST_EXPOSURE, rated.stdout)


def started(folder):
    """The command of the unit, as systemd would start it. It logs to the file `log`."""
    private_file(folder / "root.key", base64.b64encode(os.urandom(32)).decode())
    private_file(folder / "otp-gateway.secret", "a secret of the gateway")
    command, example = unit_words()
    example = [word.replace("https://...", "https://sms.example/send") for word in example]
    place = str(folder)
    words = [word.replace("${STATE_DIRECTORY}", place).replace("${CREDENTIALS_DIRECTORY}", place) for word in command]
    at = words.index("$SERVE_FLAGS")
    words[at:at + 1] = [*example, "--listen", "127.0.0.1:0"]
    environment = {**clean_environment(), "HOME": "/nonexistent"}
    with open(folder / "log", "wb") as log:
        return subprocess.Popen([binary(), *words], env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def service(verdict, folder, health_check):
    process, log = started(folder), folder / "log"
    try:
        address, deadline = None, time.monotonic() + READY_SECONDS
        while not address and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
            address = re.search(r"listening on (http://[\d.]+:\d+)", log.read_text())
        if not verdict.check("the unit's command starts", address, log.read_text()):
            return
        health_check = [binary(), *(word.replace("http://127.0.0.1:8080", address[1]) for word in health_check[1:])]
        healthy = run(*health_check)
        verdict.check("the health check passes", healthy.returncode == 0, healthy)
        process.send_signal(signal.SIGHUP)
        while "reloaded" not in log.read_text() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        verdict.check("a reload does not end the service", request(address[1], "GET", "/readyz").status == 200)
        process.send_signal(signal.SIGTERM)
        verdict.check("a stop is no failure", process.wait(STOP_SECONDS) == 0, log.read_text())
        sick = run(*health_check)
        verdict.check("the health check fails without the service", sick.returncode != 0, sick)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def container(verdict):
    """Returns the health check of the image, as words."""
    linted = run(tool("hadolint"), PACKAGING / "Containerfile")
    verdict.check("hadolint accepts the Containerfile", linted.returncode == 0, linted.stdout)
    [health_check] = re.findall(r"^HEALTHCHECK (?:.*\\\n)*.*CMD (\[.+\])$", (PACKAGING / "Containerfile").read_text(), re.MULTILINE)
    return json.loads(health_check)


def compose(verdict):
    """Returns the command of its nodes, as words."""
    file = PACKAGING / "compose.yaml"
    valid = run(tool("check-jsonschema"), "--builtin-schema", "vendor.compose-spec", file)
    verdict.check("the compose file follows its schema", valid.returncode == 0, valid.stdout + valid.stderr)
    described = yaml.safe_load(file.read_text())
    nodes = [service for name, service in described["services"].items() if name.startswith("node")]
    named = {secret for service in described["services"].values() for secret in service.get("secrets", ())}
    verdict.check("its secrets are those that its services name", named == set(described["secrets"]), (named, described["secrets"]))
    return [word for node in nodes for word in node["command"]]


def proxy(verdict, folder):
    """The configuration of nginx, on this machine and in containers, which needs a newer nginx than Debian's."""
    made = run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=orders.example",
               "-days", "2", "-keyout", folder / "key.pem", "-out", folder / "chain.pem")
    verdict.check("a certificate is made", made.returncode == 0, made)
    (folder / "tls").mkdir()
    for name in ("key.pem", "chain.pem"):
        (folder / name).rename(folder / "tls" / name)
    for name in ("nginx.conf", "nginx-nodes.conf"):
        shutil.copy(PACKAGING / name, folder)
    words = (tool("nginx"), "-t", "-g", f"pid {folder}/pid; error_log stderr;", "-c", folder / "nginx.conf")
    tested = run(*words)
    verdict.check("nginx takes its configuration", tested.returncode == 0, tested)
    # Without what is new: the names of nodes are resolved by a server.
    containers = (PACKAGING / "nginx-containers.conf").read_text()
    nodes = re.findall(r"server (\w+):8080 resolve", containers)
    (folder / "nginx-nodes.conf").write_text(re.sub(r"\w+:8080 resolve", "127.0.0.1:8080", containers))
    tested = run(*words)
    verdict.check("nginx takes that of containers", tested.returncode == 0, tested)
    services = yaml.safe_load((PACKAGING / "compose.yaml").read_text())["services"]
    verdict.check("it names the nodes", nodes == [name for name in services if name.startswith("node")], nodes)
    mounted = {volume.split(":")[0].removeprefix("./") for volume in services["proxy"]["volumes"]}
    verdict.check("its files are mounted", mounted == {"nginx.conf", "nginx-containers.conf", "tls"}, mounted)


def page_lines():
    """The examples of the page that start the command, with the lines that continue them."""
    kept, continues = [], False
    for line in PAGE.read_text().splitlines():
        begins = re.search(r"\bordersync (serve|admin|sandbox|api)\b|SERVE_FLAGS=", line)
        if line.startswith("    ") and (continues or begins):
            kept.append(line.partition(" #")[0])
            continues = line.endswith("\\")
    return kept


def flags(verdict, health_check, nodes):
    helps = [("help", "options"), *((*command.split(), "--help") for command in COMMANDS)]
    known = {flag for words in helps for flag in FLAG.findall(run(binary(), *words).stdout)}
    named = {
        "the unit": [*unit_words()[0], *unit_words()[1]],
        "the Containerfile": health_check,
        "the compose file": nodes,
        PAGE.name: page_lines(),
    }
    for where, texts in named.items():
        used = {flag for text in texts for flag in FLAG.findall(text)}
        verdict.check(f"{where} has flags", used)
        verdict.check(f"the flags in {where} exist", used <= known, used - known)


def main():
    verdict = Verdict()
    health_check, nodes = container(verdict), compose(verdict)
    with tempfile.TemporaryDirectory() as folder:
        unit(verdict, pathlib.Path(folder))
        service(verdict, pathlib.Path(folder), health_check)
    with tempfile.TemporaryDirectory() as folder:
        proxy(verdict, pathlib.Path(folder))
    flags(verdict, health_check, nodes)
    return verdict.end("deployment")


if __name__ == "__main__":
    sys.exit(main())
