// What the tests share: a service of their own on a fresh store, and a browser that fails a test on what a page does wrong.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCREENSHOTS = join(ROOT, "target", "screenshots");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The secret of every client that a sandbox makes. */
export const SANDBOX_SECRET = "ordersync_sandbox_cs_every_client_of_a_sandbox_has_this_one";
export const PASSWORD = "424242";

const WIDTHS = { narrow: { width: 320, height: 720 }, wide: { width: 1280, height: 860 } };
const FLAGS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

/** The binary under test. */
export function binary() {
  return process.env.ORDERSYNC_BIN ?? join(ROOT, "target", "debug", "ordersync");
}

/** A sandbox on a port of the system's choosing. */
export class Service {
  static async start({ rateLimit = "off", flags: more = [] } = {}) {
    const home = mkdtempSync(join(tmpdir(), "ordersync-browser-"));
    const flags = ["serve", "--sandbox", "--listen", "127.0.0.1:0", "--rate-limit", rateLimit, "--speed", "4", ...more];
    const child = spawn(binary(), [...flags, "--database", join(home, "serve.sqlite3")], {
      env: { PATH: process.env.PATH, HOME: home, ORDERSYNC_HOME: home },
      stdio: ["ignore", "ignore", "pipe"],
    });
    const service = new Service(child, home);
    const base = new Promise((found, failed) => {
      createInterface({ input: child.stderr }).on("line", (line) => {
        service.log.push(line);
        const address = /listening on (http:\/\/\S+)/u.exec(line);
        if (address) {
          found(address[1]);
        }
      });
      child.on("exit", () => failed(new Error(`the service did not start: ${service.log.join("\n")}`)));
    });
    service.base = await base;
    return service;
  }

  constructor(child, home) {
    this.child = child;
    this.home = home;
    this.log = [];
  }

  async stop() {
    const ended = new Promise((done) => this.child.on("exit", done));
    this.child.kill("SIGTERM");
    await ended;
    rmSync(this.home, { recursive: true, force: true });
  }

