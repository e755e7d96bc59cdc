"""What a JSON schema cannot say of a good request.

Sealed credentials are sealed with a fresh token, an MFA answer answers an open request, the end of a span of time comes
after its start. Only requests that are meant to be good are touched; what is made to be refused stays as it is.
"""

import atexit
import collections
import os
import pathlib
import time

import schemathesis
import yaml
from schemathesis.generation import GenerationMode

from judge import request, seal

BASE, TOKEN = os.environ["ORDERSYNC_BASE_URL"], os.environ["ORDERSYNC_TOKEN"]
OTHER = request(BASE, "POST", "/sandbox/token", {"phone": "+15550199"}).json["access_token"]
CLIENT_SECRET = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one"
USERS = ["user_good", "user_empty", "user_bad", "user_flaky", "user_mfa_enter", "user_mfa_choose", "user_items_100"]
CATALOG = request(BASE, "GET", "/sync/retailers").json
CONNECTABLE = [
    entry["retailerId"] for entry in CATALOG
    if entry["syncConfig"]["serverSide"] and {f["name"] for f in entry["credentialFields"]} == {"username", "password"}
]


def sealed(user, token=TOKEN):
    """Fresh credentials, as the fields of a request."""
    totp = request(BASE, "GET", "/sync/auth/totp", token=token).json
    info = seal(totp["token"], totp["currentStamp"], {"username": user, "password": "pass_good"})
    return {"connectionInfo": info, "currentStamp": totp["currentStamp"]}


def settled(batch, seconds=300, token=TOKEN):
    """The session, once it has ended or waits for an answer."""
    deadline = time.monotonic() + seconds
    while True:
        session = request(BASE, "GET", f"/sync/sessions/{batch}", token=token).json
        waits = any(part["syncStatus"] == "userintervention" for part in session["retailerSyncSessions"])
        if waits or session["status"] == "normal" or time.monotonic() > deadline:
            return session
        time.sleep(0.005)


def connected(retailer, user, token=TOKEN):
    """The connection that this account has at this retailer, made and synced once."""
    body = {"retailerId": retailer, "mode": "CONNECT", **sealed(user, token)}
    begun = request(BASE, "POST", "/sync/connections/connect", body, token=token).json
    if begun.get("code") == "CONNECTION_EXISTS":
        return begun["details"]["connectionId"]
    settled(begun["batchId"], token=token)
    return begun["connectionId"]


def failure(body):
    """A failure that makes sense: a schema cannot say that well which fields go together."""
    kinds = [{"status": 503}, {"code": "TIMEOUT"}, {"drop": True}, {"latencyMs": 1}, {"drop": True, "afterBytes": 9},
             {"status": 429, "retryAfter": 2}, {"status": 502, "method": "GET", "afterPage": 1}]
    # Of a path that no other operation asks for with this user's token, so that none of them meets it.
    return {"count": 1, "path": "/sync/profile", **kinds[len(str(body)) % len(kinds)]}


# One with orders, and one that asks for a code whenever it is fixed.
HAS_ORDERS = connected(CONNECTABLE[0], "user_adjustments")
ASKS = connected(CONNECTABLE[1], "user_mfa_enter")
FIRST = request(BASE, "GET", "/sync/orders?limit=1", token=TOKEN).json[0]
ITEM = FIRST["id"]
KEPT = {"orderId": FIRST["orderId"], "name": "receipt.txt", "mediaType": "text/plain", "content": "cmVjZWlwdA=="}
request(BASE, "POST", "/sync/documents", {"connectionId": HAS_ORDERS, "documents": [KEPT]}, token=TOKEN)
DOCUMENT = request(BASE, "GET", "/sync/documents", token=TOKEN).json[0]["documentId"]

LINK = request(BASE, "POST", "/v1/link/token", {"external_user_id": "u1"}, token=TOKEN,
               headers={"X-Client-Secret": CLIENT_SECRET}).json["link_token"]


def is_good(case):
    return case.meta is not None and all(
        part.mode == GenerationMode.POSITIVE for part in case.meta.components.values())


def answer_to_what_is_asked():
    """The answer to an MFA request that is open: one is created if there is none."""
    fixed = request(BASE, "PUT", f"/sync/connections/{ASKS}", sealed("user_mfa_enter"), token=TOKEN)
    batch = fixed.json.get("batchId") or fixed.json["details"]["batchId"]
    asked = [event for event in settled(batch)["events"] if event["type"] == "mfa"]
    return {"reqId": asked[-1]["reqId"], "eventType": "enter", "otpValue": "123456"} if asked else None


def from_a_client(operation, body):
    """A form as a client that exists would send it: a code or a token that is good cannot be made up, but a client's own
    token can be asked for. Every other form stays one of a client that does not exist."""
    if len(str(body)) % 2:
        return {**body, "client_id": "nobody"}
    body = {name: value for name, value in body.items() if name not in ("client_secret", "scope")}
    if operation == "getToken":
        return {**body, "grant_type": "client_credentials", "client_id": "sandbox", "client_secret": CLIENT_SECRET}
    return {**body, "client_id": "ordersync-cli"}


