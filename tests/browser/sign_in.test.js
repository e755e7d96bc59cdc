// From an app through sign-in and consent back to it, and every way in which that is refused.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { authorization, Browsers, Loopback, Service } from "./support.js";

let service, browsers, loopback, person;

before(async () => {
  [service, browsers] = await Promise.all([Service.start(), Browsers.start()]);
});
after(async () => {
  await Promise.all([service?.stop(), browsers?.stop()]);
});
beforeEach(async () => {
  [loopback, person] = await Promise.all([Loopback.listen(), browsers.person()]);
});
afterEach(async () => {
  await person.leave();
  loopback.close();
});

test("an app is allowed, and exchanges its code for a token", async () => {
  const { page } = person;
  const asked = authorization(service, loopback.redirectUri);
  await page.goto(asked.url);
  await person.look("sign-in");
  await page.getByLabel("Phone number").fill("five five five");
  await page.getByRole("button", { name: "Send one-time password" }).click();
  await page.getByRole("alert").waitFor();
  await person.look("sign-in-no-number");
  await page.getByLabel("Phone number").fill("+1 555-0110");
  await page.getByRole("button", { name: "Send one-time password" }).click();
  await person.look("sign-in-password");
  await page.getByLabel("One-time password").fill("111111");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByText("4 tries left").waitFor();
  await person.look("sign-in-wrong-password");
  await page.getByLabel("One-time password").fill("424 242");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Let ordersync command line use your account?" }).waitFor();
  await person.look("consent");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  const came = await loopback.came;
  assert.equal(came.get("state"), asked.state);
  assert.equal(came.get("iss"), service.base);
  const exchanged = await service.call("POST", "/oauth/token", {
    form: {
      grant_type: "authorization_code", code: came.get("code"), redirect_uri: asked.redirect_uri,
      client_id: asked.client_id, code_verifier: asked.verifier,
    },
  });
  assert.equal(exchanged.status, 200, exchanged.text);
  const profile = await service.call("GET", "/sync/profile", { token: exchanged.json.access_token });
  assert.equal(profile.json.phoneLast4, "0110");
});

test("an app that is refused gets an error", async () => {
  const asked = authorization(service, loopback.redirectUri);
  await person.page.goto(asked.url);
  await person.signIn("+15550111");
  await person.page.getByRole("button", { name: "Don’t allow" }).click();
  const came = await loopback.came;
  assert.deepEqual([came.get("error"), came.get("state"), came.get("code")], ["access_denied", asked.state, null]);
});

test("who is signed in is not asked again, and may be somebody else", async () => {
  const { page } = person;
  const asked = authorization(service, loopback.redirectUri);
  await page.goto(asked.url);
  await person.signIn("+15550112");
  await page.goto(asked.url);
  await page.getByText("0112").waitFor();
  await page.getByRole("button", { name: "Not you?" }).click();
  await person.signIn("+15550113");
  await page.getByText("0113").waitFor();
  assert.equal(page.url(), asked.url);
});

test("all of it works without scripts", async () => {
  const bare = await browsers.person({ javaScriptEnabled: false });
  await bare.page.goto(authorization(service, loopback.redirectUri).url);
  await bare.signIn("+15550114");
  await bare.page.getByRole("button", { name: "Allow", exact: true }).click();
  assert.ok((await loopback.came).get("code"));
  await bare.leave();
});

test("after five wrong passwords a new one has to be sent", async () => {
  const { page } = person;
  await page.goto(authorization(service, loopback.redirectUri).url);
  await person.signIn("+15550115", "000000");
  for (const left of ["4 tries", "3 tries", "2 tries", "one try"]) {
    await page.getByText(`${left} left`).waitFor();
    await page.getByLabel("One-time password").fill("000000");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }
  await page.getByText("not good any more").waitFor();
  await person.look("sign-in-password-gone");
  await page.getByRole("button", { name: "Send a new password" }).click();
  await page.getByLabel("One-time password").fill("424242");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
});

test("an unknown client and a foreign address are refused on a page", async () => {
  const { page } = person;
  for (const changes of [{ client_id: "nobody" }, { redirect_uri: "https://elsewhere.test/callback" }]) {
    const response = await page.goto(authorization(service, loopback.redirectUri, changes).url);
    assert.equal(response.status(), 400);
    await page.getByRole("heading", { name: "This sign-in cannot go on" }).waitFor();
  }
  await person.look("refused-client");
});

test("other faults of a request are reported to the app", async () => {
  await person.page.goto(authorization(service, loopback.redirectUri, { code_challenge_method: "plain" }).url);
  assert.equal((await loopback.came).get("error"), "invalid_request");
});

test("a form that our own page did not send is refused", async () => {
  const { page } = person;
  await page.goto(`${service.base}/device`);
  await page.getByLabel("Phone number").fill("+15550116");
  await page.locator("input[name=csrf]").evaluate((field) => {
    field.value = "made-up";
  });
  await page.getByRole("button", { name: "Send one-time password" }).click();
  await page.getByText("not sent from our own page").waitFor();
  await person.look("refused-form");
  const foreign = await service.call("POST", "/sign-in", { form: { phone: "+15550116", next: "/device" } });
  assert.equal(foreign.status, 400);
});

test("too many requests are answered with how long to wait", async () => {
  const limited = await Service.start({ rateLimit: "3" });
  const { page } = person;
  for (let request = 0; request < 3; request += 1) {
    assert.equal((await page.goto(`${limited.base}/device`)).status(), 200);
  }
  assert.equal((await page.goto(`${limited.base}/device`)).status(), 429);
  await page.getByText("seconds, then try again").waitFor();
  await person.look("too-many-requests");
  await limited.stop();
});

test("an address that leads nowhere says so", async () => {
  assert.equal((await person.page.goto(`${service.base}/nowhere`)).status(), 404);
  await person.page.getByRole("heading", { name: "There is nothing here" }).waitFor();
  await person.look("not-found");
});

test("every page is protected, and its files are kept by their digest", async () => {
  for (const path of ["/", "/device", "/account", "/widget", "/oauth/authorize?client_id=nobody"]) {
    const { headers, text } = await service.call("GET", path, { headers: { Accept: "text/html" } });
    const policy = headers.get("content-security-policy");
    for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'", "form-action 'self'"]) {
      assert.ok(policy.includes(part), `${path}: ${part}`);
    }
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/u, path);
    if (path !== "/widget") {
      assert.match(policy, /frame-ancestors 'none'/u);
      assert.equal(headers.get("x-frame-options"), "DENY");
    }
    const file = /href="(\/assets\/pages[^"]+)"/u.exec(text)[1];
    const asset = await service.call("GET", file);
    assert.match(asset.headers.get("cache-control"), /immutable/u);
    const again = await service.call("GET", file, { headers: { "If-None-Match": asset.headers.get("etag") } });
    assert.equal(again.status, 304);
  }
});
