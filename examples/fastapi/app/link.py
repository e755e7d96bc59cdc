"""Link tokens: with one, the widget opens for a user, and the back end reads what that user shares with this app."""

import time
from datetime import datetime

from .service import or_after
from .sign_in import as_backend


async def create_link(session, return_url=None):
    """A new link token. The widget leads back to `return_url` if it was not opened in a frame."""
    body = {"external_user_id": session["user"]["external_id"]}
    if return_url:
        body["return_url"] = return_url
    link = (await as_backend("POST", "/v1/link/token", body=body)).json()
    session["link"] = {
        "token": link["link_token"],
        "expires_at": datetime.fromisoformat(link["expires_at"]).timestamp(),
    }
    return link["link_token"]


async def as_shared(session, path):
    """A read with the back end's own token, of what the user behind the link token shares."""
    if session.get("link", {"expires_at": 0})["expires_at"] < time.time() + 30:
        await create_link(session)
    return await or_after(
        ["MISSING_LINK_TOKEN", "LINK_TOKEN_INVALID"],
        lambda: create_link(session),
        lambda: as_backend("GET", path, headers={"X-Link-Token": session["link"]["token"]}),
    )
