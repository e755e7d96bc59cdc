"""What a JSON schema cannot say of a good request.

Sealed credentials are sealed with a fresh token, an MFA answer answers an open request, the end of a span of time comes
after its start. Only requests that are meant to be good are touched; what is made to be refused stays as it is.
"""

import os

import schemathesis
from schemathesis.generation import GenerationMode

from judge import request, seal

BASE, TOKEN = os.environ["ORDERSYNC_BASE_URL"], os.environ["ORDERSYNC_TOKEN"]
USERS = ["user_good", "user_empty", "user_bad", "user_flaky", "user_mfa_enter", "user_mfa_choose", "user_items_100"]
CONNECTABLE = [
    entry["retailerId"] for entry in request(BASE, "GET", "/sync/retailers").json
    if entry["syncConfig"]["serverSide"] and {f["name"] for f in entry["credentialFields"]} == {"username", "password"}
]


def is_good(case):
    return case.meta is not None and all(
        part.mode == GenerationMode.POSITIVE for part in case.meta.components.values())


def freshly_sealed(body):
    """The body with credentials that are good; which account they are of depends on the body alone."""
    totp = request(BASE, "GET", "/sync/auth/totp", token=TOKEN).json
    user = USERS[len(str(body)) % len(USERS)]
    sealed = seal(totp["token"], totp["currentStamp"], {"username": user, "password": "pass_good"})
    return {**body, "connectionInfo": sealed, "currentStamp": totp["currentStamp"]}


def answering_what_is_asked(body):
    """The body as the answer to the open MFA request of the latest session, where there is one."""
    session = request(BASE, "GET", "/sync/sessions/latest", token=TOKEN)
    if session.status != 200 or session.json["status"] == "normal":
        return body
    asked = [event for event in session.json["events"] if event["type"] == "mfa"]
    if not asked:
        return body
    answer = {"reqId": asked[-1]["reqId"], "eventType": asked[-1]["mfa"]["eventType"]}
    if answer["eventType"] == "choose":
        return {**answer, "selectedOption": asked[-1]["mfa"]["options"][0]["id"]}
    return {**answer, "otpValue": "123456"}


@schemathesis.hook
def before_call(context, case, kwargs):
    if not is_good(case):
        return
    operation = case.operation.definition.raw.get("operationId")
    if operation in ("connect", "fixConnection") and isinstance(case.body, dict):
        case.body = freshly_sealed(case.body)
        if operation == "connect" and case.body["retailerId"] not in CONNECTABLE:
            # Every other one stays unknown.
            if case.body["retailerId"] % 2:
                case.body["retailerId"] = CONNECTABLE[case.body["retailerId"] % len(CONNECTABLE)]
            elif 0 < case.body["retailerId"] < 100:
                case.body["retailerId"] = CONNECTABLE[0]
    elif operation == "submitMfa" and isinstance(case.body, dict):
        case.body = answering_what_is_asked(case.body)
    elif operation == "listOrders" and case.query and {"start_date", "end_date"} <= case.query.keys():
        # Whatever two dates were made, one of them alone is a good bound.
        del case.query["end_date"]
