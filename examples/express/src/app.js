// The app: what holds for every page, and its routes. Every page works without JavaScript, except for what the widget's
// frame reports (shared/widget.js).

import { fileURLToPath } from "node:url";

import { csrfSync } from "csrf-sync";
import express from "express";
import session from "express-session";

import { config } from "./config.js";
import { problems } from "./problems.js";
import { account } from "./routes/account.js";
import { orders } from "./routes/orders.js";
import { retailers } from "./routes/retailers.js";
import { syncs } from "./routes/syncs.js";
import { ServiceError } from "./service.js";

const inFolder = (path) => fileURLToPath(new URL(path, import.meta.url));
const secure = config.appUrl.startsWith("https:");

export const app = express();
app.disable("x-powered-by");
app.set("view engine", "ejs");
app.set("views", inFolder("../views"));
app.use("/shared", express.static(inFolder("../../shared")));

app.use((request, response, next) => {
  response.set({
    "Cache-Control": "no-store",
    "Content-Security-Policy":
      "default-src 'none'; style-src 'self'; script-src 'self'; base-uri 'none'; frame-ancestors 'none'; " +
      `form-action 'self' ${config.service}; frame-src ${config.service}`,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
  });
  next();
});

// Sessions are in memory, which is enough for one process. Give express-session a store of yours for more than that.
app.use(session({
  name: secure ? "__Host-session" : "express-session",
  secret: config.sessionSecret,
  resave: false,
  saveUninitialized: false,
  proxy: secure,
  cookie: { httpOnly: true, sameSite: "lax", secure, path: "/" },
}));
app.use(express.urlencoded({ extended: false }));

const { csrfSynchronisedProtection, generateToken } = csrfSync({ getTokenFromRequest: ({ body }) => body?.csrf });
app.use((request, response, next) => {
  const { user, notice } = request.session;
  delete request.session.notice;
  Object.assign(response.locals, { user, notice, csrf: user && generateToken(request) });
  next();
});
app.use(csrfSynchronisedProtection);

app.use(account);
// Everything from here on is for somebody who is signed in.
app.use((request, response, next) => (request.session.user ? next() : response.redirect(303, "/")));
app.use(retailers, syncs, orders);

app.use(() => {
  throw new ServiceError({ status: 404, code: "NOT_FOUND", message: "There is nothing here." });
});
app.use(problems);
