#!/usr/bin/env python3
"""Sealing, judged by a JOSE library in another language (joserfc), in both directions.

What joserfc seals, the service takes; what the command seals, joserfc opens. Tampered, expired, reused and foreign
ones are refused, all with the same words.
"""

import base64
import json
import pathlib
import secrets
import sys
import tempfile

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from joserfc import jwe
from joserfc.jwk import OctKey

from judge import Recorder, Service, Verdict, command, private_file, seal

RETAILER = 12
CREDENTIALS = {"username": "user_good", "password": "pass_good"}


def connect(service, token, info, stamp, mode="CONNECT"):
    body = {"retailerId": RETAILER, "connectionInfo": info, "currentStamp": stamp, "mode": mode}
    return service.request("POST", "/sync/connections/connect", body, token=token)


def flipped(part):
    """The same base64url text with one bit of its first byte changed."""
    raw = bytearray(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    raw[0] ^= 1
    return base64.urlsafe_b64encode(bytes(raw)).rstrip(b"=").decode()


def with_header(info, **changes):
    header, *rest = info.split(".")
    fields = json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4))) | changes
    return ".".join([base64.urlsafe_b64encode(json.dumps(fields).encode()).rstrip(b"=").decode(), *rest])


def theirs(service, verdict):
    """joserfc seals, the service opens, or rightly does not."""
    token = service.token()
    info, stamp = service.seal(token, CREDENTIALS)

    header, key, iv, text, tag = info.split(".")
    other, other_stamp = service.seal(token, CREDENTIALS)
    stranger = service.token(phone="+15550101")
    client = service.token(client="another")
    sealed_without_kid = jwe.encrypt_compact(
        {"alg": "dir", "enc": "A256GCM"}, json.dumps(CREDENTIALS), OctKey.generate_key(256),
        algorithms=["dir", "A256GCM"])
    refused = {
        "another key": (token, seal(OctKey.generate_key(256).as_dict()["k"], stamp, CREDENTIALS), stamp),
        "no kid": (token, sealed_without_kid, stamp),
        "the header changed": (token, with_header(info, x=1), stamp),
        "another kid": (token, with_header(info, kid=other_stamp), stamp),
        "alg none": (token, with_header(info, alg="none"), stamp),
        "another enc": (token, with_header(info, enc="A128GCM"), stamp),
        "the iv changed": (token, ".".join([header, key, flipped(iv), text, tag]), stamp),
        "the ciphertext changed": (token, ".".join([header, key, iv, flipped(text), tag]), stamp),
        "the tag changed": (token, ".".join([header, key, iv, text, flipped(tag)]), stamp),
        "the tag cut short": (token, ".".join([header, key, iv, text, tag[:11]]), stamp),
        "a compressed plaintext": (token, seal(KEYS[stamp], stamp, CREDENTIALS, zip="DEF"), stamp),
        "a critical extension": (token, seal_by_hand(KEYS[stamp], stamp, crit=["exp"], exp=1), stamp),
        "an empty list of critical extensions": (token, seal_by_hand(KEYS[stamp], stamp, crit=[]), stamp),
        "an encrypted key": (token, ".".join([header, "AAAA", iv, text, tag]), stamp),
        "four parts": (token, ".".join([header, key, iv, text]), stamp),
        "nothing": (token, "", stamp),
        "clear text": (token, json.dumps(CREDENTIALS), stamp),
        "another stamp": (token, info, other_stamp),
        "a stamp that is none": (token, info, "yesterday"),
        "a stamp of the future": (token, info, "2099-01-01T00:00:00.000000000Z"),
        "another user's": (stranger, info, stamp),
        "another client's": (client, info, stamp),
    }
    words = set()
    for what, (who, sealed, when) in refused.items():
        answer = connect(service, who, sealed, when)
        if verdict.check(f"{what} is refused", (answer.status, answer.code) == (400, "SEAL_REJECTED"), answer):
            words.add(answer.json["message"])
    verdict.check("every refusal says the same", len(words) == 1, words)

    answer = connect(service, token, info, stamp)
    if verdict.check("one by joserfc is taken, refused attempts notwithstanding", answer.status == 202, answer):
        ended = service.follow(token, answer.json["batchId"])
        parts = [part["syncStatus"] for part in ended["retailerSyncSessions"]]
        verdict.check("and its session completes", parts == ["completed"], ended)

    answer = connect(service, token, info, stamp, mode="FIX")
    verdict.check("a reused one is refused", (answer.status, answer.code) == (400, "SEAL_REJECTED"), answer)
    again = seal_again(service, token, stamp)
    answer = connect(service, token, again, stamp, mode="FIX")
    verdict.check("a reused token is refused", (answer.status, answer.code) == (400, "SEAL_REJECTED"), answer)

    moved = service.request("POST", "/sandbox/clock", {"advanceSeconds": 301}, token=token)
    verdict.check("the clock moves", moved.status == 200, moved)
    answer = connect(service, token, other, other_stamp, mode="FIX")
    verdict.check("an expired one is refused", (answer.status, answer.code) == (400, "SEAL_REJECTED"), answer)
    fresh, fresh_stamp = service.seal(token, CREDENTIALS)
    answer = connect(service, token, fresh, fresh_stamp, mode="FIX")
    verdict.check("a fresh one is taken after that", answer.status == 202, answer)


