// Who is signed in: authorization code with PKCE, tokens that are renewed, and the back end's own token.

import * as oauth from "openid-client";

import { config, SCOPES } from "./config.js";
import { call, orAfter, ServiceError } from "./service.js";

const REDIRECT_URI = `${config.appUrl}/callback`;

// openid-client looks for OpenID Connect unless it is told that this is OAuth 2.0 (RFC 8414), and refuses plain http.
// A sandbox on this machine is the one place for plain http.
function discover() {
  const server = new URL(config.service);
  const onThisMachine = ["127.0.0.1", "[::1]", "localhost"].includes(server.hostname);
  const options = { algorithm: "oauth2", execute: onThisMachine ? [oauth.allowInsecureRequests] : [] };
  return oauth.discovery(server, config.clientId, undefined, oauth.ClientSecretBasic(config.clientSecret), options);
}

let found;
/** The service's endpoints, looked up when they are first needed; a failure is not remembered. */
function provider() {
  found ??= discover().catch((error) => {
    found = undefined;
    throw new ServiceError({ message: `The service cannot be reached: ${error.message}.` });
  });
  return found;
}

/** Where to send the browser, and what to keep in the session until it is back. */
export async function beginSignIn() {
  const pkceCodeVerifier = oauth.randomPKCECodeVerifier();
  const expectedState = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(await provider(), {
    redirect_uri: REDIRECT_URI,
    scope: SCOPES,
    state: expectedState,
    code_challenge: await oauth.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  return { url, pending: { pkceCodeVerifier, expectedState } };
}

/** The user's tokens, for the path with which the browser came back. Checks `state` and `iss`. */
export async function endSignIn(path, pending) {
  const server = await provider();
  try {
    if (!pending) {
      throw new Error("begun in no session, or in another browser");
    }
    return held(await oauth.authorizationCodeGrant(server, new URL(path, config.appUrl), pending));
  } catch (error) {
    const message = error.error === "access_denied" ? "You did not allow it." : "Begin again, in this browser.";
    throw new ServiceError({ status: 400, message: `You are not signed in. ${message}` });
  }
}

function held({ access_token, refresh_token, expires_in }) {
  return { accessToken: access_token, refreshToken: refresh_token, expiresAt: Date.now() + expires_in * 1000 };
}

async function renew(session) {
  try {
    session.tokens = held(await oauth.refreshTokenGrant(await provider(), session.tokens.refreshToken));
  } catch (error) {
    if (error.error !== "invalid_grant") {
      throw error;
    }
    throw new ServiceError({ status: 401, code: "UNAUTHORIZED", message: "Your sign-in has ended. Sign in again." });
  }
}

/** A request with the user's token, which is renewed shortly before it expires, and when the service refuses it. */
export async function asUser(session, method, path, options) {
  if (session.tokens.expiresAt < Date.now() + 30_000) {
    await renew(session);
  }
  return orAfter(["UNAUTHORIZED"], () => renew(session), () =>
    call(method, path, { ...options, token: session.tokens.accessToken }));
}

/** Ends the sign-in at the service, too: revoking the refresh token revokes every token that came from it. */
export async function revoke(session) {
  await oauth.tokenRevocation(await provider(), session.tokens.refreshToken);
}

let own;
async function renewOwn() {
  own = held(await oauth.clientCredentialsGrant(await provider()));
}

/** A request with the token of the back end itself, which acts for no user. */
export async function asBackEnd(method, path, { headers, ...options } = {}) {
  if (!own || own.expiresAt < Date.now() + 30_000) {
    await renewOwn();
  }
  const secret = { "X-Client-Secret": config.clientSecret };
  return orAfter(["UNAUTHORIZED"], renewOwn, () =>
    call(method, path, { ...options, token: own.accessToken, headers: { ...headers, ...secret } }));
}
