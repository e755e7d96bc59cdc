"""The first page, signing in and signing out."""

import logging
import secrets

from authlib.integrations.base_client.errors import OAuthError
from fastapi import APIRouter, Request
from httpx2 import HTTPError
from starlette.responses import RedirectResponse
from starsessions import regenerate_session_id

from ..pages import render
from ..service import ServiceError
from ..sign_in import as_user, begin_sign_in, end_sign_in, revoke

log = logging.getLogger("uvicorn.error")
router = APIRouter()


@router.get("/")
async def home(request: Request):
    if "user" not in request.session:
        return render(request, "welcome.html")
    connections = (await as_user(request.session, "GET", "/sync/connections?limit=1000")).json()
    return render(request, "home.html", {"connections": connections})


@router.get("/sign-in")
async def sign_in(request: Request):
    return await begin_sign_in(request)


@router.get("/callback")
async def callback(request: Request):
    tokens = await end_sign_in(request)
    # A new session for a new sign-in, so that nobody can prepare one.
    request.session.clear()
    regenerate_session_id(request)
    request.session.update(tokens=tokens, csrf=secrets.token_urlsafe())
    profile = (await as_user(request.session, "GET", "/sync/profile")).json()
    # An app with users of its own takes its own id of the user as `external_id`.
    request.session["user"] = {
        "id": profile["userId"],
        "external_id": f"user-{profile['userId']}",
        "phone_last4": profile["phoneLast4"],
    }
    return RedirectResponse("/", 303)


@router.post("/sign-out")
async def sign_out(request: Request):
    try:
        await revoke(request.session)
    except (ServiceError, HTTPError, OAuthError) as error:
        # If the service is away, the user is signed out here all the same.
        log.error("not revoked: %s", error)
    request.session.clear()
    return RedirectResponse("/", 303)
