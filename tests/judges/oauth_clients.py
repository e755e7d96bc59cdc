#!/usr/bin/env python3
"""A stock OAuth client, Authlib, signs in at `ordersync serve --sandbox`: code with PKCE, device, client credentials,
refresh, revocation. What is replayed is refused, and ends what it must.

A person with a browser (person.py) answers the pages. Needs: authlib, requests.
"""

import os
import sys
import tempfile
import time
import urllib.parse

# Authlib wants https, of loopback addresses as well.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from judge import Service, Verdict
from person import PHONE, Person

CLI = "ordersync-cli"
SANDBOX_SECRET = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one"
REDIRECT = "http://127.0.0.1:49152/callback"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
SCOPES = "accounts:read orders:read"


class Judge:
    def __init__(self, service, verdict):
        self.service, self.check = service, verdict.check
        answer = requests.get(f"{service.base}/.well-known/oauth-authorization-server", timeout=30)
        self.metadata = AuthorizationServerMetadata(answer.json())
        self.metadata.validate()
        self.check("the issuer is where it was found", self.metadata["issuer"] == service.base, self.metadata)

    def session(self, **more):
        return OAuth2Session(
            CLI, redirect_uri=REDIRECT, scope=SCOPES, token_endpoint_auth_method="none", code_challenge_method="S256",
            token_endpoint=self.metadata["token_endpoint"], **more)

    def works(self, token):
        """Whether an access token is accepted."""
        return self.service.request("GET", "/sync/connections", token=token).status == 200

    def refused(self, what, error, attempt):
        try:
            self.check(what, False, attempt())
        except OAuthError as refusal:
            self.check(what, refusal.error == error, refusal)

    def too_soon(self, last, interval, attempt):
        """A poll within the interval is refused; on a slow machine, it may take several attempts to be quick enough."""
        error = None
        while error is None:
            began = time.monotonic()
            try:
                error = f"none, but {attempt()}"
            except OAuthError as refusal:
                slow = refusal.error == "authorization_pending" and time.monotonic() - last >= interval
                error = None if slow else refusal.error
            last = began
        self.check("too soon", error == "slow_down", error)

    def later(self, seconds):
        """Moves the person's clock forward."""
        moved = self.service.request(
            "POST", "/sandbox/clock", {"advanceSeconds": seconds}, token=self.service.token(phone=PHONE))
        assert moved.status == 200, moved

    def sign_in(self):
        """Code and PKCE, all the way. Returns the session, the code's address and the verifier."""
        session, verifier = self.session(), generate_token(48)
        url, state = session.create_authorization_url(self.metadata["authorization_endpoint"], code_verifier=verifier)
        back = Person().decide(url, "approve")
        self.check("the browser is led back", back.startswith(f"{REDIRECT}?code="), back)
        given = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back).query))
        self.check("the state comes back", given.get("state") == state, back)
        self.check("the issuer is named (RFC 9207)", given.get("iss") == self.metadata["issuer"], back)
        session.fetch_token(authorization_response=back, state=state, code_verifier=verifier)
        return session, back, state, verifier

    def code(self):
        session, back, state, verifier = self.sign_in()
        token = dict(session.token)
        self.check("the token is as asked for", (token["token_type"], token["scope"]) == ("Bearer", SCOPES), token)
        answer = session.get(f"{self.service.base}/sync/connections")
        self.check("the session may ask", answer.status_code == 200, answer.text)
        self.check("and not for more", self.service.request(
            "GET", "/sync/auth/totp", token=token["access_token"]).status == 403)

        def again():
            return self.session().fetch_token(authorization_response=back, state=state, code_verifier=verifier)

        self.refused("a replayed code is refused", "invalid_grant", again)
        self.check("and ends what it gave", not self.works(token["access_token"]))
        self.refused("the refresh token too", "invalid_grant", lambda: session.refresh_token())

    def refusals(self):
        session, verifier = self.session(), generate_token(48)
        url, _ = session.create_authorization_url(self.metadata["authorization_endpoint"], code_verifier=verifier)
        back = Person().decide(url, "deny")
        self.check("a person may refuse", f"{REDIRECT}?error=access_denied&" in back, back)
        url, state = session.create_authorization_url(self.metadata["authorization_endpoint"], code_verifier=verifier)
        back = Person().decide(url, "approve")
        self.refused("another verifier is refused", "invalid_grant", lambda: session.fetch_token(
            authorization_response=back, state=state, code_verifier=generate_token(48)))
        plain = OAuth2Session(CLI, redirect_uri=REDIRECT, scope=SCOPES, token_endpoint_auth_method="none")
        url, _ = plain.create_authorization_url(self.metadata["authorization_endpoint"])
        back = Person().decide(url, "approve")
        self.check("without PKCE nobody is asked", "error=invalid_request" in back, back)

    def refresh(self):
        session, *_ = self.sign_in()
        first = dict(session.token)
        second = dict(session.refresh_token())
        self.check("refresh tokens rotate", first["refresh_token"] != second["refresh_token"])
        self.check("the new access token works", self.works(second["access_token"]))
        again = dict(self.session().refresh_token(refresh_token=first["refresh_token"]))
        self.check("in the grace, the one same successor", again["refresh_token"] == second["refresh_token"])
        self.later(31)
        self.refused("a refresh token used before is refused", "invalid_grant",
                     lambda: self.session().refresh_token(refresh_token=first["refresh_token"]))
        for token in (first, second, again):
            self.check("and ends its family", not self.works(token["access_token"]))
        self.refused("to the youngest", "invalid_grant",
                     lambda: self.session().refresh_token(refresh_token=second["refresh_token"]))

    def expiry(self):
        session, *_ = self.sign_in()
        token = dict(session.token)
        self.later(3600)
        self.check("an access token lives an hour", not self.works(token["access_token"]))
        self.check("a refresh token lives on", self.works(session.refresh_token()["access_token"]))
        self.later(90 * 24 * 3600)
        self.refused("for 90 days unused", "invalid_grant", lambda: session.refresh_token())

    def device(self):
        session = self.session()

        def start():
            form = {"client_id": CLI, "scope": SCOPES}
            return requests.post(self.metadata["device_authorization_endpoint"], form, timeout=30).json()

        def poll(started):
            return session.fetch_token(grant_type=DEVICE, device_code=started["device_code"])

        started = start()
        began = time.monotonic()
        self.refused("the user has not decided", "authorization_pending", lambda: poll(started))
        self.too_soon(began, started["interval"], lambda: poll(started))
        page = Person().decide(started["verification_uri_complete"], "approve")
        self.check("the page says that it is done", "connected" in page, page)
        token = poll(started)
        self.check("the device has its token", self.works(token["access_token"]) and token["scope"] == SCOPES, token)
        self.refused("once", "invalid_grant", lambda: poll(started))
        denied = start()
        Person().decide(denied["verification_uri_complete"], "deny")
        self.refused("a person may refuse a device", "access_denied", lambda: poll(denied))

    def client_credentials(self):
        # The sandbox makes a client when it is first named.
        self.service.token(client="judge")
        for method in ("client_secret_basic", "client_secret_post"):
            session = OAuth2Session("judge", SANDBOX_SECRET, token_endpoint_auth_method=method, scope="users:share",
                                    token_endpoint=self.metadata["token_endpoint"])
            token = session.fetch_token(grant_type="client_credentials")
            answer = session.post(f"{self.service.base}/v1/link/token", json={"external_user_id": "u1"},
                                  headers={"X-Client-Secret": SANDBOX_SECRET})
            self.check(f"{method}: the client's own token works", answer.status_code == 201, answer.text)
            self.check(f"{method}: for no user", not self.works(token["access_token"]))
            wrong = OAuth2Session("judge", "wrong", token_endpoint_auth_method=method,
                                  token_endpoint=self.metadata["token_endpoint"])
            self.refused(f"{method}: a wrong secret is refused", "invalid_client",
                         lambda wrong=wrong: wrong.fetch_token(grant_type="client_credentials"))

    def revocation(self):
        session, *_ = self.sign_in()
        token = dict(session.token)
        answer = session.revoke_token(self.metadata["revocation_endpoint"], token["refresh_token"], "refresh_token")
        self.check("revocation is answered", answer.status_code == 200, answer.text)
        self.check("and ends the access token at once", not self.works(token["access_token"]))
        self.refused("and the refresh token", "invalid_grant", lambda: self.session().refresh_token(
            refresh_token=token["refresh_token"]))


def main():
    verdict = Verdict()
    with tempfile.TemporaryDirectory() as folder, Service(folder, "--rate-limit", "off") as service:
        judge = Judge(service, verdict)
        parts = (judge.code, judge.refusals, judge.refresh, judge.expiry, judge.device, judge.client_credentials,
                 judge.revocation)
        for part in parts:
            part()
    return verdict.end("oauth_clients")


if __name__ == "__main__":
    sys.exit(main())
