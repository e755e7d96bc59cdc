// A device without a browser: its user enters or confirms the code in another one.

import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { Browsers, Service } from "./support.js";

let service, browsers, person;

before(async () => {
  [service, browsers] = await Promise.all([Service.start(), Browsers.start()]);
});
after(async () => {
  await Promise.all([service?.stop(), browsers?.stop()]);
});
beforeEach(async () => {
  person = await browsers.person();
});
afterEach(() => person.leave());

const CLIENT = "ordersync-cli";

async function start() {
  const form = { client_id: CLIENT, scope: "accounts:read orders:read" };
  const started = await service.call("POST", "/oauth/device_authorization", { form });
  assert.equal(started.status, 200, started.text);
  return started.json;
}

function poll(device) {
  const grantType = "urn:ietf:params:oauth:grant-type:device_code";
  return service.call("POST", "/oauth/token", {
    form: { grant_type: grantType, device_code: device.device_code, client_id: CLIENT },
  });
}

test("a device is allowed with the code that it shows", async () => {
  const { page } = person;
  const device = await start();
  await page.goto(device.verification_uri);
  await person.signIn("+15550120");
  await page.getByRole("heading", { name: "Connect a device" }).waitFor();
  await person.look("device");
  await page.getByLabel("Code").fill("bcdf ghjk");
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("alert").waitFor();
  await person.look("device-wrong-code");
  await page.getByLabel("Code").fill(device.user_code.toLowerCase().replace("-", " "));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText(device.user_code).waitFor();
  await person.look("device-confirm");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByRole("heading", { name: "Your device is connected" }).waitFor();
  await person.look("device-done");
  const polled = await poll(device);
  assert.equal(polled.status, 200, polled.text);
  assert.equal((await service.call("GET", "/sync/connections", { token: polled.json.access_token })).status, 200);
});

test("a device that is refused gets an error, and its code is used up", async () => {
  const { page } = person;
  const device = await start();
  await page.goto(device.verification_uri_complete);
  await person.signIn("+15550121");
  await page.getByText(device.user_code).waitFor();
  await page.getByRole("button", { name: "Don’t allow" }).click();
  await page.getByRole("heading", { name: "You did not allow it" }).waitFor();
  await person.look("device-refused");
  assert.equal((await poll(device)).json.error, "access_denied");
  await page.goto(device.verification_uri_complete);
  await page.getByText("There is no such code").waitFor();
});
