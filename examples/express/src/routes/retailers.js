// Retailers: in the widget, as the back end sees them, and connected in this app's own pages.

import { Router } from "express";

import { config } from "../config.js";
import { asShared, createLink } from "../link.js";
import { orderPage } from "../orders.js";
import { seal } from "../seal.js";
import { ServiceError } from "../service.js";
import { asUser } from "../sign_in.js";
import { start } from "./syncs.js";

export const retailers = Router();

// The widget in a frame. It reports to shared/widget.js.
retailers.get("/widget", async (request, response) => {
  response.render("widget", { service: config.service, linkToken: await createLink(request.session) });
});

// The widget as a page of its own. It leads back to /back.
retailers.post("/widget", async (request, response) => {
  const linkToken = await createLink(request.session, `${config.appUrl}/back`);
  response.redirect(303, `${config.service}/widget?link_token=${linkToken}`);
});

// Back from the widget. What its address says is a hint; what counts is what the service says.
retailers.get("/back", async (request, response) => {
  const share = await (await asShared(request.session, "/v1/users/share")).json();
  if (share.user_id !== request.session.user.id) {
    return response.status(409).render("problem", {
      title: "You used another phone number there",
      text: "Your retailers were opened with another number than the one that you signed in with here. Sign out, and sign in with that number.",
    });
  }
  request.session.notice = `Retailers that you share with this app: ${share.connections.length}.`;
  response.redirect(303, "/");
});

// What the back end reads without the user's token: what is shared, and its newest line items.
retailers.get("/shared", async (request, response) => {
  const read = (path) => asShared(request.session, path);
  const share = await (await read("/v1/users/share")).json();
  response.render("shared", { share, ...(await orderPage(read, 1)) });
});

retailers.get("/connections/:id", async (request, response) => {
  const path = `/sync/connections/${encodeURIComponent(request.params.id)}`;
  response.render("connection", { connection: await (await asUser(request.session, "GET", path)).json() });
});

retailers.get("/connect", async (request, response) => {
  response.render("retailers", { retailers: await catalog(request.session) });
});

retailers.get("/connect/:retailer", async (request, response) => {
  const mode = request.query.fix === undefined ? "CONNECT" : "FIX";
  response.render("credentials", { retailer: await inCatalog(request), mode });
});

retailers.post("/connect/:retailer", async (request, response) => {
  const { retailerId, credentialFields } = await inCatalog(request);
  const fields = Object.fromEntries(credentialFields.map(({ name }) => [name, request.body[`field_${name}`] ?? ""]));
  const { connectionInfo, currentStamp } = await seal(request.session, fields);
  const mode = request.body.mode === "FIX" ? "FIX" : "CONNECT";
  try {
    await start(request, response, "/sync/connections/connect", { retailerId, connectionInfo, currentStamp, mode });
  } catch (error) {
    if (error.code !== "CONNECTION_EXISTS") {
      throw error;
    }
    request.session.notice = "You have connected this retailer. Enter the credentials again to repair the connection.";
    response.redirect(303, `/connect/${retailerId}?fix`);
  }
});

async function catalog(session) {
  return (await asUser(session, "GET", "/sync/retailers")).json();
}

async function inCatalog({ session, params }) {
  const retailer = (await catalog(session)).find(({ retailerId }) => String(retailerId) === params.retailer);
  if (!retailer?.syncConfig.serverSide) {
    throw new ServiceError({ status: 404, code: "NOT_FOUND", message: "There is no such retailer." });
  }
  return retailer;
}
