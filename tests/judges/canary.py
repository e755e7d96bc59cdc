#!/usr/bin/env python3
"""Plants recognisable secrets everywhere one is handled, and searches everything that was written for them.

Planted: user names and passwords of retailers, right and wrong; MFA codes; the access token; the TOTP tokens that
seal; the key of the service; what a sign-in with the pages leaves (access and refresh token, cookies) and the widget's
link token. Searched: stdout and stderr of the command with -vv, the log of `serve`, all files below
ORDERSYNC_HOME, the database with its journal. In whichever form: as it is, hex, base64 and base64url at each of the
three offsets, percent-encoded, JSON escapes, UTF-16, reversed. First it shows that it would find each of them.
"""

import base64
import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from judge import Recorder, Service, Verdict, binary, clean_environment, command, private_file
from person import Person

RETAILER = 12
SANDBOX_SECRET = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one"
# A name that only zeros tell from that of any account: who finds it found the credentials.
USER = "user_items_000000733"
PASSWORD = "pass_good"
WRONG_PASSWORD = "canary/Pa55+wörd?é=7f31"
WRONG_CODE = "CanaryCode77-4f"


def forms(secret):
    """(name, bytes) of every form in which the secret may travel."""
    raw = secret.encode()
    yield "as it is", raw
    yield "hex", raw.hex().encode()
    yield "HEX", raw.hex().upper().encode()
    for offset in range(3):
        # What stands before changes the first characters, what follows the last: those between are the secret's own.
        padded = b"\0" * offset + raw
        whole = len(padded) // 3 * 3
        for name, encode in (("base64", base64.b64encode), ("base64url", base64.urlsafe_b64encode)):
            yield f"{name} at {offset}", encode(padded[:whole])[4 if offset else 0:]
    yield "percent", "".join(f"%{byte:02X}" for byte in raw).encode()
    yield "percent, lower", "".join(f"%{byte:02x}" for byte in raw).encode()
    from urllib.parse import quote, quote_plus

    yield "URL", quote(secret, safe="").encode()
    yield "form", quote_plus(secret).encode()
    yield "JSON", json.dumps(secret)[1:-1].encode()
    yield "UTF-16", secret.encode("utf-16-le")
    yield "reversed", raw[::-1]


def search(name, content, secrets):
    """What of the secrets is in the content."""
    return [f"{what} ({form}) in {name}" for what, secret in secrets.items() for form, needle in forms(secret)
            if len(needle) >= 6 and needle in content]


def files_below(*folders):
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            # What a service that runs has removed since is gone.
            with contextlib.suppress(FileNotFoundError):
                if path.is_file():
                    yield str(path.relative_to(folder.parent)), path.read_bytes()


def self_test(verdict, secrets):
    """Every form of every secret is found in its place, and nothing where nothing is."""
    for what, secret in secrets.items():
        for form, needle in forms(secret):
            if len(needle) >= 6:
                found = search("a plant", b"\x01something before" + needle + b"something after\xff", {what: secret})
                verdict.check(f"{what} would be found ({form})", found)
        for offset in range(3):
            for encode in (base64.b64encode, base64.urlsafe_b64encode):
                planted = encode(b"xyz"[:offset] + secret.encode() + b"\xfe more of it")
                verdict.check(f"{what} would be found within base64 at {offset}", search("a plant", planted, {what: secret}))
    innocent = json.dumps({"itemName": "Good passes", "price": 12.5, "username": "[redacted]"}).encode() * 100
    verdict.check("nothing is found where nothing is", not search("nothing", innocent, secrets))


