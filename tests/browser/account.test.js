// The user's own account: what it shows, disconnecting a retailer, and deleting everything.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { promisify } from "node:util";

import { Browsers, Service, binary } from "./support.js";

const run = promisify(execFile);
const CLIENT = "ordersync-cli";

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

/** Connects retailers with the command line, and waits until they are synced. */
async function connect(phone, ...retailers) {
  const home = mkdtempSync(join(tmpdir(), "ordersync-account-"));
  const file = join(home, "credentials.json");
  writeFileSync(file, JSON.stringify({ username: "user_items_3", password: "pass_good" }), { mode: 0o600 });
  const token = await service.token(phone, CLIENT);
  const env = {
    PATH: process.env.PATH, HOME: home, ORDERSYNC_HOME: home, ORDERSYNC_BASE_URL: service.base, ORDERSYNC_TOKEN: token,
  };
  for (const retailer of retailers) {
    await run(binary(), ["connect", retailer, "--credentials-file", file], { env });
  }
  rmSync(home, { recursive: true, force: true });
  return token;
}

test("a user sees retailers and apps, and disconnects one of them", async () => {
  const { page } = person;
  await connect("+15550130", "1", "2");
  await page.goto(`${service.base}/account`);
  await person.signIn("+15550130");
  await page.getByRole("heading", { name: "Your account" }).waitFor();
  await page.getByText("ordersync command line").waitFor();
  await person.look("account", { fullPage: true });
  const links = page.getByRole("link", { name: /^Disconnect / });
  assert.equal(await links.count(), 2);
  await links.first().click();
  await page.getByRole("heading", { name: /^Disconnect .*\?$/ }).waitFor();
  await person.look("account-disconnect");
  await page.getByRole("link", { name: "Cancel" }).click();
  await links.first().click();
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.getByRole("heading", { name: "Your account" }).waitFor();
  assert.equal(await links.count(), 1);
});

test("a user deletes the account by typing a word", async () => {
  const { page } = person;
  const token = await connect("+15550131", "1");
  await page.goto(`${service.base}/account`);
  await person.signIn("+15550131");
  await page.getByRole("link", { name: "Delete your account" }).click();
  await page.getByRole("button", { name: "Delete everything" }).click();
  await page.getByText("Nothing was deleted").waitFor();
  await person.look("account-delete");
  await page.getByLabel("To confirm, type delete").fill("delete");
  await page.getByRole("button", { name: "Delete everything" }).click();
  await page.getByRole("heading", { name: "Your account is deleted" }).waitFor();
  await person.look("account-deleted");
  assert.equal((await service.call("GET", "/sync/connections", { token })).status, 401);
  await page.goto(`${service.base}/account`);
  await page.getByLabel("Phone number").waitFor();
});
