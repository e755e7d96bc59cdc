// A stock OAuth client of another language, openid-client 6, signs in at a running sandbox: discovery, code with PKCE,
// refresh, device, client credentials, revocation. A person with a browser (person.py) answers the pages.
//
// Run by judge.py, which starts the sandbox and names it in ORDERSYNC_BASE_URL. Needs openid-client in
// target/judges-node, and python3.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const installed = createRequire(join(here, "../../target/judges-node/package.json"));
// Node 18 has it, but does not show it.
globalThis.crypto ??= (await import("node:crypto")).webcrypto;
const client = await import(pathToFileURL(installed.resolve("openid-client")));

const base = process.env.ORDERSYNC_BASE_URL;
const redirect = "http://127.0.0.1:49153/callback";
const scope = "accounts:read orders:read";
const secret = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one";
const loopback = { algorithm: "oauth2", execute: [client.allowInsecureRequests] };
let looked = 0;

function person(decision, url) {
    const python = process.env.PYTHON ?? "python3";
    return execFileSync(python, [join(here, "person.py"), decision, String(url)], { encoding: "utf8" }).trim();
}

async function works(token) {
    looked += 1;
    const answer = await fetch(`${base}/sync/connections`, { headers: { Authorization: `Bearer ${token}` } });
    return answer.status === 200;
}

async function refused(error, attempt) {
    looked += 1;
    await assert.rejects(attempt, (refusal) => refusal.error === error || assert.fail(refusal));
}

const config = await client.discovery(new URL(base), "ordersync-cli", undefined, client.None(), loopback);

// Code with PKCE; the library checks the state and the issuer (RFC 9207).
async function signIn() {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expectedState = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirect,
        scope,
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: "S256",
        state: expectedState,
    });
    const exchange = (back) => client.authorizationCodeGrant(config, new URL(back), { pkceCodeVerifier, expectedState });
    return { url, exchange };
}

const one = await signIn();
const back = person("approve", one.url);
const tokens = await one.exchange(back);
assert.equal(tokens.scope, scope);
assert.equal(tokens.expires_in, 3600);
assert.ok(await works(tokens.access_token));
const renewed = await client.refreshTokenGrant(config, tokens.refresh_token);
assert.notEqual(renewed.refresh_token, tokens.refresh_token);
assert.ok(await works(renewed.access_token));
const repeated = await client.refreshTokenGrant(config, tokens.refresh_token);
assert.equal(repeated.refresh_token, renewed.refresh_token);
await refused("invalid_grant", () => one.exchange(back));
assert.ok(!(await works(renewed.access_token)), "a replayed code ends what it gave");

const two = await signIn();
await refused("access_denied", () => two.exchange(person("deny", two.url)));

// The library polls by itself, as slowly as the server asks.
const device = await client.initiateDeviceAuthorization(config, { scope });
person("approve", device.verification_uri_complete);
const ofDevice = await client.pollDeviceAuthorizationGrant(config, device);
assert.ok(await works(ofDevice.access_token));
await client.tokenRevocation(config, ofDevice.refresh_token);
assert.ok(!(await works(ofDevice.access_token)), "a revoked grant ends its access tokens");

// The sandbox makes a client when it is first named.
await fetch(`${base}/sandbox/token`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ phone: "+15550101", client_id: "judge" }),
});
for (const method of [client.ClientSecretBasic, client.ClientSecretPost]) {
    const own = await client.discovery(new URL(base), "judge", undefined, method(secret), loopback);
    const granted = await client.clientCredentialsGrant(own, { scope: "users:share" });
    assert.equal(granted.refresh_token, undefined);
    assert.ok(!(await works(granted.access_token)), "a client's own token acts for no user");
    await refused("invalid_scope", () => client.clientCredentialsGrant(own, { scope: "accounts:connect" }));
}

console.log(`oauth_client: openid-client, ${looked} answers looked at, none wrong`);
