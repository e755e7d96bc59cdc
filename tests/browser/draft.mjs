import { Service, Browsers } from "./support.js";
const service = await Service.start(); const browsers = await Browsers.start();
const person = await browsers.person(); const page = person.page;
const look = async (n) => { try { await person.look(n); } catch (e) { console.log(n, e.message.slice(0, 1500)); } };
try {
await page.goto(`${service.base}/oauth/authorize?client_id=x`); await look("sign-in");
await page.getByLabel("Phone number").fill("nonsense"); await page.getByRole("button", { name: "Send one-time password" }).click(); await look("sign-in-wrong");
await page.getByLabel("Phone number").fill("+1 555 0101"); await page.getByRole("button", { name: "Send one-time password" }).click(); await look("code");
await page.getByLabel("One-time password").fill("111111"); await page.getByRole("button", { name: "Sign in", exact: true }).click(); await look("code-wrong");
await page.getByLabel("One-time password").fill("424242"); await page.getByRole("button", { name: "Sign in", exact: true }).click(); await look("consent");
await page.goto(`${service.base}/oauth/authorize`); await look("refused-client");
await page.goto(`${service.base}/device`); await look("device");
await page.getByLabel("Code").fill("wdjbmjhx"); await page.getByRole("button", {name: "Continue"}).click(); await look("device-wrong");
await page.getByLabel("Code").fill("wdjbmjht"); await page.getByRole("button", {name: "Continue"}).click(); await look("device-confirm");
await page.getByRole("button", {name: "Allow", exact: true}).click(); await look("device-done");
await page.goto(`${service.base}/nowhere`); await look("not-found");
await page.goto(`${service.base}/widget?link_token=x`); await look("widget-closed");
const link = await service.linkToken("Ledgerleaf", "u-1");
await page.goto(`${service.base}/widget?link_token=${link}`); await look("widget-sign-in");
await person.signIn("+15550101"); await page.getByText("No retailers yet").waitFor(); await look("widget-empty");
await page.getByRole("button", {name: "Connect a retailer"}).click(); await page.getByLabel("Find your retailer").waitFor(); await look("widget-catalog");
await page.getByLabel("Find your retailer").fill("zzz"); await look("widget-catalog-none");
await page.getByLabel("Find your retailer").fill("merri"); await page.getByRole("button", {name: /Merribazaar/}).click(); await look("widget-credentials");
await page.getByLabel("Username").fill("user_mfa_choose"); await page.getByLabel("Password", {exact: true}).fill("pass_good"); await page.getByRole("button", {name: "Connect", exact: true}).click();
await page.getByRole("radio").first().waitFor(); await look("widget-mfa-choose");
await page.getByRole("button", {name: "Continue", exact: true}).click(); await page.getByLabel(/Enter the code/).waitFor(); await page.getByLabel(/Enter the code/).fill("111111"); await page.getByRole("button", {name: "Verify"}).click();
await page.getByText("That code was wrong").waitFor(); await look("widget-mfa-wrong");
await page.getByLabel(/Enter the code/).fill("123456"); await page.getByRole("button", {name: "Verify"}).click();
await page.getByRole("heading", {name: "is connected"}).waitFor(); await look("widget-done");
await page.getByRole("button", {name: "Done"}).click();
for (const [name, user] of [["Threadmoor", "user_bad"], ["Tidewick", "user_slow"], ["Hagenfels", "user_mfa_enter"]]) {
  await page.getByRole("button", {name: "Connect a retailer"}).click(); await page.getByLabel("Find your retailer").fill(name); await page.getByRole("dialog").getByRole("button", {name}).click();
  await page.locator("#credential-username").fill(user); await page.locator("#credential-password").fill("pass_good"); await page.getByRole("button", {name: "Connect", exact: true}).click();
  if (user === "user_bad") { await page.getByRole("heading", {name: "refused"}).waitFor(); await look("widget-failed"); await page.getByRole("button", {name: "Done"}).click(); }
  else if (user === "user_slow") { await page.getByText("items so far").waitFor(); await look("widget-scanning"); await page.getByRole("button", {name: "Close"}).click(); }
  else { await page.getByLabel(/Enter the code/).waitFor(); await page.getByRole("button", {name: "Close"}).click(); }
}
await page.getByText("Needs your verification").waitFor(); await look("widget-list");
const link2 = await service.linkToken("Ledgerleaf", "u-1");
const other = await browsers.person(); await other.page.goto(`${service.base}/widget?link_token=${link2}`); await other.signIn("+15550102");
try { await other.look("already-bound"); } catch (e) { console.log(e.message.slice(0,800)); }
} catch (e) { console.log(e); await page.screenshot({path: "/work/wt/pages/target/screenshots/zz-fail.png"}); }
console.log(person.wrongs);
await browsers.stop(); await service.stop();