KEYS = {}


def seal_by_hand(key, stamp, **more):
    """A JWE that is encrypted rightly, with header members that the library refuses to write."""
    def encode(octets):
        return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()

    header = encode(json.dumps({"alg": "dir", "enc": "A256GCM", "kid": stamp, **more}).encode())
    nonce = secrets.token_bytes(12)
    key = base64.urlsafe_b64decode(key + "=" * (-len(key) % 4))
    sealed = AESGCM(key).encrypt(nonce, json.dumps(CREDENTIALS).encode(), header.encode())
    return ".".join([header, "", encode(nonce), encode(sealed[:-16]), encode(sealed[-16:])])


def seal_again(service, token, stamp):
    """Other credentials under a key whose stamp is used up already."""
    return seal(KEYS[stamp], stamp, {"username": "user_empty", "password": "pass_good"})


def remember_keys(service):
    """Keeps the key of every stamp that the service gives out here."""
    plain = service.request

    def remembering(method, path, *rest, **named):
        answer = plain(method, path, *rest, **named)
        if path == "/sync/auth/totp" and answer.status == 200:
            KEYS[answer.json["currentStamp"]] = answer.json["token"]
        return answer

    service.request = remembering


def ours(service, folder, verdict):
    """The command seals, joserfc opens."""
    token = service.token(phone="+15550102")
    credentials = {"username": "user_good", "password": "pass_good"}
    file = private_file(folder / "credentials.json", json.dumps(credentials))
    with Recorder(service.base) as recorder:
        ran = command("connect", "--retailer", RETAILER, "--credentials-file", file,
                      home=folder / "cli", base=recorder.base, token=token)
    verdict.check("the command connects", ran.returncode == 0, ran)
    totps = recorder.find("GET", "/sync/auth/totp")
    connects = recorder.find("POST", "/sync/connections/connect")
    if not verdict.check("it asks for a token and connects, once each", (len(totps), len(connects)) == (1, 1),
                         [exchange[:2] for exchange in recorder.exchanges]):
        return
    totp, sent = totps[0][4].json, json.loads(connects[0][3])
    verdict.check("it passes the stamp back", sent["currentStamp"] == totp["currentStamp"], sent)
    key = OctKey.import_key({"kty": "oct", "k": totp["token"]})
    opened = jwe.decrypt_compact(sent["connectionInfo"], key, algorithms=["dir", "A256GCM"])
    header = {"alg": "dir", "enc": "A256GCM", "kid": totp["currentStamp"]}
    verdict.check("the header is the decided one", opened.headers() == header, opened.headers())
    verdict.check("joserfc opens what it sealed", json.loads(opened.plaintext) == credentials, "something else")


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        with Service(folder / "service", "--rate-limit", "off", "--speed", "100") as service:
            remember_keys(service)
            theirs(service, verdict)
            ours(service, folder, verdict)
    return verdict.end("jose")


if __name__ == "__main__":
    sys.exit(main())
