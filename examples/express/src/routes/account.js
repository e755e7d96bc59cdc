// The first page, signing in and signing out.

import { Router } from "express";

import { asUser, beginSignIn, endSignIn, revoke } from "../sign_in.js";

export const account = Router();

account.get("/", async (request, response) => {
  if (!request.session.user) {
    return response.render("welcome");
  }
  const connections = await (await asUser(request.session, "GET", "/sync/connections?limit=1000")).json();
  response.render("home", { connections });
});

account.get("/sign-in", async (request, response) => {
  const { url, pending } = await beginSignIn();
  request.session.pending = pending;
  response.redirect(303, url.href);
});

account.get("/callback", async (request, response) => {
  const { pending } = request.session;
  delete request.session.pending;
  const tokens = await endSignIn(request.url, pending);
  // A new session id for a new sign-in, so that nobody can prepare one.
  await new Promise((done, failed) => request.session.regenerate((error) => (error ? failed(error) : done())));
  request.session.tokens = tokens;
  const { userId, phoneLast4 } = await (await asUser(request.session, "GET", "/sync/profile")).json();
  // An app with users of its own takes its own id of the user as `externalId`.
  request.session.user = { id: userId, externalId: `user-${userId}`, phoneLast4 };
  response.redirect(303, "/");
});

account.post("/sign-out", async (request, response) => {
  // If the service is away, the user is signed out here all the same.
  await revoke(request.session).catch((error) => console.error(`not revoked: ${error.message}`));
  await new Promise((done) => request.session.destroy(done));
  response.redirect(303, "/");
});
