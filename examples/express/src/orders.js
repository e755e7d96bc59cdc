// Orders: a page for people, and everything as CSV.

import { parse } from "lossless-json";

import { ServiceError } from "./service.js";

export const PAGE = 50;
const CSV_PAGE = 1000;

/** A page of line items. Numbers are text, with every digit: `read` is asUser or asShared, for one session. */
export async function orderPage(read, page) {
  const response = await read(`/sync/orders?limit=${PAGE}&offset=${(page - 1) * PAGE}`);
  const items = parse(await response.text(), undefined, { parseNumber: (digits) => digits });
  const total = Number(response.headers.get("x-total-count"));
  return { items, total, pages: Math.max(1, Math.ceil(total / PAGE)) };
}

/** All line items as CSV, page by page. Fails if the list changes meanwhile: rows would be missing or doubled. */
export async function* ordersCsv(read) {
  let version, total;
  for (let offset = 0; offset === 0 || offset < total; offset += CSV_PAGE) {
    const response = await read(`/sync/orders?format=csv&limit=${CSV_PAGE}&offset=${offset}`);
    total = Number(response.headers.get("x-total-count"));
    version ??= response.headers.get("x-list-version");
    if (response.headers.get("x-list-version") !== version) {
      throw new ServiceError({ message: "The orders changed during the download. Start it again." });
    }
    const text = await response.text();
    // Every page has the header row; it has no line break within.
    yield offset === 0 ? text : text.slice(text.indexOf("\n") + 1);
  }
}
