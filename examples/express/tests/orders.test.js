// The app's parts against a real service.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import { startSandbox } from "./sandbox.js";

const sandbox = await startSandbox();
after(() => sandbox.stop());
Object.assign(process.env, {
  ORDERSYNC_URL: sandbox.base,
  ORDERSYNC_CLIENT_ID: "sandbox",
  ORDERSYNC_CLIENT_SECRET: "unused",
  APP_URL: "http://127.0.0.1:3000",
});
const { orderPage, ordersCsv } = await import("../src/orders.js");
const { seal } = await import("../src/seal.js");
const { asUser } = await import("../src/sign_in.js");

/** A signed-in user with a connected retailer. Every test has a phone number of its own, so that tests can run in parallel. */
async function connected(phone, username) {
  const session = { tokens: { accessToken: await sandbox.token(phone), expiresAt: Infinity } };
  const body = { retailerId: 12, mode: "CONNECT", ...(await seal(session, { username, password: "pass_good" })) };
  const { batchId } = await (await asUser(session, "POST", "/sync/connections/connect", { body })).json();
  while ((await (await asUser(session, "GET", `/sync/sessions/${batchId}`)).json()).status === "syncing") {
    await sleep(100);
  }
  return (path) => asUser(session, "GET", path);
}

test("amounts keep every digit", async () => {
  const read = await connected("+15550142", "user_good");
  const { items, total } = await orderPage(read, 1);
  assert.equal(items.length, Math.min(50, total));
  const sent = await (await read("/sync/orders")).text();
  assert.deepEqual(items.map(({ price }) => price), [...sent.matchAll(/"price":([\d.]+)/gu)].map(([, digits]) => digits));
});

test("a CSV of several pages has one header row and every line item", async () => {
  const read = await connected("+15550143", "user_items_1001");
  let text = "";
  for await (const part of ordersCsv(read)) {
    text += part;
  }
  assert.equal(text.split("\n").filter((line) => line.startsWith("Retailer,")).length, 1);
  assert.equal(text.split("\n").filter((line) => line.startsWith("Merribazaar,")).length, 1001);
});