@schemathesis.hook
def before_call(context, case, kwargs):
    if not is_good(case):
        return
    operation = case.operation.definition.raw.get("operationId")
    named = case.path_parameters
    for name, there in {"connectionId": HAS_ORDERS, "id": ITEM, "documentId": DOCUMENT}.items():
        # Half of what is good names something that is there, unless a link named it already.
        if named and len(str(named.get(name, ""))) % 2 and not str(named[name]).startswith(("conn_", "item_", "doc_")):
            named[name] = there
    if operation in ("connect", "fixConnection") and isinstance(case.body, dict):
        # Which account it is depends on the body alone, so that a run can be repeated.
        case.body = {**case.body, **sealed(USERS[len(str(case.body)) % len(USERS)])}
        listed = case.body.get("retailerId") in {entry["retailerId"] for entry in CATALOG}
        if operation == "connect" and (listed or case.body["retailerId"] % 2):
            # Every other one that is unknown stays so.
            case.body["retailerId"] = CONNECTABLE[int(case.body["retailerId"]) % len(CONNECTABLE)]
    elif operation == "keepDocuments" and isinstance(case.body, dict) and len(str(case.body)) % 2:
        case.body = {**case.body, "connectionId": HAS_ORDERS}
    elif operation == "submitMfa" and isinstance(case.body, dict):
        case.body = answer_to_what_is_asked() or case.body
    elif operation == "listOrders" and case.query:
        if {"start_date", "end_date"} <= case.query.keys():
            # Whatever two dates were made, one of them alone is a good bound.
            del case.query["end_date"]
        if case.query.get("format") == "csv":
            # CSV has the columns of the specification alone.
            case.query.pop("include", None)
    elif operation == "syncOrders" and case.query and {"retailer", "retailer_id"} <= case.query.keys():
        # They mean the same.
        del case.query["retailer_id"]
    elif operation in ("getToken", "authorizeDevice", "revokeToken") and isinstance(case.body, dict):
        case.body = from_a_client(operation, case.body)
        # The client's proof is in the form.
        (case.headers or {}).pop("Authorization", None)
    elif operation in ("createLinkToken", "getShare"):
        # The secret of the client that the token was given to, and a link token of its own, cannot be made up.
        case.headers = {**(case.headers or {}), "X-Client-Secret": CLIENT_SECRET, "X-Link-Token": LINK}
        if isinstance(case.body, dict) and "return_url" in case.body:
            # Nor can an address of the client.
            case.body["return_url"] = "http://127.0.0.1:3000/back"
    elif operation == "sandboxOtp" and case.query and case.query["phone"][-1] in "02468":
        # Of every other phone, the one of which the user may read what was sent.
        case.query = {"phone": "+15550100"}
    elif operation == "removeConnection":
        # Of another user, so that the connections that the other operations work on stay.
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {OTHER}"}
        if named["connectionId"] == HAS_ORDERS:
            named["connectionId"] = connected(CONNECTABLE[0], "user_empty", OTHER)
    elif operation in ("sandboxReset", "sandboxClock", "sandboxFail", "sandboxClearFailures"):
        # The user that the other operations work on keeps what it has, and its time.
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {OTHER}"}
        if operation == "sandboxReset" and isinstance(case.body, dict):
            case.body = {}
        elif operation == "sandboxClock" and isinstance(case.body, dict):
            # Exactly one of the two.
            given = {name: value for name, value in case.body.items() if value is not None}
            case.body = dict(list(given.items())[:1]) or {"advanceSeconds": 0}
        elif operation == "sandboxFail" and isinstance(case.body, dict):
            # Only so many may wait at once.
            request(BASE, "DELETE", "/sandbox/fail", token=OTHER)
            case.body = failure(case.body)
        elif operation == "sandboxClearFailures" and case.query and "client_id" in case.query:
            # One that exists.
            case.query["client_id"] = "sandbox"


CONTRACT = yaml.safe_load((pathlib.Path(__file__).resolve().parents[2] / "openapi.yaml").read_text())


@schemathesis.check
def error_codes_are_listed(ctx, response, case):
    """An error has one of the codes that `x-codes` of its response lists; a schema does not say that."""
    listed = case.operation.definition.raw["responses"].get(str(response.status_code), {})
    if "$ref" in listed:
        listed = CONTRACT["components"]["responses"].get(listed["$ref"].rsplit("/", 1)[1], {})
    if codes := listed.get("x-codes"):
        assert response.json()["code"] in codes, f"{response.json()['code']} is not among {codes}"


ANSWERED = collections.defaultdict(collections.Counter)


@schemathesis.hook
def after_call(context, case, response):
    ANSWERED[case.operation.label][response.status_code] += 1


@atexit.register
def tell_what_was_reached():
    for label, statuses in sorted(ANSWERED.items()):
        print(f"  {label}: " + ", ".join(f"{status} x{count}" for status, count in sorted(statuses.items())))
