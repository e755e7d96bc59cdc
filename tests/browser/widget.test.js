// The widget: from a link token to a connected, verified, shared retailer, and everything that can go wrong on the way.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { Browsers, PASSWORD, Service } from "./support.js";

const CLIENT = "Ledgerleaf";

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

async function open(linkToken, phone, who = person) {
  await who.page.goto(`${service.base}/widget?link_token=${linkToken}`);
  await who.signIn(phone);
}

async function choose(name) {
  const { page } = person;
  await page.getByRole("button", { name: "Connect a retailer" }).click();
  await page.getByLabel("Find your retailer").fill(name.slice(0, 6).toUpperCase());
  await page.getByRole("dialog").getByRole("button", { name }).click();
}

async function enter(username, password = "pass_good") {
  const { page } = person;
  await page.locator("#credential-username").fill(username);
  await page.locator("#credential-password").fill(password);
  await page.locator("dialog button[type=submit]").click();
}

function heading(name) {
  return person.page.getByRole("heading", { name });
}

/** The connection's row in the list. */
function row(name) {
  return person.page.getByRole("listitem").filter({ hasText: name });
}

test("a retailer is connected, verified and shared, and not shared any more", async () => {
  const { page } = person;
  const linkToken = await service.linkToken(CLIENT, "customer-1");
  assert.equal((await service.share(CLIENT, linkToken)).json.code, "USER_NOT_FOUND");
  const sent = [];
  page.on("request", (request) => sent.push(request));

  await page.goto(`${service.base}/widget?link_token=${linkToken}`);
  assert.equal(page.url(), `${service.base}/widget`, "the token leaves the address at once");
  await person.look("widget-sign-in");
  await person.signIn("+15550130");
  await heading("No retailers yet").waitFor();
  await person.look("widget-empty");
  assert.deepEqual((await service.share(CLIENT, linkToken)).json.connections, []);

  await page.getByRole("button", { name: "Connect a retailer" }).click();
  const search = page.getByLabel("Find your retailer");
  await search.waitFor();
  await person.look("widget-catalog");
  await search.fill("no such shop");
  await page.getByText("No retailer is called").first().waitFor();
  await person.look("widget-catalog-none");
  await search.fill("shoten");
  await page.getByRole("button", { name: "Komadori Shōten" }).waitFor();
  await search.fill("grandvale");
  await page.getByRole("button", { name: /Grandvale.*Not available yet/u }).press("Enter");
  await heading("Connect a retailer").waitFor();
  await search.fill("merri");
  await page.getByRole("dialog").getByRole("button", { name: "Merribazaar" }).click();
  await person.look("widget-credentials");
  await page.locator("dialog button[type=submit]").click();
  await page.getByText("Username and Password are missing").waitFor();
  await enter("user_mfa_choose", "pass_good");

  await page.getByRole("radio", { name: "Text message" }).waitFor();
  await person.look("widget-choose");
  await page.getByRole("radio", { name: "Email" }).check();
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  const code = page.getByLabel("Enter the code from the email");
  await code.fill("999999");
  await page.getByRole("button", { name: "Verify" }).click();
  await page.getByText("That code was wrong. 2 tries left.").waitFor();
  assert.match(await page.locator(".time-left").textContent(), /^[45]:\d\d left to answer$/u);
  await person.look("widget-wrong-code");
  await code.fill("123456");
  await page.getByRole("button", { name: "Verify" }).click();
  await heading("Merribazaar is connected").waitFor();
  await person.look("widget-connected");
  await page.getByRole("button", { name: "Done" }).click();
  await row("Merribazaar").getByText("Synced just now").waitFor();
  await person.look("widget-list-of-one");

  const shared = (await service.share(CLIENT, linkToken)).json;
  assert.deepEqual(shared.connections.map(({ displayName, status }) => [displayName, status]), [["Merribazaar", "valid"]]);
  const control = page.getByRole("switch", { name: "Share with Ledgerleaf" });
  await control.press("Space");
  await page.getByText("1 retailer, 0 shared").waitFor();
  assert.deepEqual((await service.share(CLIENT, linkToken)).json.connections, []);
  await control.press("Space");
  await page.getByText("1 retailer, 1 shared").waitFor();
  assert.equal((await service.share(CLIENT, linkToken)).json.connections.length, 1);

  const bodies = sent.map((request) => request.postData() ?? "").join("\n");
  assert.ok(bodies.includes('"connectionInfo":"eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoi'), "a JWE");
  assert.ok(!bodies.includes("pass_good") && !bodies.includes("user_mfa_choose"), "credentials leave the browser sealed");
  const log = (await service.logged()).join("\n");
  for (const secret of [linkToken, "pass_good", "123456", PASSWORD, "5550130"]) {
    assert.ok(!log.includes(secret), "the log holds no secret");
  }
});

