"""Who is signed in: authorization code with PKCE, tokens that are renewed, and the back end's own token."""

import time

from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.httpx_client import AsyncOAuth2Client
from authlib.integrations.starlette_client import OAuth
from httpx2 import HTTPError

from . import config
from .service import ServiceError, call, or_after

REDIRECT_URI = f"{config.APP_URL}/callback"

# Authlib finds the endpoints in the service's metadata (RFC 8414), and keeps `state` and the PKCE verifier in the session.
oauth = OAuth()
provider = oauth.register(
    "ordersync",
    client_id=config.CLIENT_ID,
    client_secret=config.CLIENT_SECRET,
    server_metadata_url=f"{config.SERVICE}/.well-known/oauth-authorization-server",
    client_kwargs={"scope": config.SCOPES, "code_challenge_method": "S256"},
)


async def metadata():
    try:
        return await provider.load_server_metadata()
    except HTTPError as error:
        raise ServiceError(f"The service cannot be reached: {type(error).__name__}.") from error


async def begin_sign_in(request):
    """The redirect to the service's sign-in page."""
    await metadata()
    return await provider.authorize_redirect(request, REDIRECT_URI)


async def end_sign_in(request):
    """The user's tokens, when the browser comes back. Authlib checks `state`; the issuer is ours to check (RFC 9207)."""
    try:
        if request.query_params.get("iss") != (await metadata())["issuer"]:
            raise OAuthError("invalid_request", "the answer is another server's")
        return held(await provider.authorize_access_token(request))
    except OAuthError as error:
        advice = "You did not allow it." if error.error == "access_denied" else "Begin again, in this browser."
        raise ServiceError(f"You are not signed in. {advice}", status=400) from error


def held(token):
    """What is kept of an answer with tokens."""
    return {
        "access": token["access_token"],
        "refresh": token.get("refresh_token"),
        "expires_at": time.time() + token["expires_in"],
    }


def client():
    return AsyncOAuth2Client(config.CLIENT_ID, config.CLIENT_SECRET)


async def renew(session):
    endpoint = (await metadata())["token_endpoint"]
    try:
        async with client() as own:
            session["tokens"] = held(await own.refresh_token(endpoint, refresh_token=session["tokens"]["refresh"]))
    except OAuthError as error:
        if error.error != "invalid_grant":
            raise
        message = "Your sign-in has ended. Sign in again."
        raise ServiceError(message, status=401, code="UNAUTHORIZED") from error


async def as_user(session, method, path, **options):
    """A request with the user's token, which is renewed shortly before it expires, and when the service refuses it."""
    if session["tokens"]["expires_at"] < time.time() + 30:
        await renew(session)
    return await or_after(
        ["UNAUTHORIZED"],
        lambda: renew(session),
        lambda: call(method, path, token=session["tokens"]["access"], **options),
    )


async def revoke(session):
    """Ends the sign-in at the service, too: revoking the refresh token revokes every token that came from it."""
    endpoint = (await metadata())["revocation_endpoint"]
    async with client() as own:
        (await own.revoke_token(endpoint, session["tokens"]["refresh"], "refresh_token")).raise_for_status()


backend = {"expires_at": 0}


async def renew_backend():
    endpoint = (await metadata())["token_endpoint"]
    async with client() as own:
        backend.update(held(await own.fetch_token(endpoint, grant_type="client_credentials")))


async def as_backend(method, path, headers=None, **options):
    """A request with the token of the back end itself, which acts for no user."""
    if backend["expires_at"] < time.time() + 30:
        await renew_backend()
    headers = {**(headers or {}), "X-Client-Secret": config.CLIENT_SECRET}
    return await or_after(
        ["UNAUTHORIZED"],
        renew_backend,
        lambda: call(method, path, token=backend["access"], headers=headers, **options),
    )
