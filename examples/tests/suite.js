// What both example apps must do, seen from a browser.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";

import { credentials, Example, signIn } from "./support.js";

const MERRIBAZAAR = 12;
/** Tokens and secrets of a sandbox that are no browser's business. */
const SECRET = /ordersync_sandbox_(?:at|rt|cs)_/u;

/** The tests, for one of the apps; `options` are those of its start. */
export function suite(name, options) {
  let example, person;

  before(async () => {
    example = await Example.start(name, options);
  });
  after(async () => {
    await example?.stop();
    assert.doesNotMatch(example.log, SECRET, "the app's log");
  });
  afterEach(async () => {
    for (const cookie of await person.context.cookies(example.url)) {
      assert.doesNotMatch(cookie.value, SECRET, "a cookie");
    }
    assert.doesNotMatch(await person.page.content(), SECRET, "a page");
    await person.leave();
  });

  const heading = (text, page = person.page) => page.getByRole("heading", { name: text });
  const frame = () => person.page.frameLocator("iframe");
  /** The apps look the same: most pages are pictured in one, and only judged in the other. */
  const look = (what, { both = false } = {}) =>
    both || name === "express" ? person.look(`example-${name}-${what}`) : person.judge(`${name}: ${what}`);
  const open = (path) => person.page.goto(example.url + path);

  /** Continues to the widget: who has signed in to the app in this browser is not asked for a password again. */
  const enter = (widget) => widget.getByRole("button", { name: /Continue as the user/u }).click();

  /** Connects Merribazaar in the widget, which is in this page or frame. */
  async function connectInWidget(widget, username = "user_good") {
    await widget.getByRole("button", { name: "Connect a retailer" }).click();
    await widget.getByRole("dialog").getByRole("button", { name: "Merribazaar" }).click();
    await widget.locator("#credential-username").fill(username);
    await widget.locator("#credential-password").fill("pass_good");
    await widget.locator("dialog button[type=submit]").click();
  }

  test("a user signs in, and only then sees anything", async () => {
    person = await example.browsers.person();
    for (const path of ["/orders", "/orders.csv", "/widget", "/shared", "/connect", "/syncs/x", "/connections/x"]) {
      await open(path);
      assert.equal(person.page.url(), `${example.url}/`, path);
    }
    await look("welcome");
    await person.leave();
    person = await example.user("+15550100");
    await look("home-empty");
    const [cookie] = (await person.context.cookies(example.url)).filter(({ name }) => name.endsWith("session"));
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Lax"]);
  });

  test("a sign-in that the user refuses, or that was begun elsewhere, signs nobody in", async () => {
    person = await example.browsers.person();
    await open("/sign-in");
    await signIn(person.page, "+15550120");
    await person.page.getByRole("button", { name: "Don’t allow" }).click();
    await person.page.getByText("You did not allow it").waitFor();
    await look("refused");
    await open("/sign-in");
    const begun = person.page.url();
    const other = await example.browsers.person();
    await other.page.goto(begun);
    await signIn(other.page, "+15550120");
    await other.page.getByRole("button", { name: "Allow", exact: true }).click();
    await other.page.getByText("Begin again, in this browser").waitFor();
    await other.leave();
  });

  test("the widget in a frame tells the page what happens, and closes it", async () => {
    person = await example.user("+15550102");
    const { page } = person;
    await open("/widget");
    await look("widget-continue", { both: true });
    await enter(frame());
    await connectInWidget(frame());
    await heading("Merribazaar is connected", frame()).waitFor();
    await page.getByText("A retailer is connected.").waitFor();
    await look("widget-frame", { both: true });
    // Anybody can send such a message; this one is not the service's.
    await page.evaluate(() => globalThis.postMessage({ source: "ordersync", type: "closed" }, "*"));
    await frame().getByRole("button", { name: "Done" }).click();
    await frame().getByRole("button", { name: "Close and return to Ledgerleaf" }).click();
    await page.getByText("Retailers that you share with this app: 1.").waitFor();
    assert.equal(page.url(), `${example.url}/`);
  });

  test("a sync that the widget started is followed in the app", async () => {
    person = await example.user("+15550103");
    const { page } = person;
    await open("/widget");
    await enter(frame());
    await connectInWidget(frame(), "user_mfa_enter");
    await page.getByText("A retailer needs your attention.").waitFor();
    await look("widget-needs-attention", { both: true });
    await page.getByRole("link", { name: "Follow the sync in this app" }).click();
    await page.getByRole("textbox").fill("123456");
    await page.getByRole("button", { name: "Continue" }).click();
    await heading("The sync has ended").waitFor();
  });

  test("the widget as a page of its own leads back", async () => {
    person = await example.user("+15550119");
    const { page } = person;
    await page.getByRole("button", { name: "In a page of its own" }).click();
    await enter(page);
    await connectInWidget(page);
    await heading("Merribazaar is connected").waitFor();
    await page.getByRole("button", { name: "Done" }).click();
    await look("widget-page", { both: true });
    await page.getByRole("link", { name: "Back to Ledgerleaf" }).click();
    await page.getByText("Retailers that you share with this app: 1.").waitFor();
    await look("home", { both: true });
  });

  test("what is shared in the widget can be read by the back end, and nothing before", async () => {
    person = await example.user("+15550114");
    const { page } = person;
    assert.equal((await open("/shared")).status(), 404);
    await heading("You have not opened your retailers yet").waitFor();
    await look("user-not-found");
    await page.getByRole("link", { name: "Open your retailers" }).click();
    await enter(frame());
    await connectInWidget(frame(), "user_items_60");
    await heading("Merribazaar is connected", frame()).waitFor();
    await open("/shared");
    await page.getByText("60 line items in all").waitFor();
    await look("shared");
    const cells = () => page.getByRole("cell").allInnerTexts();
    const ofBackEnd = await cells();
    await open("/orders");
    assert.deepEqual(await cells(), ofBackEnd, "the same orders, read with the token of the user");
  });

  test("a connection that is shared no more leads to the widget", async () => {
    const phone = "+15550115";
    person = await example.user(phone);
    const { page } = person;
    await example.connect(person, MERRIBAZAAR, "user_good");
    await open("/");
    const connection = await page.getByRole("link", { name: "Merribazaar" }).getAttribute("href");
    await open("/widget");
    await enter(frame());
    await frame().getByRole("switch").click();
    while ((await example.asUser(phone, "GET", "/sync/connections")).json.length > 0) {
      await page.waitForTimeout(50);
    }
    assert.equal((await open(connection)).status(), 403);
    await heading("You do not share this retailer with us").waitFor();
    await look("not-shared");
    await page.getByRole("link", { name: "Open your retailers" }).click();
    await page.locator("iframe").waitFor();
  });

  test("another number in the widget is noticed, and the identifier stays with it", async () => {
    person = await example.user("+15550116");
    const { page } = person;
    await open("/widget");
    await frame().getByRole("button", { name: "Not you?" }).click();
    await signIn(frame(), "+15550117");
    await heading("No retailers yet", frame()).waitFor();
    await page.getByRole("link", { name: "Done" }).click();
    await heading("You used another phone number there").waitFor();
    await look("another-number");
    await person.leave();
    // In this browser, the widget would open for the other number again.
    person = await example.user("+15550116");
    await open("/widget");
    await frame().getByLabel("Phone number").waitFor();
    await signIn(frame(), "+15550116");
    await heading("This account is linked to another number", frame()).waitFor();
    await look("widget-already-bound");
  });

  test("what passes is waited for, and a long wait is shown", async () => {
    const phone = "+15550118";
    person = await example.user(phone);
    const passing = [{ code: "TOO_MANY_REQUESTS", retryAfter: 1 }, { status: 503 }, { status: 502 }, { drop: true }, { drop: true, afterBytes: 1 }];
    for (const failure of passing) {
      await example.fail(phone, { ...failure, path: "/sync/connections" });
      assert.equal((await open("/")).status(), 200, JSON.stringify(failure));
    }
    await example.fail(phone, { code: "TOO_MANY_REQUESTS", retryAfter: 30, path: "/sync/connections" });
    const answer = await open("/");
    assert.deepEqual([answer.status(), answer.headers()["retry-after"], answer.headers().refresh], [503, "30", "30"]);
    await heading("A moment, please").waitFor();
    await look("too-many-requests");
  });

  test("what the back end is refused is repaired, or explained", async () => {
    const phone = "+15550121";
    const { clientId } = example.client;
    person = await example.user(phone);
    await open("/widget");
    await enter(frame());
    await heading("No retailers yet", frame()).waitFor();
    const share = { client_id: clientId, path: "/v1/users/share" };
    await example.fail(phone, { ...share, code: "MISSING_LINK_TOKEN" });
    assert.equal((await open("/shared")).status(), 200, "with a new link token");
    const rows = [
      [{ ...share, code: "MISSING_LINK_TOKEN", count: 2 }, 502, "This app could not say whose retailers it asks for"],
      [{ ...share, code: "CLIENT_SECRET_REQUIRED" }, 502, "This app is not set up correctly"],
      [{ ...share, code: "USER_ALREADY_BOUND" }, 409, "Your account is linked to another phone number"],
      [{ ...share, code: "TOO_MANY_REQUESTS", retryAfter: 20 }, 503, "A moment, please"],
    ];
    for (const [failure, status, title] of rows) {
      await example.fail(phone, failure);
      assert.equal((await open("/shared")).status(), status, title);
      await heading(title).waitFor();
      await look(failure.code.toLowerCase().replaceAll("_", "-"));
    }
  });

  test("a retailer asks for a code, and the app passes it on", async () => {
    person = await example.user("+15550104");
    const { page } = person;
    await open("/connect");
    await look("connect");
    await page.getByRole("link", { name: "Merribazaar" }).click();
    await look("credentials");
    await credentials(page, "user_mfa_choose");
    await page.getByRole("radio", { name: "Text message" }).check();
    await look("choose");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("textbox").fill("999999");
    await look("enter");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("Tries left: 2").waitFor();
    await page.getByRole("textbox").fill("123456");
    await page.getByRole("button", { name: "Continue" }).click();
    await heading("The sync has ended").waitFor();
    await page.getByText(/done: \d+ line items/u).waitFor();
    await look("synced");
    await open("/");
    await page.getByText("valid").waitFor();
    await page.getByRole("button", { name: "Sync all" }).click();
    await heading("The sync has ended").waitFor();
  });

  test("credentials that are refused are repaired", async () => {
    person = await example.user("+15550105");
    const { page } = person;
    await example.connect(person, MERRIBAZAAR, "user_bad");
    await page.getByText("refused").first().waitFor();
    await look("failed");
    await open("/");
    await page.getByRole("button", { name: "Sync all" }).click();
    await page.getByText("There is no retailer to sync").waitFor();
    await page.getByRole("link", { name: "Merribazaar" }).click();
    await page.getByText("invalid").waitFor();
    await look("connection");
    await open(`/connect/${MERRIBAZAAR}`);
    await credentials(page, "user_good");
    await heading("Repair Merribazaar").waitFor();
    await page.getByLabel("Username").fill("user_good");
    await page.getByLabel("Password").fill("pass_good");
    await page.getByRole("button", { name: "Repair" }).click();
    await heading("The sync has ended").waitFor();
    await page.getByText("done").waitFor();
  });

  test("orders come in pages, and all of them as the service's own CSV", async () => {
    const phone = "+15550106";
    person = await example.user(phone);
    const { page } = person;
    await open("/orders");
    await page.getByText("There are no orders yet").waitFor();
    await example.connect(person, MERRIBAZAAR, "user_items_2345");
    await open("/orders");
    await page.getByText("2345 line items, page 1 of 47").waitFor();
    await look("orders", { both: true });
    await page.getByRole("link", { name: "Older" }).click();
    await page.getByText("page 2 of 47").waitFor();
    const { text } = await example.asUser(phone, "GET", "/sync/orders?limit=1&offset=50");
    const digits = ["quantity", "price"].map((field) => text.match(new RegExp(`"${field}":([\\d.]+)`, "u"))[1]);
    const cells = await page.getByRole("row").nth(1).getByRole("cell").allInnerTexts();
    assert.deepEqual([cells[3], cells[4].split(" ")[0]], digits, "every digit as the service sent it");
    await open("/orders?page=47");
    assert.equal(await page.getByRole("row").count(), 46);

    const parts = [];
    for (const offset of [0, 1000, 2000]) {
      parts.push((await example.asUser(phone, "GET", `/sync/orders?format=csv&limit=1000&offset=${offset}`)).text);
    }
    const header = parts[0].slice(0, parts[0].indexOf("\n") + 1);
    const whole = parts.map((part, index) => (index === 0 ? part : part.slice(header.length))).join("");
    const answer = await person.context.request.get(`${example.url}/orders.csv`);
    assert.match(answer.headers()["content-disposition"], /attachment/u);
    assert.equal(await answer.text(), whole);
  });

  test("a download that the service breaks off is no complete file", async () => {
    const phone = "+15550107";
    person = await example.user(phone);
    await example.connect(person, MERRIBAZAAR, "user_items_2345");
    await example.fail(phone, { status: 500, count: 9, path: "/sync/orders", afterPage: 1 });
    await assert.rejects(person.context.request.get(`${example.url}/orders.csv`).then((answer) => answer.body()));
    await example.asUser(phone, "DELETE", "/sandbox/fail");
    await example.fail(phone, { status: 500, count: 9, path: "/sync/orders" });
    assert.equal((await person.context.request.get(`${example.url}/orders.csv`)).status(), 502);
  });

  test("an expired access token is renewed, and a revoked one ends the sign-in", async () => {
    const phone = "+15550108";
    person = await example.user(phone);
    await example.asUser(phone, "POST", "/sandbox/clock", { advanceSeconds: 3601 });
    await open("/");
    await heading("Your retailers").waitFor();
    await example.fail(phone, { code: "UNAUTHORIZED", count: 2, path: "/sync/orders" });
    await open("/orders");
    await heading("Your sign-in has ended").waitFor();
    await look("ended");
  });

  test("signing out revokes the tokens", async () => {
    person = await example.user("+15550109");
    const revoked = async () => (await example.service.logged()).filter((line) => /route="\/oauth\/revoke" status=200/u.test(line)).length;
    const before = await revoked();
    await person.page.getByRole("button", { name: "Sign out" }).click();
    await heading("All your purchases in one place").waitFor();
    assert.equal(await revoked(), before + 1);
    await open("/orders");
    assert.equal(person.page.url(), `${example.url}/`);
  });

  test("a form that another site sends is refused", async () => {
    person = await example.user("+15550110");
    for (const path of ["/sign-out", "/sync", "/widget", "/connect/12", "/syncs/x/mfa"]) {
      const answer = await person.context.request.post(example.url + path, { form: { csrf: "made-up" }, maxRedirects: 0 });
      assert.equal(answer.status(), 403, path);
    }
    const { headers } = await fetch(example.url);
    assert.match(headers.get("content-security-policy"), /frame-ancestors 'none'/u);
  });

  test("two users at once see what is theirs", async () => {
    const phones = ["+15550111", "+15550112"];
    const sizes = [7, 9];
    const people = await Promise.all(phones.map((phone) => example.user(phone)));
    [person] = people;
    await Promise.all(people.map((one, index) => example.connect(one, MERRIBAZAAR, `user_items_${sizes[index]}`)));
    await Promise.all(people.map(async ({ page }, index) => {
      await page.goto(`${example.url}/orders`);
      await page.getByText(`${sizes[index]} line items`).waitFor();
    }));
    const theirs = await example.asUser(phones[1], "GET", "/sync/connections");
    await people[0].page.goto(`${example.url}/connections/${theirs.json[0].connectionId}`);
    await heading("There is nothing here", people[0].page).waitFor();
    await people[1].leave();
  });

  test("everything but the frame's messages works without scripts", async () => {
    person = await example.user("+15550113", { javaScriptEnabled: false });
    await example.connect(person, MERRIBAZAAR, "user_good");
    await open("/orders");
    await person.page.getByText("page 1 of").waitFor();
  });
}