test("the same identifier with a second phone is refused, and nothing changes", async () => {
  const linkToken = await service.linkToken(CLIENT, "customer-2");
  await open(linkToken, "+15550131");
  await choose("Threadmoor");
  await enter("user_good");
  await heading("Threadmoor is connected").waitFor();
  const earlier = (await service.share(CLIENT, linkToken)).json;
  assert.equal(earlier.connections.length, 1);

  const second = await browsers.person();
  const refused = second.page.waitForResponse((response) => response.url().endsWith("/sign-in/verify"));
  await open(await service.linkToken(CLIENT, "customer-2"), "+15550132", second);
  assert.equal((await refused).status(), 409);
  await second.page.getByRole("heading", { name: "This account is linked to another number" }).waitFor();
  await second.page.getByText("USER_ALREADY_BOUND").waitFor();
  await second.look("widget-already-bound");
  assert.deepEqual((await service.share(CLIENT, linkToken)).json, earlier);
  await second.page.getByRole("link", { name: "Use another number" }).click();
  await second.signIn("+15550131");
  await second.page.getByRole("heading", { name: "Threadmoor" }).waitFor();
  await second.leave();
});

test("who is signed in already is asked again before another's identifier is bound", async () => {
  const { page } = person;
  await open(await service.linkToken(CLIENT, "customer-3"), "+15550133");
  await heading("Your retailers").waitFor();
  await page.goto(`${service.base}/widget?link_token=${await service.linkToken(CLIENT, "customer-3")}`);
  await heading("Your retailers").waitFor();
  await page.goto(`${service.base}/widget?link_token=${await service.linkToken("Other", "customer-3")}`);
  await page.getByLabel("Phone number").waitFor();
});

test("a broken connection is repaired", async () => {
  const { page } = person;
  const linkToken = await service.linkToken(CLIENT, "customer-4");
  await open(linkToken, "+15550134");
  await choose("Marrowby Market");
  await enter("user_bad");
  await heading("The retailer refused the user name or the password").waitFor();
  await person.look("widget-failed");
  await page.getByRole("button", { name: "Done" }).click();
  await row("Marrowby Market").getByText("Needs repair").waitFor();
  await page.getByRole("switch").press("Space");
  await page.getByText("1 retailer, 0 shared").waitFor();
  await page.getByRole("button", { name: "Repair Marrowby Market" }).click();
  await page.getByText("The connection is shared with Ledgerleaf").waitFor();
  await person.look("widget-repair");
  await enter("user_good");
  await heading("Marrowby Market is connected").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await row("Marrowby Market").getByText("Connected", { exact: true }).waitFor();
  assert.equal((await service.share(CLIENT, linkToken)).json.connections[0].status, "valid");
});

test("a first sync that failed for a passing reason says so, and can be tried again and repaired", async () => {
  const { page } = person;
  const linkToken = await service.linkToken(CLIENT, "customer-12");
  await open(linkToken, "+15550141");
  await choose("Marrowby Market");
  await enter("error_retailer_unavailable");
  await heading("The retailer cannot be reached").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await row("Marrowby Market").getByText("Not connected yet").waitFor();
  await row("Marrowby Market").getByText("The retailer cannot be reached").waitFor();
  await person.look("widget-not-connected-yet");
  await page.getByRole("button", { name: "Sync now Marrowby Market" }).click();
  await heading("The retailer cannot be reached").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  // What happened is found again after a reload, and nothing is asked for over and over.
  await page.reload();
  await row("Marrowby Market").getByText("Not connected yet").waitFor();
  const before = asked.length;
  await page.getByRole("switch").press("Space");
  await page.getByText("1 retailer, 0 shared").waitFor();
  assert.ok(asked.length - before < 20, `${asked.length - before} requests`);
  await page.getByRole("button", { name: "Repair Marrowby Market" }).click();
  await enter("user_good");
  await heading("Marrowby Market is connected").waitFor();
  assert.equal((await service.share(CLIENT, linkToken)).json.connections[0].status, "valid");
});