def sign_in(service, home, said, verdict):
    """Signs in with a code that a person enters on the pages, and opens the widget. Returns the secrets of both; what the
    command said goes into `said`, and where it keeps the sign-in is looked at here: it may stand in one private file."""
    environment = {**clean_environment(), "ORDERSYNC_HOME": str(home), "ORDERSYNC_BASE_URL": service.base}
    login = subprocess.Popen([binary(), "auth", "login", "--device", "-vv"], env=environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    shown, person = "", Person()
    while not (address := re.search(r"(http://[\w.:]+/device\?user_code=[A-Z]{4}-[A-Z]{4})", shown)):
        line = login.stdout.readline()
        assert line, shown
        shown += line
    person.decide(address[1], "approve")
    shown += login.communicate(timeout=300)[0]
    said["auth login"] = shown.encode()
    verdict.check("the command is signed in", login.returncode == 0, shown[-500:])
    for arguments in (["auth", "status"], ["profile"], ["connections"], ["doctor"], ["smoke"]):
        ran = command(*arguments, "-vv", home=home, base=service.base)
        said[" ".join(arguments)] = (ran.stdout + ran.stderr).encode()
        verdict.check(f"{' '.join(arguments)} ends with 0", ran.returncode == 0, ran.stderr[-500:])
    kept = [(path, path.read_text()) for path in home.rglob("*") if path.is_file() and "_at_" in path.read_text(errors="replace")]
    verdict.check("the sign-in is kept in one private file", len(kept) == 1 and kept[0][0].stat().st_mode & 0o77 == 0, kept)
    tokens = re.findall(r"ordersync_sandbox_[ar]t_\w+", kept[0][1])
    verdict.check("access and refresh token are known", len(tokens) >= 2, len(tokens))
    answer = service.request("POST", "/v1/link/token", {"external_user_id": "canary"}, token=service.token(),
                             headers={"X-Client-Secret": SANDBOX_SECRET, "Idempotency-Key": "canary"})
    link = answer.json["link_token"]
    person.get(f"{service.base}/widget?link_token={link}")
    cookies = {f"the cookie {cookie.name}": cookie.value for cookie in person.cookies if len(cookie.value) > 20}
    verdict.check("the pages set cookies", len(cookies) >= 2, list(cookies))
    return {**{f"token {i} of the sign-in": token for i, token in enumerate(tokens)}, "the link token": link, **cookies}


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        outside = folder / "outside"
        outside.mkdir()
        exports = folder / "exports"
        exports.mkdir()
        good = private_file(outside / "good.json", json.dumps({"username": USER, "password": PASSWORD}))
        bad = private_file(outside / "bad.json", json.dumps({"username": USER, "password": WRONG_PASSWORD}))
        choose = private_file(outside / "mfa.json", json.dumps({"username": "user_mfa_choose", "password": PASSWORD}))
        codes = outside / "codes.sh"
        # A wrong code first, then the right one.
        codes.write_text(f'if [ -e "$0.done" ]; then echo 123456; else touch "$0.done"; echo {WRONG_CODE}; fi\n')
        said = {}

        def run(name, *arguments, expect=0, **named):
            ran = command(*arguments, "-vv", **named)
            said[f"stdout of {name}"], said[f"stderr of {name}"] = ran.stdout.encode(), ran.stderr.encode()
            verdict.check(f"{name} ends with {expect}", ran.returncode == expect, (ran.returncode, ran.stderr[-500:]))
            return ran

        mfa = ["--mfa-option", "sms", "--mfa-command", f"sh {codes}"]
        service = Service(folder / "service", "--rate-limit", "off", "--speed", "50", "--log", "json")
        with service, Recorder(service.base) as recorder:
            # Of the sign-in, the service's answer is the one place where the token may stand.
            token = service.token()
            there = {"home": folder / "home", "base": recorder.base, "token": token}
            run("refused connect", "connect", "--retailer", RETAILER, "--credentials-file", bad, expect=9, **there)
            run("fix", "fix", "--retailer", RETAILER, "--credentials-stdin", stdin=good.read_text(), **there)
            run("connect", "connect", "--retailer", 11, "--credentials-file", choose, *mfa, **there)
            run("sync", "sync", "-o", "json", **there)
            run("export", "orders", "export", "--out", exports / "one.csv", **there)
            run("doctor", "doctor", "-o", "json", **there)
            # At the service's own address: a proxy is no issuer of tokens.
            run("smoke", "smoke", "--junit", exports / "smoke.xml", **(there | {"base": service.base}))
            run("unknown", "connections", "get", "conn_0", expect=5, **there)
            run("signed out", "sync", expect=4, **(there | {"token": token + "x"}))
            said["the log of serve while it runs"] = service.log.read_bytes()
            signed_in = sign_in(service, folder / "signed-in", said, verdict)
            said["the log of serve after a sign-in"] = service.log.read_bytes()
            live = dict(files_below(folder / "service", folder / "home"))
        # The local profile: the service within the command.
        local = {"home": folder / "local"}
        (outside / "codes.sh.done").unlink()
        run("local refused connect", "connect", "--retailer", RETAILER, "--credentials-file", bad, expect=9, **local)
        run("local fix", "fix", "--retailer", RETAILER, "--credentials-file", good, **local)
        run("local connect", "connect", "--retailer", 11, "--credentials-file", choose, *mfa, **local)
        run("local export", "orders", "export", "--out", exports / "two.csv", **local)

        keys = {name: content for name, content in files_below(folder / "service", folder / "local", folder / "home")
                if re.fullmatch(rb"(ordersync_sandbox_key_)?[A-Za-z0-9+/_=-]{43,44}\s*", content)}
        verdict.check("the keys of both services are known", len(keys) >= 2, list(keys))
        totps = [answer.json["token"] for *_, answer in recorder.find("GET", "/sync/auth/totp") if answer.status == 200]
        verdict.check("the command asked for tokens to seal with", len(totps) >= 3, len(totps))
        secrets = {"the user name": USER, "the password": PASSWORD, "the wrong password": WRONG_PASSWORD,
                   "the wrong MFA code": WRONG_CODE, "the access token": token,
                   **{f"TOTP token {i}": totp for i, totp in enumerate(totps)},
                   **signed_in,
                   **{f"the key in {name}": content.decode().strip().removeprefix("ordersync_sandbox_key_")
                      for name, content in keys.items()}}
        self_test(verdict, secrets)

        for method, path, headers, body, _ in recorder.exchanges:
            sent = body + "".join(f"{k}: {v}\n" for k, v in headers.items() if k.lower() != "authorization").encode()
            travels = {k: v for k, v in secrets.items() if not ("MFA" in k and path == "/sync/mfa")}
            found = search(f"{method} {path}", sent + path.encode(), travels)
            verdict.check(f"nothing travels openly with {method} {path}", not found, found)

        searched = 0
        after = dict(files_below(folder / "service", folder / "home", folder / "local", exports))
        for name, content in [*said.items(), *live.items(), *after.items()]:
            searched += len(content)
            looked_for = {k: v for k, v in secrets.items() if k != f"the key in {name}"}
            found = search(name, content, looked_for)
            verdict.check(f"nothing in {name}", not found, found)
        names = " ".join(after)
        verdict.check("databases were among it", "service/db.sqlite3" in names and "local/" in names, names)
        print(f"canary: {len(secrets)} secrets in {searched} bytes of {len(said) + len(live) + len(after)} places")
    return verdict.end("canary")


if __name__ == "__main__":
    sys.exit(main())
