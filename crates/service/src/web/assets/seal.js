// Seals credentials in the browser, so that they never travel in clear text: a JWE in compact form (RFC 7516 §3.1) with
// direct encryption (RFC 7518 §4.5) and A256GCM (§5.3). The key is the token of GET /sync/auth/totp, `kid` its stamp.

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const utf8 = new TextEncoder();

/** The compact JWE of an object of text fields. */
export async function seal(token, stamp, credentials) {
  if (!globalThis.crypto?.subtle) {
    throw new Error("This browser seals nothing on a page that was not loaded over https.");
  }
  const bytes = decode(token);
  const key = await crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt"]);
  bytes.fill(0);
  const header = encode(utf8.encode(JSON.stringify({ alg: "dir", enc: "A256GCM", kid: stamp })));
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const plaintext = utf8.encode(JSON.stringify(credentials));
  const parameters = { name: "AES-GCM", iv: nonce, additionalData: utf8.encode(header), tagLength: TAG_BYTES * 8 };
  const sealed = new Uint8Array(await crypto.subtle.encrypt(parameters, key, plaintext));
  plaintext.fill(0);
  const ciphertext = sealed.subarray(0, sealed.length - TAG_BYTES);
  const tag = sealed.subarray(sealed.length - TAG_BYTES);
  // With direct encryption the encrypted key is empty.
  return [header, "", encode(nonce), encode(ciphertext), encode(tag)].join(".");
}

function encode(bytes) {
  let binary = "";
  for (const byte of bytes) {
    binary += String.fromCharCode(byte);
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function decode(text) {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
}