  /** A request as a program makes it. */
  async call(method, path, { token, body, form, headers } = {}) {
    const response = await fetch(this.base + path, {
      method,
      redirect: "manual",
      headers: {
        ...(token && { Authorization: `Bearer ${token}` }),
        ...(body && { "Content-Type": "application/json" }),
        ...headers,
      },
      body: form ? new URLSearchParams(form) : body && JSON.stringify(body),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json");
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : null };
  }

  /** The lines of the log so far. They come through a pipe: a line for a request of now stands behind all earlier ones. */
  async logged() {
    const id = (await this.call("GET", "/healthz")).headers.get("x-request-id");
    while (!this.log.some((line) => line.includes(id))) {
      await new Promise((done) => setTimeout(done, 20));
    }
    return this.log;
  }

  /** Stops a user's time: a sync that waits between pages goes on no more, until what this returns is called. */
  async stopTime(phone, clientId) {
    const token = await this.token(phone, clientId);
    const change = async (body) => {
      const answer = await this.call("POST", "/sandbox/clock", { token, body });
      assert.equal(answer.status, 200, answer.text);
      return Date.parse(answer.json.now);
    };
    await change({ freeze: true });
    return async () => {
      const now = Date.now();
      const behind = now - await change({ freeze: false });
      await change({ advanceSeconds: Math.max(0, Math.floor(behind / 1000)) });
    };
  }

  /** A client's token for a user. */
  async token(phone, clientId) {
    const answer = await this.call("POST", "/sandbox/token", { body: { phone, client_id: clientId } });
    assert.equal(answer.status, 200, answer.text);
    return answer.json.access_token;
  }

  /** A link token of a client's back end. */
  async linkToken(clientId, externalUserId) {
    const token = await this.token("+15550199", clientId);
    const headers = { "X-Client-Secret": SANDBOX_SECRET };
    const answer = await this.call("POST", "/v1/link/token", { token, headers, body: { external_user_id: externalUserId } });
    assert.equal(answer.status, 201, answer.text);
    return answer.json.link_token;
  }

  /** A client that the operator creates: its id and its secret. */
  client(name, more = []) {
    const create = ["admin", "clients", "create", "--name", name, "--database", join(this.home, "serve.sqlite3"), "-o", "json"];
    const created = execFileSync(binary(), [...create, ...more], {
      env: { PATH: process.env.PATH, HOME: this.home, ORDERSYNC_HOME: this.home }, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"],
    });
    const { clientId, clientSecret } = JSON.parse(created);
    return { id: clientId, secret: clientSecret };
  }

  /** Such a client's own token. */
  async ownToken({ id, secret }) {
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
    const own = await this.call("POST", "/oauth/token", { form: { grant_type: "client_credentials" }, headers: { Authorization: basic } });
    assert.equal(own.status, 200, own.text);
    return own.json.access_token;
  }

  /** The orders that such a client's back end reads of the user behind a link token. */
  async ordersOf(client, linkToken) {
    const headers = { "X-Client-Secret": client.secret, "X-Link-Token": linkToken };
    const answer = await this.call("GET", "/sync/orders?limit=1000", { token: await this.ownToken(client), headers });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  /** A link token of such a client, which asks for it with its own token. */
  async linkTokenOf(client, externalUserId, returnUrl) {
    const body = { external_user_id: externalUserId, ...(returnUrl && { return_url: returnUrl }) };
    const headers = { "X-Client-Secret": client.secret };
    const answer = await this.call("POST", "/v1/link/token", { token: await this.ownToken(client), headers, body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json.link_token;
  }

  /** As if half an hour had passed since the links were made. */
  expireLinks() {
    const store = join(this.home, "serve.sqlite3");
    execFileSync("python3", ["-c", "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], timeout=60); " +
      "c.execute('UPDATE link_tokens SET expires_at = 1'); c.commit()", store]);
  }

  /** What the client's back end reads of the user. */
  async share(clientId, linkToken) {
    const token = await this.token("+15550199", clientId);
    return this.call("GET", "/v1/users/share", {
      token, headers: { "X-Client-Secret": SANDBOX_SECRET, "X-Link-Token": linkToken },
    });
  }
}

/** Somebody's app, waiting on a loopback port for the browser to come back. */
export class Loopback {
  static async listen() {
    const loopback = new Loopback();
    loopback.came = new Promise((done) => {
      loopback.server = createServer((request, response) => {
        response.setHeader("Content-Type", "text/html");
        response.end("<!doctype html><html lang=en><title>Back</title><h1>Back in the app</h1>");
        if (request.url.startsWith("/callback")) {
          done(new URL(request.url, "http://127.0.0.1").searchParams);
        }
      });
    });
    await new Promise((done) => loopback.server.listen(0, "127.0.0.1", done));
    loopback.redirectUri = `http://127.0.0.1:${loopback.server.address().port}/callback`;
    return loopback;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** An app's page that holds the widget in a frame, and keeps the messages that it gets. */
export class Host {
  static async listen() {
    const host = new Host();
    host.server = createServer((request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(`<!doctype html><html lang=en><title>App</title><h1>App</h1>
        <script>globalThis.heard = []; addEventListener("message", ({ origin, data }) => heard.push({ origin, data }));</script>
        ${request.url === "/" ? `<iframe title="Widget" width=900 height=700 src="${host.link}"></iframe>` : ""}`);
    });
    await new Promise((done) => host.server.listen(0, "127.0.0.1", done));
    host.port = host.server.address().port;
    return host;
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** A browser; each person in it has a profile of their own. */
export class Browsers {
  static async start() {
    mkdirSync(SCREENSHOTS, { recursive: true });
    const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
    return new Browsers(await chromium.launch({ executablePath, args: FLAGS }));
  }

  constructor(browser) {
    this.browser = browser;
  }

  stop() {
    return this.browser.close();
  }

  /** A person with nothing remembered. */
  async person(options = {}) {
    const context = await this.browser.newContext({ viewport: WIDTHS.wide, reducedMotion: "reduce", ...options });
    // Generous: the machine may be busy, and what never comes is found all the same.
    context.setDefaultTimeout(90_000);
    const page = await context.newPage();
    const wrongs = [];
    page.on("console", (message) => {
      // A field that was filled in before the page could focus it is no fault.
      if (/content security policy|refused to|(?<!Autofocus processing )was blocked/iu.test(message.text())) {
        wrongs.push(message.text());
      }
    });
    page.on("pageerror", (error) => wrongs.push(String(error)));
    return new Person(context, page, wrongs);
  }
}

/** What a stock client sends to the authorization page, and what it needs afterwards. */
export function authorization(service, redirectUri, changes = {}) {
  const verifier = randomBytes(32).toString("base64url");
  const parameters = {
    response_type: "code", client_id: "ordersync-cli", redirect_uri: redirectUri, state: randomBytes(8).toString("hex"),
    scope: "accounts:read orders:read profile:read", code_challenge_method: "S256",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    ...changes,
  };
  return { url: `${service.base}/oauth/authorize?${new URLSearchParams(parameters)}`, verifier, ...parameters };
}

/** Somebody at a browser. */
export class Person {
  constructor(context, page, wrongs) {
    Object.assign(this, { context, page, wrongs });
  }

  async leave() {
    const { wrongs } = this;
    await this.context.close();
    assert.deepEqual(wrongs, [], "no page did anything that its policy forbids, or failed in its script");
  }

  async signIn(phone, password = PASSWORD) {
    const { page } = this;
    await page.getByLabel("Phone number").fill(phone);
    await page.getByRole("button", { name: "Send one-time password" }).click();
    await page.getByLabel("One-time password").fill(password);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
  }

  /** Takes pictures of the page as it is, narrow and wide, light and dark, and has it judged for accessibility. */
  async look(name, { fullPage = false } = {}) {
    const { page } = this;
    const before = page.viewportSize();
    for (const colorScheme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      for (const [width, size] of Object.entries(WIDTHS)) {
        await page.setViewportSize(size);
        await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`), fullPage });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide at ${size.width}`);
        await this.judge(`${name}, ${width}, ${colorScheme}`);
      }
    }
    await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
    await page.setViewportSize(before);
  }

  async judge(what) {
    await this.page.evaluate(AXE);
    const result = await this.page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
    const violations = result.violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" | ")}`);
    assert.deepEqual(violations, [], what);
  }
}
