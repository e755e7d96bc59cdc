// The user's orders: found, filtered and shown, with keyboard alone, narrow and wide; and nothing that a title says does anything.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, beforeEach, test } from "node:test";

import { Browsers, Service } from "./support.js";

const CLIENT = "ordersync-cli";
const HOSTILE = ["<img src=x onerror=alert(1)>", "\u202eesrever \u2066", "x".repeat(2_000), "\"'`=/ &amp; {{7*7}}"];

let service, browsers, person;

before(async () => {
  [service, browsers] = await Promise.all([Service.start(), Browsers.start()]);
});
after(async () => {
  await Promise.all([service?.stop(), browsers?.stop()]);
});
beforeEach(async () => {
  person = await browsers.person({ viewport: { width: 360, height: 740 } });
});
afterEach(() => person.leave());

/** Imports orders for a user, as the command line does. */
async function imported(phone, retailerName, orders) {
  const token = await service.token(phone, CLIENT);
  for (let start = 0; start < orders.length; start += 1_000) {
    const body = { retailerName, source: "test-file", orders: orders.slice(start, start + 1_000) };
    const answer = await service.call("POST", "/sync/imports", { token, body });
    assert.equal(answer.status, 200, answer.text);
  }
}

function order(number, titles, changes = {}) {
  const items = titles.map((itemName, index) => (
    { retailerSku: `S-${number}-${index}`, itemName, quantity: 1, price: 5, lineTotal: 5, category: index % 2 ? "Tea" : "Tools" }));
  const date = new Date(Date.UTC(2024, 0, 1) + number * 3_600_000).toISOString();
  return { orderId: `N-${number}`, orderDate: date, orderTotal: 5 * titles.length, currency: "EUR", items, ...changes };
}

test("a page without orders says so", async () => {
  const { page } = person;
  await page.goto(`${service.base}/account/orders`);
  await person.signIn("+15550140");
  await page.getByText("You have no orders here yet").waitFor();
  await person.look("orders-none", { fullPage: true });
});

test("hostile titles are text", async () => {
  const { page } = person;
  const adjustments = [{ type: "shipping", amount: 0, currency: "EUR", text: HOSTILE[0] }];
  await imported("+15550141", HOSTILE[0], [order(1, HOSTILE, { adjustments }), order(2, ["x"], { orderId: "o".repeat(256) })]);
  await page.goto(`${service.base}/account/orders`);
  await person.signIn("+15550141");
  await page.getByText(HOSTILE[0]).first().waitFor();
  await person.look("orders-hostile", { fullPage: true });
  await page.getByRole("link", { name: "Order N-1" }).click();
  await page.getByRole("heading", { name: "Order N-1" }).waitFor();
  await page.getByRole("heading", { name: HOSTILE[0] }).waitFor();
  await person.look("order-hostile", { fullPage: true });
});

test("10,000 orders are searched, filtered and read with the keyboard alone", async () => {
  const { page } = person;
  const orders = Array.from({ length: 10_000 }, (_, number) => order(number, ["Teapot", "Sieve", "Cup", `Tin ${number}`]));
  await imported("+15550142", "tea.example", orders);
  await imported("+15550142", "lamps.example", [order(1, ["Lamp"], { currency: "USD", orderTotal: 5 })]);
  await page.goto(`${service.base}/account/orders`);
  await person.signIn("+15550142");
  await page.getByRole("heading", { name: "The newest 50 orders" }).waitFor();
  assert.equal(await page.getByRole("listitem").filter({ has: page.getByRole("link", { name: /^Order/u }) }).count(), 50);
  await person.look("orders", { fullPage: true });

  // From the top of the page: skip link, navigation, search, button, filters.
  const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent.trim());
  await page.evaluate(() => document.activeElement.blur());
  const order_of_focus = [];
  for (let step = 0; step < 7; step += 1) {
    await page.keyboard.press("Tab");
    order_of_focus.push(await focused());
  }
  assert.deepEqual(order_of_focus, ["Skip to the content", "Orders", "Charts", "Account", "q", "Search", "Filters"]);
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.type("TIN 4711");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "1 order matches" }).waitFor();
  await page.getByText("Tin 4711").waitFor();

  await page.getByRole("link", { name: "Remove all filters" }).click();
  await page.getByText("Filters", { exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByLabel("First day").fill("2024-01-02");
  await page.getByLabel("Last day").fill("2024-01-03");
  await page.getByLabel("Largest total").fill("20,00");
  await page.keyboard.press("Enter");
  const wrong = page.getByRole("alert");
  await wrong.waitFor();
  assert.equal(await page.getByLabel("Largest total").getAttribute("aria-invalid"), "true");
  await person.look("orders-wrong", { fullPage: true });
  await page.getByLabel("Largest total").fill("20.00");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "48 orders that match" }).waitFor();

  await page.goto(`${service.base}/account/orders`);
  await page.getByRole("link", { name: "Older orders" }).click();
  await page.getByRole("heading", { name: "The next 50 orders" }).waitFor();
  await page.getByRole("link", { name: "Order N-9949", exact: true }).click();
  await page.getByRole("heading", { name: "Order N-9949" }).waitFor();
  await page.getByText("20.00 EUR").waitFor();
  await page.getByText("Files that you imported: test-file.").first().waitFor();
  await person.look("order", { fullPage: true });

  await page.getByRole("link", { name: "Charts" }).click();
  await page.getByRole("heading", { name: "What you spent in 2025 and 2024" }).waitFor();
  const months = page.getByRole("table", { name: "By month, in EUR" });
  assert.equal(await months.getByRole("row").count(), 14);
  await page.getByRole("table", { name: "By category, in USD" }).waitFor();
  await person.look("charts", { fullPage: true });
  await page.getByLabel("Retailer").selectOption("lamps.example");
  await page.getByRole("button", { name: "Show" }).click();
  await months.waitFor({ state: "detached" });
  await page.getByRole("table", { name: "By month, in USD" }).waitFor();

  await page.goto(`${service.base}/account/orders?q=tin+4711`);
  const [download] = await Promise.all([
    page.waitForEvent("download"), page.getByRole("link", { name: "Download the lines that match (CSV)" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8").trimEnd().split("\n");
  assert.equal(lines.length, 2);
  assert.match(lines[1], /^tea\.example,N-4711,/u);
});