test("a connection is removed, for every app, after a question", async () => {
  const { page } = person;
  const linkToken = await service.linkToken(CLIENT, "customer-13");
  await open(linkToken, "+15550142");
  await choose("Threadmoor");
  await enter("user_good");
  await heading("Threadmoor is connected").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await page.getByRole("button", { name: "Remove Threadmoor" }).click();
  await heading("Remove Threadmoor?").waitFor();
  await person.look("widget-remove");
  await page.getByRole("button", { name: "Keep" }).click();
  assert.equal((await service.share(CLIENT, linkToken)).json.connections.length, 1);
  await page.getByRole("button", { name: "Remove Threadmoor" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove", exact: true }).click();
  await heading("No retailers yet").waitFor();
  assert.deepEqual((await service.share(CLIENT, linkToken)).json.connections, []);
});

test("a sync goes on without the page, and is found again after a reload", async () => {
  const { page } = person;
  await open(await service.linkToken(CLIENT, "customer-5"), "+15550135");
  // However long it takes to look at it, this sync goes on.
  const goOn = await service.stopTime("+15550135", CLIENT);
  await choose("Tidewick Home");
  await enter("user_slow");
  await page.getByText("items so far").first().waitFor();
  await person.look("widget-syncing");
  await page.getByRole("button", { name: "Close" }).click();
  await choose("Hagenfels Baumarkt");
  await enter("user_mfa_enter");
  await page.getByLabel("Enter the code").waitFor();
  await page.reload();
  await row("Tidewick Home").getByText("Reading orders").waitFor();
  await page.getByText("Needs your verification").waitFor();
  await person.look("widget-list");
  await goOn();
  await page.getByRole("button", { name: "Continue Hagenfels Baumarkt" }).click();
  await page.getByLabel("Enter the code").fill("123456");
  await page.getByRole("button", { name: "Verify" }).click();
  await heading("Hagenfels Baumarkt is connected").waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await row("Tidewick Home").getByText("Synced just now").waitFor();
  await page.getByRole("button", { name: "Sync now Hagenfels Baumarkt" }).click();
  await page.getByText("nothing new").first().waitFor();
});

test("three wrong codes end the sync, and it can be tried again", async () => {
  const { page } = person;
  await open(await service.linkToken(CLIENT, "customer-6"), "+15550136");
  await choose("Waggledown Pets");
  await enter("user_mfa_enter");
  const code = page.getByLabel("Enter the code");
  for (const left of ["2 tries left", "One try left"]) {
    await code.fill("000001");
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText(left).waitFor();
  }
  await code.fill("000001");
  await page.getByRole("button", { name: "Verify" }).click();
  await heading("The verification code was wrong three times").waitFor();
  await page.getByRole("button", { name: "Try again" }).click();
  await heading("Repair Waggledown Pets").waitFor();
});

test("the keyboard alone connects a retailer", async () => {
  const { page } = person;
  await open(await service.linkToken(CLIENT, "customer-7"), "+15550137");
  await page.getByRole("button", { name: "Connect a retailer" }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("Find your retailer").waitFor();
  await page.keyboard.type("inkwell");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator("#credential-username").waitFor();
  await page.keyboard.type("user_mfa_enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("pass_good");
  await page.keyboard.press("Enter");
  await page.getByLabel("Enter the code").waitFor();
  await page.keyboard.type("123456");
  await page.keyboard.press("Enter");
  await heading("Inkwell & Otter Books is connected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "hidden" });
  await row("Inkwell & Otter Books").waitFor();
});

test("a link that is not good, and a page that was open for too long, say so", async () => {
  const { page } = person;
  assert.equal((await page.goto(`${service.base}/widget?link_token=made-up`)).status(), 401);
  await heading("This link does not work any more").waitFor();
  await person.look("widget-closed");
  await open(await service.linkToken(CLIENT, "customer-8"), "+15550138");
  await heading("No retailers yet").waitFor();
  await page.getByRole("button", { name: "Connect a retailer" }).click();
  await page.getByRole("button", { name: "Close" }).waitFor();
  await person.context.clearCookies();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("This page was open for too long").waitFor();
  await person.look("widget-ended");
});

test("two widgets in one browser do not act for each other", async () => {
  const { page } = person;
  await open(await service.linkToken(CLIENT, "customer-9"), "+15550139");
  await heading("No retailers yet").waitFor();
  const other = await person.context.newPage();
  await other.goto(`${service.base}/widget?link_token=${await service.linkToken("Other", "customer-9")}`);
  await page.getByRole("button", { name: "Connect a retailer" }).click();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("This page was open for too long").waitFor();
});

test("a page that the client did not name cannot hold the widget in a frame", async () => {
  const linkToken = await service.linkToken(CLIENT, "customer-10");
  const host = createServer((request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(`<!doctype html><title>Host</title><iframe src="${service.base}/widget?link_token=${linkToken}"></iframe>`);
  });
  await new Promise((done) => host.listen(0, "127.0.0.1", done));
  const page = await person.context.newPage();
  const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await page.goto(`http://127.0.0.1:${host.address().port}/`);
  await refused;
  await page.close();
  host.closeAllConnections();
  host.close();
});

test("without scripts the widget says what it needs", async () => {
  const bare = await browsers.person({ javaScriptEnabled: false });
  await open(await service.linkToken(CLIENT, "customer-11"), "+15550140", bare);
  await bare.page.locator("noscript p").waitFor();
  await bare.leave();
});

test("the sandbox's banner breaks into even lines", async () => {
  const { page } = person;
  await page.goto(`${service.base}/`);
  const before = page.viewportSize();
  for (const width of [400, 560, 640]) {
    await page.setViewportSize({ width, height: 600 });
    const lines = await page.locator(".sandbox p").evaluate((paragraph) => {
      const range = document.createRange();
      range.selectNodeContents(paragraph);
      const lines = new Map();
      for (const { bottom, left, right } of range.getClientRects()) {
        const line = lines.get(Math.round(bottom)) ?? { left, right };
        lines.set(Math.round(bottom), { left: Math.min(line.left, left), right: Math.max(line.right, right) });
      }
      return [...lines.values()].map(({ left, right }) => right - left);
    });
    assert.ok(Math.min(...lines) > 0.6 * Math.max(...lines), `${width}: ${lines}`);
  }
  await page.setViewportSize(before);
});
