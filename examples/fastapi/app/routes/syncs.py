"""Syncs: started here, followed whoever started them, and through what a retailer asks for."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse

from ..pages import Form, render
from ..service import ServiceError
from ..sign_in import as_user

WORDS = {
    "queued": "waiting to start",
    "connecting": "signing in",
    "scanning": "reading orders",
    "processing": "sorting",
    "completed": "done",
    "error": "failed",
    "timed_out": "took too long",
    "userintervention": "needs your answer",
}

router = APIRouter()


async def start(request, path, body=None):
    """Starts a sync and leads to its page. If one runs already, that is the one to follow."""
    try:
        started = (await as_user(request.session, "POST", path, body=body)).json()
    except ServiceError as error:
        if error.code != "SYNC_IN_PROGRESS":
            raise
        started = error.details
    if started.get("status") == "no_retailers":
        request.session["notice"] = "There is no retailer to sync. Connect or repair one first."
    return RedirectResponse(f"/syncs/{started['batchId']}" if "batchId" in started else "/", 303)


@router.post("/sync")
async def sync_all(request: Request):
    return await start(request, "/sync/connections/sync")


@router.get("/syncs/{batch_id}")
async def sync(request: Request, batch_id: str):
    session = (await as_user(request.session, "GET", f"/sync/sessions/{batch_id}")).json()
    parts = [
        {
            **part,
            # A status that this app does not know yet is shown as it is.
            "words": WORDS.get(part["syncStatus"], part["syncStatus"]),
            "asks": newest_request(session, part) if part["syncStatus"] == "userintervention" else None,
        }
        for part in session["retailerSyncSessions"]
    ]
    # The page comes again by itself, but not under somebody who types a code.
    again = session["status"] == "syncing" and not any(part["asks"] for part in parts)
    return render(request, "sync.html", {"sync": session, "parts": parts}, headers={"Refresh": "2"} if again else None)


def newest_request(session, part):
    """What a retailer asks for: the newest `mfa` event of its connection."""
    for event in reversed(session["events"]):
        if event["type"] == "mfa" and event["connectionId"] == part["connectionId"]:
            return {"reqId": event["reqId"], **event["mfa"]}


@router.post("/syncs/{batch_id}/mfa")
async def mfa(request: Request, batch_id: str, form: Form):
    given = "selectedOption" if form.get("eventType") == "choose" else "otpValue"
    body = {name: form.get(name) for name in ("eventType", "reqId", given)}
    try:
        await as_user(request.session, "POST", "/sync/mfa", body=body)
    except ServiceError as error:
        if error.code != "MFA_REQUEST_EXPIRED":
            raise
        request.session["notice"] = "That request was answered already, or the answer came too late."
    return RedirectResponse(f"/syncs/{batch_id}", 303)
