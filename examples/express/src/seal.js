// Credentials are sealed before they leave the app: a JWE that only the service can open, once, within five minutes.

import { base64url, CompactEncrypt } from "jose";

import { asUser } from "./sign_in.js";

/** `fields`: the values for the retailer's `credentialFields`, by name. */
export async function seal(session, fields) {
  const { token, currentStamp } = await (await asUser(session, "GET", "/sync/auth/totp")).json();
  const connectionInfo = await new CompactEncrypt(new TextEncoder().encode(JSON.stringify(fields)))
    .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: currentStamp })
    .encrypt(base64url.decode(token));
  return { connectionInfo, currentStamp };
}
