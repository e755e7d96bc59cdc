// The page of `orders summary --html`, opened as the file that it is.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { binary, Browsers } from "./support.js";

let browsers, home;

before(async () => {
  browsers = await Browsers.start();
  home = mkdtempSync(join(tmpdir(), "ordersync-summary-"));
});
after(async () => {
  await browsers?.stop();
  rmSync(home, { recursive: true, force: true });
});

/** Two currencies, a month without an order, what is undone, what is not known, and names that would be markup. */
function history() {
  const brands = Array.from({ length: 22 }, (_, index) => `Brand ${index}`);
  const items = [];
  for (let index = 0; index < 700; index += 1) {
    const month = index % 26;
    const [year, number] = [2024 + Math.floor(month / 12), (month % 12) + 1];
    items.push({
      id: index, retailerName: ["Marrowby Market", "Merribazaar", "Täglich & Söhne"][index % 3],
      orderDate: `${year}-${String(number).padStart(2, "0")}-11T00:00:00Z`, itemName: "Thing", brandName: brands[(index * index) % 22],
      category: ["Pets", "Stationery", "Food & drink", null][index % 4], quantity: 1 + (index % 3), price: Number(`${(index * 37) % 90}.49`),
      currency: "USD", shipmentStatus: index % 29 === 0 ? "returned" : "delivered",
    });
  }
  const odd = { id: "odd", retailerName: "<img src=x onerror=alert(1)>", brandName: "文房具".repeat(30), category: "x".repeat(120) };
  return [
    ...items.filter((item) => !item.orderDate.startsWith("2024-06")),
    { ...odd, orderDate: "2025-05-05T00:00:00Z", price: 2980, quantity: 2, currency: "JPY" },
    { ...odd, id: "unknown", price: null, quantity: 1, currency: "JPY" },
  ];
}

/** A service that lists these line items, and the page that the command makes of them. */
async function page(items, name, ...more) {
  const server = createServer((request, response) => {
    const query = new URL(request.url, "http://127.0.0.1").searchParams;
    const offset = Number(query.get("offset"));
    response.setHeader("Content-Type", "application/json");
    response.setHeader("X-Total-Count", String(items.length));
    response.end(JSON.stringify(items.slice(offset, offset + Number(query.get("limit")))));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const file = join(home, name);
  const env = {
    PATH: process.env.PATH, TZ: "UTC", ORDERSYNC_HOME: home, ORDERSYNC_TOKEN: "token",
    ORDERSYNC_BASE_URL: `http://127.0.0.1:${server.address().port}`,
  };
  await new Promise((done, failed) => {
    execFile(binary(), ["orders", "summary", "--html", file, ...more], { env }, (error, _out, err) => error ? failed(new Error(err)) : done());
  });
  server.closeAllConnections();
  server.close();
  return file;
}

test("the page of a summary reads well narrow and wide, light and dark, and asks for nothing", async () => {
  const file = await page(history(), "summary.html", "--until", "2027-01-01");
  const person = await browsers.person({ viewport: { width: 1280, height: 2400 } });
  const asked = [];
  person.page.on("request", (request) => asked.push(request.url()));
  await person.page.goto(pathToFileURL(file).href);
  await person.page.getByRole("heading", { level: 1, name: "Order summary" }).waitFor();
  await person.look("summary", { fullPage: true });
  await person.page.getByText("Figures by month in USD").click();
  await person.page.getByRole("cell", { name: "Total" }).or(person.page.getByRole("rowheader", { name: "Total" })).first().waitFor();
  await person.look("summary-figures", { fullPage: true });
  assert.equal(await person.page.getByRole("heading", { level: 2 }).count(), 2, "a section for each currency");
  assert.equal(await person.page.locator("svg.months rect.column").count(), 25 + 1, "a column for each month with an order");
  assert.equal(await person.page.locator("img, script").count(), 0);
  assert.deepEqual(asked, [pathToFileURL(file).href]);
  await person.leave();
});

test("on a phone the months' labels are apart, and each month's amount can be read", async () => {
  const file = await page(history(), "phone.html");
  const person = await browsers.person({ viewport: { width: 360, height: 800 } });
  await person.page.goto(pathToFileURL(file).href);
  const labels = await person.page.locator("svg.months").first().locator("text.label").all();
  const boxes = await Promise.all(labels.map((label) => label.boundingBox()));
  assert.ok(boxes.length > 2 && boxes.every((box, at) => at === 0 || box.x > boxes[at - 1].x + boxes[at - 1].width), JSON.stringify(boxes));
  assert.ok(await person.page.getByRole("rowheader", { name: "2025-03" }).first().isVisible());
  await person.leave();
});

test("a page without a line item says so", async () => {
  const file = await page([], "empty.html");
  const person = await browsers.person();
  await person.page.goto(pathToFileURL(file).href);
  await person.page.getByText("No line items match.").waitFor();
  await person.look("summary-empty");
  await person.leave();
});
