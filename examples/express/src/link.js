// Link tokens: with one, the widget opens for a user, and the back end reads what that user shares with this app.

import { orAfter } from "./service.js";
import { asBackEnd } from "./sign_in.js";

/** A new link token. The widget leads back to `returnUrl` if it was not opened in a frame. */
export async function createLink(session, returnUrl) {
  const body = { external_user_id: session.user.externalId, ...(returnUrl && { return_url: returnUrl }) };
  const response = await asBackEnd("POST", "/v1/link/token", { body });
  const { link_token, expires_at } = await response.json();
  session.link = { token: link_token, expiresAt: Date.parse(expires_at) };
  return link_token;
}

/** A read with the back end's own token, of what the user behind the link token shares. */
export async function asShared(session, path) {
  if (!session.link || session.link.expiresAt < Date.now() + 30_000) {
    await createLink(session);
  }
  return orAfter(["MISSING_LINK_TOKEN", "LINK_TOKEN_INVALID"], () => createLink(session), () =>
    asBackEnd("GET", path, { headers: { "X-Link-Token": session.link.token } }));
}
