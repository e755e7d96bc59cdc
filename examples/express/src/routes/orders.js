// The orders of the signed-in user: in pages, and as one CSV file.

import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { Router } from "express";

import { orderPage, ordersCsv } from "../orders.js";
import { asUser } from "../sign_in.js";

export const orders = Router();

orders.get("/orders", async (request, response) => {
  const page = Math.max(1, Math.floor(Number(request.query.page)) || 1);
  response.render("orders", { page, ...(await orderPage((path) => asUser(request.session, "GET", path), page)) });
});

orders.get("/orders.csv", async (request, response) => {
  const pages = ordersCsv((path) => asUser(request.session, "GET", path));
  // The first page comes before the headers: until then, a failure can still be shown as a page.
  const { value: first } = await pages.next();
  response.set({ "Content-Type": "text/csv; charset=utf-8", "Content-Disposition": 'attachment; filename="orders.csv"' });
  // After that, a failure cuts the connection, so that the browser does not take half a file for a whole one.
  await pipeline(Readable.from(beginningWith(first, pages)), response);
});

async function* beginningWith(first, rest) {
  yield first;
  yield* rest;
}
