// Takes screenshots of the widget and of the HTML summary in Chromium: docs/picture/widget.png and summary.png. The pages
// come from the built binary and its simulated retailers. Run it with `run.sh`.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { binary, Browsers, Service } from "../../tests/browser/support.js";

// The README shows each in half of its width. In pages of this width, the text stays large enough to read.
const WIDTH = 560;
const SHARP = 2;
/** Retailers that have their prices in USD. */
const RETAILERS = [1, 2, 6, 8, 12];

function target(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** Writes the HTML summary of all these retailers. */
function summaryPage(home) {
  const env = { PATH: process.env.PATH, HOME: home, ORDERSYNC_HOME: home, TZ: "UTC", ORDERSYNC_SANDBOX_SPEED: "1000" };
  const run = (...words) => execFileSync(binary(), words, { cwd: home, env, stdio: ["ignore", "ignore", "pipe"] });
  writeFileSync(join(home, "credentials.json"), '{"username": "user_good", "password": "pass_good"}', { mode: 0o600 });
  for (const retailer of RETAILERS) {
    run("connect", "--retailer", String(retailer), "--credentials-file", "credentials.json", "--no-input");
  }
  run("orders", "summary", "--html", "summary.html");
  return join(home, "summary.html");
}

/** Takes the screenshot of the summary, down to the end of its first card. Returns the height. */
async function takeSummary(browsers, file) {
  const person = await browsers.person({ viewport: { width: WIDTH, height: 1200 }, deviceScaleFactor: SHARP });
  await person.page.goto(pathToFileURL(file).href);
  const card = await person.page.getByRole("heading", { name: "By month" }).locator("xpath=..").boundingBox();
  const height = Math.ceil(card.y + card.height) + 18 - 10;
  await person.page.screenshot({ path: target("summary.png"), fullPage: true, clip: { x: 0, y: 10, width: WIDTH, height } });
  await person.leave();
  return height;
}

/** Takes the screenshot of the widget, below the banner of the sandbox. One retailer is connected, the other needs a code. */
async function takeWidget(browsers, service, height) {
  const person = await browsers.person({ viewport: { width: WIDTH, height: 1200 }, deviceScaleFactor: SHARP });
  const { page } = person;
  await page.goto(`${service.base}/widget?link_token=${await service.linkToken("Ledgerleaf", "customer-1")}`);
  await person.signIn("+15550142");
  const connect = async (name, username) => {
    await page.getByRole("button", { name: "Connect a retailer" }).click();
    await page.getByLabel("Find your retailer").fill(name);
    await page.getByRole("dialog").getByRole("button", { name }).click();
    await page.locator("#credential-username").fill(username);
    await page.locator("#credential-password").fill("pass_good");
    await page.locator("dialog button[type=submit]").click();
  };
  await connect("Merribazaar", "user_good");
  await page.getByRole("heading", { name: "Merribazaar is connected" }).waitFor();
  await page.getByRole("button", { name: "Done" }).click();
  await connect("Tidewick Home", "user_mfa_enter");
  await page.getByLabel("Enter the code").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByText("Needs your verification").waitFor();
  // No button has the focus or the mouse pointer.
  await page.mouse.move(1, 1);
  await page.evaluate(() => document.activeElement?.blur());
  const banner = await page.getByLabel("Sandbox", { exact: true }).boundingBox();
  const y = Math.ceil(banner.y + banner.height);
  await page.screenshot({ path: target("widget.png"), clip: { x: 0, y, width: WIDTH, height } });
  await person.leave();
}

const home = mkdtempSync(join(tmpdir(), "ordersync-picture-"));
const [service, browsers] = await Promise.all([Service.start(), Browsers.start()]);
try {
  await takeWidget(browsers, service, await takeSummary(browsers, summaryPage(home)));
} finally {
  await Promise.all([service.stop(), browsers.stop()]);
  rmSync(home, { recursive: true, force: true });
}
