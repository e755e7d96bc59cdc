// The widget: from a link token to a connected, verified, shared retailer, and everything that can go wrong on the way.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { authorization, Browsers, Host, Loopback, PASSWORD, Service } from "./support.js";

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

/** Signs in, and starts a sync that goes on until the function that is returned is called, however long it is looked at. */
async function slowSync(identifier, phone) {
  await open(await service.linkToken(CLIENT, identifier), phone);
  const goOn = await service.stopTime(phone, CLIENT);
  await choose("Tidewick Home");
  await enter("user_slow");
  await person.page.getByText("items so far").first().waitFor();
  return goOn;
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
  // While the service does not offer it, there is nothing to try again.
  await page.route("**/sync/retailers", (route) => route.fulfill({ json: [] }));
  await page.reload();
  await page.getByRole("button", { name: "Repair Marrowby Market" }).click();
  await page.getByText("This retailer is not offered here any more").waitFor();
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
  await page.unroute("**/sync/retailers");
  await page.reload();
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
  const goOn = await slowSync("customer-5", "+15550135");
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

test("a service that is out of reach for a while is asked again, until the sync has ended", async () => {
  const { page } = person;
  const goOn = await slowSync("customer-77", "+15550177");
  await person.context.setOffline(true);
  await page.getByText("The service cannot be reached.").waitFor();
  await person.look("widget-out-of-reach");
  await goOn();
  await person.context.setOffline(false);
  await heading("Tidewick Home is connected").waitFor();
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
  // In the middle of a sync.
  await slowSync("customer-78", "+15550178");
  await person.context.clearCookies();
  await page.route("**/sync/sessions/**", (route) => route.fulfill({ status: 401, json: { code: "UNAUTHORIZED", message: "Over." } }));
  await page.getByRole("dialog").getByText("This page was open for too long").waitFor();
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

/** A page of an app that holds the widget in a frame, and keeps what the frame tells it. */
async function hosted(host, linkToken, { name = "127.0.0.1" } = {}) {
  const page = await person.context.newPage();
  const console = [];
  page.on("console", (message) => console.push(message.text()));
  host.link = `${service.base}/widget?link_token=${linkToken}`;
  await page.goto(`http://${name}:${host.port}/`);
  const heard = () => page.evaluate(() => globalThis.heard);
  return { page, console, heard, frame: page.frameLocator("iframe") };
}

/** Waits for so many messages, and returns them. */
async function messages(app, count) {
  await app.page.waitForFunction((count) => globalThis.heard.length >= count, count);
  return app.heard();
}

const IDS = ["connectionId", "batchId", "retailerId"];

test("a page that the client registered holds the widget, and hears what happens, in order and with ids alone", async () => {
  const host = await Host.listen();
  const origin = `http://127.0.0.1:${host.port}`;
  const client = service.client("Frames", ["--frame-ancestor", origin, "--return-url", `${origin}/back`]);
  const link = (id) => service.linkTokenOf(client, id, `${origin}/back`);
  const app = await hosted(host, await link("framed-1"));
  const { page, frame } = app;
  await frame.getByLabel("Phone number").fill("+15550151");
  await frame.getByRole("button", { name: "Send one-time password" }).click();
  await frame.getByLabel("One-time password").fill(PASSWORD);
  await frame.getByRole("button", { name: "Sign in", exact: true }).click();
  const connect = async (name, username) => {
    await frame.getByRole("button", { name: "Connect a retailer" }).click();
    await frame.getByLabel("Find your retailer").fill(name);
    await frame.getByRole("dialog").getByRole("button", { name }).click();
    await frame.locator("#credential-username").fill(username);
    await frame.locator("#credential-password").fill("pass_good");
    await frame.locator("dialog button[type=submit]").click();
  };
  await connect("Threadmoor", "user_mfa_enter");
  await messages(app, 1);
  await frame.getByLabel("Enter the code").fill("123456");
  await frame.getByRole("button", { name: "Verify" }).click();
  await frame.getByRole("heading", { name: "Threadmoor is connected" }).waitFor();
  await messages(app, 2);
  await frame.getByRole("button", { name: "Done" }).click();
  await connect("Marrowby Market", "user_bad");
  await messages(app, 3);
  await frame.getByRole("button", { name: "Try again" }).click();
  await frame.locator("#credential-username").fill("user_good");
  await frame.locator("#credential-password").fill("pass_good");
  await frame.locator("dialog button[type=submit]").click();
  await messages(app, 4);
  await frame.getByRole("button", { name: "Done" }).click();
  // A sync of a connection that works already is no news.
  await frame.getByRole("button", { name: "Sync now Threadmoor" }).click();
  await frame.getByText("nothing new").first().waitFor();
  await frame.getByRole("button", { name: /Done|Close/u }).first().click();
  await frame.getByRole("link", { name: "Back to Frames" }).click();
  const all = await messages(app, 5);
  assert.deepEqual(all.map(({ data }) => [data.type, data.reason]), [
    ["needs_attention", "mfa"], ["connected", undefined], ["needs_attention", "invalid"], ["connected", undefined], ["closed", undefined],
  ]);
  for (const { origin: sender, data: { source, type, reason, ...ids } } of all) {
    assert.equal(sender, service.base);
    assert.equal(source, "ordersync");
    assert.ok(reason === undefined || type === "needs_attention");
    assert.deepEqual(Object.keys(ids), type === "closed" ? [] : IDS);
  }
  // Nothing of the user, the credentials, the codes or the orders is in them.
  const said = JSON.stringify(all);
  const orders = await service.ordersOf(client, await link("framed-1"));
  assert.ok(orders.length > 0);
  const things = orders.flatMap(({ id, orderId, itemName, price }) => [id, orderId, itemName, `"${price}"`]);
  for (const secret of ["5550151", "0151", "user_mfa_enter", "user_good", "user_bad", "pass_good", "123456", PASSWORD, ...things]) {
    assert.ok(!said.includes(secret), secret);
  }
  const [asked, works, refused, repaired] = all.map(({ data }) => data);
  assert.deepEqual([asked.connectionId, asked.batchId], [works.connectionId, works.batchId]);
  assert.equal(refused.connectionId, repaired.connectionId);
  assert.notEqual(refused.batchId, repaired.batchId);
  assert.equal(page.url(), `${origin}/`, "the app takes the frame away itself");
  assert.deepEqual(app.console.filter((text) => /autofocus/iu.test(text)), []);
  // An app that does not: the second press leads the whole window back.
  await frame.getByRole("link", { name: "Back to Frames" }).click();
  await page.waitForURL(`${origin}/back`);
  await page.close();

  // The end of the link is reported as well, with nobody pressing anything.
  const late = await hosted(host, await link("framed-2"));
  await late.frame.getByRole("heading", { name: "Continue to Frames?" }).waitFor();
  service.expireLinks();
  await late.frame.getByRole("button", { name: "Continue as the user ending in 0151" }).click();
  await late.frame.getByRole("heading", { name: "This link does not work any more" }).waitFor();
  assert.deepEqual((await messages(late, 1)).map(({ data }) => data), [{ source: "ordersync", type: "closed" }]);
  await late.page.close();
  host.close();
});

test("a page that nobody registered cannot hold the widget in a frame, and hears nothing", async () => {
  const host = await Host.listen();
  const client = service.client("Frames elsewhere", ["--frame-ancestor", "https://app.example"]);
  const linkToken = await service.linkTokenOf(client, "customer-10");
  const page = await person.context.newPage();
  const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  host.link = `${service.base}/widget?link_token=${linkToken}`;
  await page.goto(`http://127.0.0.1:${host.port}/`);
  await refused;
  // An expired link's page is refused as well, since it would speak to its frame.
  service.expireLinks();
  const again = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await page.reload();
  await again;
  assert.deepEqual(await page.evaluate(() => globalThis.heard), []);
  await page.close();
  host.close();
});

test("in a sandbox, an app on the developer's machine may frame the widget with nothing registered", async () => {
  const host = await Host.listen();
  const linkToken = await service.linkToken(CLIENT, "customer-14");
  const app = await hosted(host, linkToken);
  await app.frame.getByLabel("Phone number").waitFor();
  await app.frame.getByRole("button", { name: `Close and return to ${CLIENT}` }).click();
  assert.deepEqual((await messages(app, 1)).map(({ origin, data }) => [origin, data]), [
    [service.base, { source: "ordersync", type: "closed" }],
  ]);
  await app.page.close();
  host.close();
});

test("every end leads back to the app", async () => {
  const { page } = person;
  const back = "http://127.0.0.1:9/back";
  const client = service.client("Ledgerleaf Live", ["--return-url", back]);
  const leadsBack = async () => {
    const link = page.getByRole("link", { name: "Back to Ledgerleaf Live" });
    await link.waitFor();
    assert.equal(await link.getAttribute("href"), back);
  };
  const linkToken = await service.linkTokenOf(client, "ends", back);
  await page.goto(`${service.base}/widget?link_token=${linkToken}`);
  await leadsBack();
  await person.look("widget-sign-in-with-a-way-back");
  await person.signIn("+15550152", "000000");
  await page.getByText("That is not the password we sent").waitFor();
  await leadsBack();
  await page.getByLabel("One-time password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await heading("No retailers yet").waitFor();
  await leadsBack();
  await person.look("widget-with-a-way-back");
  await page.getByRole("button", { name: "Sign out" }).click();
  await person.signIn("+15550153");
  await page.getByText("USER_ALREADY_BOUND").waitFor();
  await leadsBack();
  for (let sent = 0; await heading("A moment, please").count() === 0; sent += 1) {
    assert.ok(sent < 40, "there is no end to the passwords");
    await page.goto(`${service.base}/widget`);
    await page.getByLabel("Phone number").fill("+15550154");
    await page.getByRole("button", { name: "Send one-time password" }).click();
    await heading(/^(Check your phone|A moment, please)$/u).waitFor();
  }
  await leadsBack();
  service.expireLinks();
  await page.goto(`${service.base}/widget`);
  await heading("This link does not work any more").waitFor();
  await leadsBack();
  await person.look("widget-closed-with-a-way-back");
});

test("one password is enough for signing in to an app and for its widget", async () => {
  const { page } = person;
  const loopback = await Loopback.listen();
  const client = service.client("One Password", ["--redirect-uri", loopback.redirectUri]);
  const { url } = authorization(service, loopback.redirectUri, { client_id: client.id });
  await page.goto(url);
  await person.signIn("+15550155");
  await page.getByRole("button", { name: "Allow", exact: true }).click();
  assert.ok((await loopback.came).get("code"));
  const first = await service.linkTokenOf(client, "one");
  await page.goto(`${service.base}/widget?link_token=${first}`);
  await heading("Continue to One Password?").waitFor();
  await page.getByText("ending in 0155").first().waitFor();
  await person.look("widget-continue");
  await page.getByRole("button", { name: "Continue as the user ending in 0155" }).click();
  await heading("No retailers yet").waitFor();
  await page.goto(url);
  await page.getByRole("button", { name: "Allow", exact: true }).waitFor();
  // Not this user: the next one signs in.
  await page.goto(`${service.base}/widget?link_token=${await service.linkTokenOf(client, "two")}`);
  await page.getByRole("button", { name: "Not you?" }).click();
  await person.signIn("+15550156");
  await heading("No retailers yet").waitFor();
  loopback.close();
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

test("a browser's cookies are lent with their file, and only those of the retailer leave the page", async () => {
  const cookies = [];
  const page = (body) => `<!doctype html><html><head><script>var ue_sn = 'www.amazon.com';</script></head><body>${body}</body></html>`;
  const website = createServer((request, response) => {
    cookies.push(request.headers.cookie ?? "");
    const period = new URL(request.url, "http://127.0.0.1").searchParams.get("timeFilter") ?? "months-3";
    const options = ["months-3", "year-2024"].map((value) => `<option value="${value}" ${value === period ? "selected" : ""}>`);
    response.setHeader("Content-Type", "text/html");
    response.end(page(`<select name="timeFilter">${options.join("")}</select><span class="num-orders">0 orders</span>
      <div class="your-orders-content-container"></div>`));
  });
  await new Promise((done) => website.listen(0, "127.0.0.1", done));
  const folder = mkdtempSync(join(tmpdir(), "ordersync-cookies-"));
  const retailers = join(folder, "retailers.toml");
  writeFileSync(retailers, `[[retailer]]\nid = 300\ndisplay_name = "amazon.com"\nconnector = "amazon"
    base_url = "http://127.0.0.1:${website.address().port}"\nallow_private_network = true\nmin_interval_ms = 0\n`);
  const own = await Service.start({ flags: ["--retailers", retailers] });
  try {
    await person.page.goto(`${own.base}/widget?link_token=${await own.linkToken(CLIENT, "customer-300")}`);
    await person.signIn("+15550144");
    await choose("amazon.com");
    const upload = async (lines) => {
      const file = join(folder, "cookies.txt");
      writeFileSync(file, `# Netscape HTTP Cookie File\n${lines.join("\n")}\n`);
      await person.page.locator("#credential-cookies").setInputFiles(file);
      await person.page.locator("dialog button[type=submit]").click();
    };
    await upload([".other.test\tTRUE\t/\tTRUE\t0\tsession\tother"]);
    await person.page.getByText("The file has no cookies of 127.0.0.1.").waitFor();
    await person.look("widget-cookies");
    await upload([".other.test\tTRUE\t/\tTRUE\t0\tsession\tother", "#HttpOnly_127.0.0.1\tFALSE\t/\tFALSE\t0\tat-main\tmine"]);
    await row("amazon.com").waitFor();
    await person.page.getByText(/0 items|No items|connected/iu).first().waitFor();
    assert.ok(cookies.length > 0 && cookies.every((cookie) => cookie === "at-main=mine"), cookies.join("\n"));
  } finally {
    await own.stop();
    website.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
