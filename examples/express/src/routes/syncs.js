// Syncs: started here, followed whoever started them, and through what a retailer asks for.

import { Router } from "express";

import { asUser } from "../sign_in.js";

const WORDS = {
  queued: "waiting to start",
  connecting: "signing in",
  scanning: "reading orders",
  processing: "sorting",
  completed: "done",
  error: "failed",
  timed_out: "took too long",
  userintervention: "needs your answer",
};

export const syncs = Router();

/** Starts a sync and leads to its page. If one runs already, that is the one to follow. */
export async function start(request, response, path, body) {
  const { batchId, status } = await asUser(request.session, "POST", path, { body })
    .then((answer) => answer.json())
    .catch((error) => {
      if (error.code !== "SYNC_IN_PROGRESS") {
        throw error;
      }
      return error.details;
    });
  if (status === "no_retailers") {
    request.session.notice = "There is no retailer to sync. Connect or repair one first.";
  }
  response.redirect(303, batchId ? `/syncs/${batchId}` : "/");
}

syncs.post("/sync", (request, response) => start(request, response, "/sync/connections/sync"));

syncs.get("/syncs/:id", async (request, response) => {
  const path = `/sync/sessions/${encodeURIComponent(request.params.id)}`;
  const sync = await (await asUser(request.session, "GET", path)).json();
  const parts = sync.retailerSyncSessions.map((part) => ({
    ...part,
    // A status that this app does not know yet is shown as it is.
    words: WORDS[part.syncStatus] ?? part.syncStatus,
    asks: part.syncStatus === "userintervention" ? newestRequest(sync, part) : undefined,
  }));
  // The page comes again by itself, but not under somebody who types a code.
  if (sync.status === "syncing" && !parts.some(({ asks }) => asks)) {
    response.set("Refresh", "2");
  }
  response.render("sync", { sync, parts });
});

/** What a retailer asks for: the newest `mfa` event of its connection. */
function newestRequest({ events }, { connectionId }) {
  const { reqId, mfa } = events.findLast((event) => event.type === "mfa" && event.connectionId === connectionId);
  return { reqId, ...mfa };
}

syncs.post("/syncs/:id/mfa", async (request, response) => {
  const { eventType, reqId, selectedOption, otpValue } = request.body;
  const answer = eventType === "choose" ? { selectedOption } : { otpValue };
  try {
    await asUser(request.session, "POST", "/sync/mfa", { body: { eventType, reqId, ...answer } });
  } catch (error) {
    if (error.code !== "MFA_REQUEST_EXPIRED") {
      throw error;
    }
    request.session.notice = "That request was answered already, or the answer came too late.";
  }
  response.redirect(303, `/syncs/${encodeURIComponent(request.params.id)}`);
});
