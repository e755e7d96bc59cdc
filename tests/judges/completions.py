#!/usr/bin/env python3
"""Real shells, at a terminal, load what `ordersync completions SHELL` prints, and somebody presses Tab.

Needs bash, zsh and fish; Elvish is judged where it is there.
"""

import concurrent.futures
import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time

import judge

SECONDS = 60
# On a busy machine an answer may come too late for a shell, which then has none, or a program may start slowly.
ATTEMPTS = 5
# What a terminal gets beside the text: colours, positions, modes, titles.
CONTROLS = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[=>()][0B]?|\r|\x07|\x08")


class Terminal:
    """A program at a terminal of 200 columns."""

    def __init__(self, command, environment, folder):
        self.seen = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 60, 200, 0, 0))

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait(self, pattern):
        """What was seen, once the pattern is in it, or at the deadline; what is read next begins anew."""
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            plain = CONTROLS.sub("", self.seen)
            if re.search(pattern, plain):
                self.seen = ""
                return True, plain
            ready, _, _ = select.select([self.terminal], [], [], 0.1)
            if ready:
                try:
                    read = os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:
                    break
                self.seen += read
                # Some shells ask the terminal who it is, and wait for the answer.
                if "\x1b[c" in read or "\x1b[0c" in read:
                    self.type("\x1b[?62;c")
                if "\x1b[6n" in read:
                    self.type("\x1b[1;1R")
        plain, self.seen = CONTROLS.sub("", self.seen), ""
        return False, plain

    def close(self):
        os.close(self.terminal)
        try:
            os.kill(self.process, 9)
        except ProcessLookupError:
            pass
        os.waitpid(self.process, 0)


class Bench:
    """A home folder with a connection, a batch and a profile, and the command on the path."""

    def __init__(self, folder):
        self.folder = folder
        self.home = os.path.join(folder, "home")
        programs = os.path.join(folder, "bin")
        os.makedirs(programs)
        os.symlink(os.path.abspath(judge.binary()), os.path.join(programs, "ordersync"))
        self.work = os.path.join(folder, "work")
        os.makedirs(os.path.join(self.work, "exports"))
        open(os.path.join(self.work, "exports", "april.csv"), "w").close()
        self.environment = {
            **judge.clean_environment(), "ORDERSYNC_HOME": self.home, "HOME": self.home, "TERM": "xterm-256color",
            "PATH": f"{programs}:{os.environ['PATH']}", "ZDOTDIR": self.home, "ORDERSYNC_SANDBOX_SPEED": "50",
            "XDG_CONFIG_HOME": self.home, "XDG_DATA_HOME": self.home,
        }
        credentials = judge.private_file(
            os.path.join(folder, "c.json"), '{"username": "user_good", "password": "pass_good"}')
        self.command("connect", "--retailer", "12", "--credentials-file", credentials)
        self.command("profiles", "add", "staging", "--base-url", "https://staging.example.com")
        connection = json.loads(self.command("connections", "-o", "json"))[0]
        self.connection, self.batch = connection["connectionId"], connection["lastBatchId"]

    def command(self, *arguments):
        done = subprocess.run(
            ["ordersync", *arguments], env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            timeout=300)
        if done.returncode:
            sys.exit(f"ordersync {' '.join(arguments)}: {done.stderr}")
        return done.stdout


def tabs(verdict, bench, shell, command, setup, shows_names):
    """Tab at real terminals, one for each case. `shows_names`: whether the shell shows what an id stands for."""
    start = bench.connection[:6]
    # Typed, then Tab as often as the shell needs it; what has to appear.
    cases = [
        ("a command", "ordersync retail\t", "ordersync retailers"),
        ("a retailer by its name", "ordersync connect --retailer merri\t", "merribazaar"),
        ("retailers by number", "ordersync orders list --retailer 1\t\t", "15[\\s\\S]*18" + ("|Gletscherkorb" if shows_names else "")),
        ("a connection", f"ordersync connections get {start}\t", re.escape(bench.connection)),
        ("a connection after =", f"ordersync sync --connection={start}\t", f"--connection={bench.connection}"),
        ("a batch", f"ordersync sessions watch {bench.batch[:7]}\t", re.escape(bench.batch)),
        ("a profile", "ordersync orders list --profile stag\t", "--profile staging"),
        ("a flag", "ordersync orders export --form\t", "--format"),
        ("a value of a flag", "ordersync connections --status inv\t", "--status invalid"),
        ("a file in a folder", "ordersync orders export --out exports/a\t", "--out exports/april.csv"),
    ]
    if shows_names:
        cases.append(("a retailer with its name", "ordersync orders list --retailer 1\t\t", "Merribazaar"))

    def judged(case):
        for _ in range(ATTEMPTS):
            seen = once(case)
            if seen[1]:
                break
        return seen

    def once(case):
        what, typed, pattern = case
        terminal = Terminal(command, bench.environment, bench.work)
        try:
            terminal.type(setup)
            ok, seen = terminal.wait("is ready")
            if ok:
                terminal.type(typed)
                ok, seen = terminal.wait(pattern)
            return f"{shell} completes {what}", ok, seen
        finally:
            terminal.close()

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for what, ok, seen in pool.map(judged, cases):
            verdict.check(what, ok, repr(seen[-300:]))


