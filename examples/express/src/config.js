// The app's settings, all from the environment. Nothing else reads it.

import { randomBytes } from "node:crypto";

const missing = [];

function required(name) {
  const value = process.env[name];
  if (!value) {
    missing.push(name);
  }
  return value;
}

export const config = {
  // Without a slash at its end, so that paths can follow it.
  service: required("ORDERSYNC_URL")?.replace(/\/$/u, ""),
  clientId: required("ORDERSYNC_CLIENT_ID"),
  clientSecret: required("ORDERSYNC_CLIENT_SECRET"),
  appUrl: required("APP_URL")?.replace(/\/$/u, ""),
  // Signs the session cookie. Set it if several processes share a store of sessions.
  sessionSecret: process.env.SESSION_SECRET ?? randomBytes(32).toString("hex"),
  port: Number(process.env.PORT ?? 3000),
};

if (missing.length > 0) {
  console.error(`Not set: ${missing.join(", ")}. See .env.example.`);
  process.exit(1);
}

/** What the app asks its users for, when they sign in. */
export const SCOPES = "accounts:read accounts:connect accounts:sync orders:read profile:read";
