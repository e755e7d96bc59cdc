// Follows syncs to their end: asks quickly at first and after an answer, then slower, and notifies its listener. A service that
// cannot be reached is asked again until it answers.

import { sleep } from "./api.js";

const WAITS = [400, 600, 900, 1_200, 1_500, 2_000, 2_500, 3_000];
// While the user is asked, only the end of the time to answer is left to notice.
const WAIT_FOR_USER = 5_000;

export class Follower {
  #api;
  #listener;
  #batches = new Map();

  /** `listener.progress(part, session)` is called for each retailer's part of a session that was asked for, and
   * `listener.failed(batchId, problem, isOver)` if there is no answer, or, if it is over, if there will be none. */
  constructor(api, listener) {
    this.#api = api;
    this.#listener = listener;
    addEventListener("online", () => {
      for (const batchId of this.#batches.keys()) {
        this.hurry(batchId);
      }
    });
  }

  /** Follows a session, if nobody does already. */
  follow(batchId) {
    if (!this.#batches.has(batchId)) {
      const batch = { step: 0, hurried: null };
      this.#batches.set(batchId, batch);
      this.#run(batchId, batch);
    }
  }

  /** Something is about to happen in the session. */
  hurry(batchId) {
    const batch = this.#batches.get(batchId);
    if (batch) {
      batch.step = 0;
      batch.hurried?.();
    }
  }

  async #run(batchId, batch) {
    for (;;) {
      try {
        const session = await this.#api.session(batchId);
        for (const part of session.retailerSyncSessions) {
          this.#listener.progress(part, session);
        }
        if (session.status === "normal") {
          break;
        }
        const parts = session.retailerSyncSessions;
        batch.waitsForUser = parts.every((part) => isFinal(part.syncStatus) || part.syncStatus === "userintervention");
      } catch (problem) {
        // The page was open for too long, or the connection is not shared any more.
        const isOver = problem.status >= 400 && problem.status < 500 && problem.status !== 429;
        this.#listener.failed(batchId, problem, isOver);
        if (isOver) {
          break;
        }
      }
      await this.#pause(batch);
    }
    this.#batches.delete(batchId);
  }

  async #pause(batch) {
    const paced = WAITS[Math.min(batch.step, WAITS.length - 1)];
    batch.step += 1;
    const hurried = new Promise((done) => {
      batch.hurried = done;
    });
    await Promise.race([sleep(batch.waitsForUser ? WAIT_FOR_USER : paced), hurried]);
    batch.hurried = null;
    batch.waitsForUser = false;
  }
}

export function isFinal(status) {
  return ["completed", "error", "timed_out"].includes(status);
}

/** The request that a retailer's part waits for an answer to. */
export function openRequest(part, session) {
  if (part.syncStatus !== "userintervention") {
    return undefined;
  }
  return session.events.filter((event) => event.type === "mfa" && event.connectionId === part.connectionId).at(-1);
}

/** What a part does, for a person. */
export function inWords(part) {
  switch (part.syncStatus) {
    case "queued":
      return "Waiting to start";
    case "connecting":
      return "Signing in";
    case "scanning":
      return "Reading orders";
    case "processing":
      return "Finishing";
    case "userintervention":
      return "Needs you";
    case "completed":
      return "Done";
    case "timed_out":
      return "Took too long";
    default:
      return "Failed";
  }
}