def quiet(verdict, bench):
    """Whatever is wrong, nothing is printed and the shell sees no failure."""
    empty = os.path.join(bench.folder, "empty")
    config = os.path.join(bench.folder, "broken", "config")
    os.makedirs(config)
    with open(os.path.join(config, "config.toml"), "w") as file:
        file.write("this is no configuration")
    odd = {
        "an empty home": {"ORDERSYNC_HOME": empty},
        "a broken configuration": {"ORDERSYNC_HOME": os.path.dirname(config)},
        "a service that does not run": {"ORDERSYNC_BASE_URL": "http://127.0.0.1:9", "ORDERSYNC_TOKEN": "t"},
        "a service that never answers": {"ORDERSYNC_BASE_URL": "http://10.255.255.1", "ORDERSYNC_TOKEN": "t"},
        "an address that is none": {"ORDERSYNC_BASE_URL": "no address"},
    }
    for what, environment in odd.items():
        for shell in ("bash", "zsh", "fish", "elvish"):
            for words in (["fix", ""], ["connect", "--retailer", ""], ["sessions", "get", ""], ["--profile", ""], ["\udcff", ""]):
                for _ in range(ATTEMPTS):
                    began = time.monotonic()
                    done = subprocess.run(
                        ["ordersync", "__complete", shell, str(len(words)), "--", "ordersync", *words],
                        env={**bench.environment, **environment}, capture_output=True, timeout=60)
                    took = time.monotonic() - began
                    if took < 1:
                        break
                verdict.check(f"{what}, {shell} {words}: silent", (done.returncode, done.stderr) == (0, b""), done)
                verdict.check(f"{what}, {shell} {words}: in time", took < 1, took)
    verdict.check("a completion makes no file in an empty home", not os.path.exists(empty))


def main():
    verdict = judge.Verdict()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder)
        fpath = os.path.join(folder, "fpath")
        os.makedirs(fpath)
        with open(os.path.join(fpath, "_ordersync"), "w") as file:
            file.write(bench.command("completions", "zsh"))
        tabs(verdict, bench, "bash", ["bash", "--norc", "--noprofile", "-i"],
             'source <(ordersync completions bash); bind "set enable-bracketed-paste off"; echo is" "ready\n', False)
        tabs(verdict, bench, "zsh, sourced", ["zsh", "-f", "-i"],
             "autoload -U compinit && compinit -u -D && source <(ordersync completions zsh) && echo is' 'ready\n", True)
        tabs(verdict, bench, "zsh, from fpath", ["zsh", "-f", "-i"],
             f"fpath=({fpath} $fpath) && autoload -U compinit && compinit -u -D && echo is' 'ready\n", True)
        tabs(verdict, bench, "fish", ["fish", "--no-config", "-i"],
             "ordersync completions fish | source; and echo is' 'ready\n", True)
        if shutil.which("elvish"):
            with open(os.path.join(bench.home, "rc.elv"), "w") as file:
                # Without prompts, what is drawn letter by letter is one text.
                file.write("set edit:prompt = { put '' }\nset edit:rprompt = { put '' }\n")
                file.write(bench.command("completions", "elvish"))
            tabs(verdict, bench, "elvish", ["elvish", "-rc", os.path.join(bench.home, "rc.elv")], "echo is' 'ready\n", True)
        else:
            print("there is no Elvish here")
        quiet(verdict, bench)
    return verdict.end("completions")


if __name__ == "__main__":
    sys.exit(main())
