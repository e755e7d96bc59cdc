// What the framing page hears about connections: that one works, or that one needs its user.

import { isFinal, openRequest } from "./follow.js";
import { tell } from "./frame.js";

export class News {
  /** Syncs that were started on this page: whether their success makes a connection work. */
  #started = new Map();
  /** The same for syncs that were seen running. */
  #running = new Map();
  #asked = new Set();
  /** Connections whose sync failed: whether they became invalid, the list tells. */
  #failed = new Map();

  /** A sync was started here. `makes`: it is a connection's first, or its first after a repair. */
  started(batchId, makes) {
    this.#started.set(batchId, makes);
  }

  /** How far a sync is; `connection` as the list knows it. */
  progress(part, session, connection) {
    const { connectionId, retailerId } = part;
    const ids = { connectionId, batchId: session.batchId, retailerId };
    const key = `${session.batchId} ${connectionId}`;
    const makes = this.#started.get(session.batchId) ?? this.#running.get(key);
    if (!isFinal(part.syncStatus)) {
      this.#running.set(key, makes ?? connection?.status !== "valid");
      const request = openRequest(part, session);
      if (request && !this.#asked.has(request.reqId)) {
        this.#asked.add(request.reqId);
        tell("needs_attention", { ...ids, reason: "mfa" });
      }
      return;
    }
    this.#started.delete(session.batchId);
    this.#running.delete(key);
    if (makes === undefined) {
      // It had ended before this page was opened, or was reported already.
      return;
    }
    if (part.syncStatus !== "completed") {
      this.#failed.set(connectionId, ids);
    } else if (makes) {
      tell("connected", ids);
    }
  }

  /** The connections after a change. */
  listed(connections) {
    for (const { connectionId, status } of connections) {
      const ids = this.#failed.get(connectionId);
      this.#failed.delete(connectionId);
      if (ids && status === "invalid") {
        tell("needs_attention", { ...ids, reason: "invalid" });
      }
    }
  }
}
