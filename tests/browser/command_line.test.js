// The command line signs in through the pages, in a real browser, and stays signed in.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { binary, Browsers, Service } from "./support.js";

let service, browsers, person, home;

before(async () => {
  [service, browsers] = await Promise.all([Service.start(), Browsers.start()]);
});
after(async () => {
  await Promise.all([service?.stop(), browsers?.stop()]);
});
beforeEach(async () => {
  person = await browsers.person();
  home = mkdtempSync(join(tmpdir(), "ordersync-login-"));
});
afterEach(async () => {
  await person.leave();
  rmSync(home, { recursive: true, force: true });
});

/** A command that runs: the lines of its standard error as they arrive, and its end. */
function start(...parameters) {
  const env = { PATH: process.env.PATH, ORDERSYNC_HOME: home, ORDERSYNC_BASE_URL: service.base };
  const child = spawn(binary(), parameters, { env, stdio: ["ignore", "pipe", "pipe"] });
  const lines = [];
  const waiting = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    lines.push(line);
    waiting.forEach((look) => look());
  });
  let out = "";
  child.stdout.on("data", (data) => {
    out += data;
  });
  const ended = new Promise((done) => child.on("close", (code) => done({ code, out, err: lines.join("\n") })));
  const says = (pattern) => new Promise((found, failed) => {
    const look = () => {
      const match = pattern.exec(lines.join("\n"));
      if (match) {
        found(match[1]);
      }
    };
    waiting.push(look);
    look();
    ended.then(({ err }) => failed(new Error(`it never said ${pattern}: ${err}`)));
  });
  return { says, ended };
}

async function run(...parameters) {
  const { code, out, err } = await start(...parameters).ended;
  assert.equal(code, 0, err);
  return out;
}

const exchanges = async () => (await service.logged()).filter((line) => line.includes("/oauth/token") && line.includes("status=200")).length;

test("a browser signs the command line in; ten commands renew once; signing out ends it", async () => {
  const { page } = person;
  const login = start("auth", "login", "--no-browser");
  await page.goto(await login.says(/^\s*(http\S+\/oauth\/authorize\S+)$/mu));
  await person.signIn("+15550160");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByRole("heading", { name: "You are signed in" }).waitFor();
  await person.look("command-line-signed-in");
  const { code, err } = await login.ended;
  assert.equal(code, 0, err);
  assert.match(err, /phone …0160/u);
  const status = JSON.parse(await run("auth", "status", "-o", "json"));
  assert.deepEqual([status.signedIn, status.user.phoneLast4, status.renewable], [true, "0160", true]);
  assert.ok(status.scopes.includes("accounts:connect"));

  // An hour passes for this user: the access token ends.
  await run("sandbox", "clock", "--advance", "3700");
  const before = await exchanges();
  const many = await Promise.all(Array.from({ length: 10 }, () => start("connections").ended));
  assert.deepEqual(many.map((ran) => ran.code), Array(10).fill(0), many.map((ran) => ran.err).join("\n"));
  assert.equal(await exchanges() - before, 1, "one of the ten renewed");

  const token = (await run("auth", "token")).trim();
  assert.equal((await service.call("GET", "/sync/connections", { token })).status, 200);
  await run("auth", "logout");
  assert.equal((await service.call("GET", "/sync/connections", { token })).status, 401);
  assert.equal((await start("auth", "status").ended).code, 4);
});

test("who does not allow it is not signed in", async () => {
  const login = start("auth", "login", "--no-browser");
  await person.page.goto(await login.says(/^\s*(http\S+\/oauth\/authorize\S+)$/mu));
  await person.signIn("+15550161");
  await person.page.getByRole("button", { name: "Don’t allow" }).click();
  await person.page.getByRole("heading", { name: "You are not signed in" }).waitFor();
  const { code, err } = await login.ended;
  assert.equal(code, 4);
  assert.match(err, /refused on the page/u);
});

test("a code that is entered elsewhere signs the command line in", async () => {
  const { page } = person;
  const login = start("auth", "login", "--device", "--scopes", "orders:read profile:read");
  await page.goto(await login.says(/(http\S+\/device)$/mu));
  await person.signIn("+15550162");
  await page.getByLabel("Code").fill(await login.says(/enter the code:\s+(\S+)/u));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  await page.getByRole("heading", { name: "Your device is connected" }).waitFor();
  const { code, err } = await login.ended;
  assert.equal(code, 0, err);
  const { scopes, user } = JSON.parse(await run("auth", "status", "-o", "json"));
  assert.deepEqual([scopes.toSorted(), user.phoneLast4], [["orders:read", "profile:read"], "0162"]);
  const refused = await start("connections").ended;
  assert.equal(refused.code, 4);
  assert.match(refused.err, /auth login --scopes/u);
});
