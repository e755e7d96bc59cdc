"""What every page needs: templates that escape, headers, the signed-in user, and forms that only this app can send."""

import secrets
from pathlib import Path
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData
from starlette.templating import Jinja2Templates

from . import config
from .service import ServiceError

templates = Jinja2Templates(directory=Path(__file__).parent / "templates")

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; "
    f"frame-ancestors 'none'; form-action 'self' {config.SERVICE}; frame-src {config.SERVICE}",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def render(request, template, context=None, status=200, headers=None):
    session = request.session
    shared = {"user": session.get("user"), "csrf": session.get("csrf"), "notice": session.pop("notice", None)}
    headers = {**HEADERS, **(headers or {})}
    return templates.TemplateResponse(request, template, {**shared, **(context or {})}, status_code=status, headers=headers)


class SignedOut(Exception):
    """A page for users was asked for by somebody who is not signed in."""


async def signed_in(request: Request):
    if "user" not in request.session:
        raise SignedOut


async def checked(request: Request):
    """The form of a request that changes something, if it came from a page of this session."""
    if request.method != "POST":
        return FormData()
    form = await request.form()
    if not secrets.compare_digest(str(form.get("csrf", "")).encode(), request.session.get("csrf", secrets.token_hex()).encode()):
        raise ServiceError("The form was not sent from this app, or your session has ended.", status=403)
    return form


Form = Annotated[FormData, Depends(checked)]
