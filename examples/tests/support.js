// What the tests of the examples share: a sandbox with the app's client, and the app, started as its README says.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";

import { binary, Browsers, PASSWORD, SANDBOX_SECRET, Service } from "../../tests/browser/support.js";
import { commands, EXAMPLES, seed } from "./readme.js";

/** A port that nobody uses now. */
async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** An example app beside a sandbox, and browsers to use it with. */
export class Example {
  /** `registered`: by an operator, as at a live service, and not by the seed file. */
  static async start(name, { registered = false } = {}) {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const flags = ["--seed", seed(name)];
    const [service, browsers] = await Promise.all([Service.start({ flags }), Browsers.start()]);
    const client = registered ? register(service, url) : { clientId: "ledgerleaf", clientSecret: SANDBOX_SECRET };
    const example = new Example({ name, url, service, browsers, client });
    await example.run({
      ORDERSYNC_URL: service.base,
      ORDERSYNC_CLIENT_ID: client.clientId,
      ORDERSYNC_CLIENT_SECRET: client.clientSecret,
      APP_URL: url,
      PORT: String(port),
    });
    return example;
  }

  constructor(parts) {
    Object.assign(this, parts, { log: "" });
  }

  /** Runs the last command of the README, and waits until the app answers. */
  async run(environment) {
    const command = commands(this.name).at(-1);
    this.child = spawn("sh", ["-c", command], {
      cwd: join(EXAMPLES, this.name),
      // What is set here takes precedence over the file .env.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...environment },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that everything that the command starts is stopped with it.
      detached: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => {
        this.log += text;
      });
    }
    while (!(await fetch(this.url).then(({ ok }) => ok, () => false))) {
      assert.equal(this.child.exitCode, null, `the app did not start: ${this.log}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }

  async stop() {
    process.kill(-this.child.pid, "SIGTERM");
    await Promise.all([this.service.stop(), this.browsers.stop()]);
  }

  /** A browser of somebody who has signed in to the app with this phone number. */
  async user(phone, options) {
    const person = await this.browsers.person(options);
    await person.page.goto(this.url);
    await person.page.getByRole("link", { name: "Sign in" }).click();
    await signIn(person.page, phone);
    await person.page.getByRole("button", { name: "Allow", exact: true }).click();
    await person.page.getByText(`ends in ${phone.slice(-4)}`).waitFor();
    return person;
  }

  /** Connects a retailer in the app's own pages, and waits for the end of the sync. */
  async connect({ page }, retailerId, username) {
    await page.goto(`${this.url}/connect/${retailerId}`);
    await credentials(page, username);
    await page.getByRole("heading", { name: "The sync has ended" }).waitFor();
  }

  /** A request at the service as this user, through the app's client. */
  async asUser(phone, method, path, body) {
    const token = await this.service.token(phone, this.client.clientId);
    return this.service.call(method, path, { token, body });
  }

  /** The next requests of the user fail. */
  async fail(phone, failure) {
    const answer = await this.asUser(phone, "POST", "/sandbox/fail", failure);
    assert.equal(answer.status, 200, answer.text);
  }
}

/** The app's client, as an operator registers it. */
function register(service, url) {
  const flags = ["admin", "clients", "create", "--database", join(service.home, "serve.sqlite3"), "--name", "Ledgerleaf", "-o", "json"];
  const places = ["--redirect-uri", `${url}/callback`, "--return-url", `${url}/back`, "--frame-ancestor", url];
  const environment = { PATH: process.env.PATH, HOME: service.home, ORDERSYNC_HOME: service.home };
  return JSON.parse(execFileSync(binary(), [...flags, ...places], { env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
}

/** Signs in at a page of the service, or in a frame. */
export async function signIn(page, phone) {
  await page.getByLabel("Phone number").fill(phone);
  await page.getByRole("button", { name: "Send one-time password" }).click();
  await page.getByLabel("One-time password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** Fills in the app's form for credentials. */
export async function credentials(page, username) {
  await page.getByLabel(/Username|Email/u).fill(username);
  await page.getByLabel("Password").fill("pass_good");
  await page.getByRole("button", { name: "Connect", exact: true }).click();
}
