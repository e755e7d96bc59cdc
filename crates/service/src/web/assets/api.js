// What the widget asks the service: its own page for a token and for what is shared, and the interface as any client would.

import { tellOfEnd } from "./frame.js";
import { seal } from "./seal.js";

/** A refusal or a failure, with what to tell the user. */
export class Problem extends Error {
  constructor(status, code, message, details, requestId) {
    super(message);
    Object.assign(this, { status, code, details, requestId });
  }

  /** Whether the page has to be opened again. */
  get isEnd() {
    return this.code === "LINK_TOKEN_INVALID";
  }
}

const TRIES = 4;

export class Api {
  #page;
  #token = null;
  #skew = 0;

  /** `page`: the `csrf` field and the `link` that the page was made with. */
  constructor(page) {
    this.#page = page;
  }

  /** The user's time now, in milliseconds: a sandbox may have moved it. */
  now() {
    return Date.now() + this.#skew;
  }

  retailers() {
    return this.#call("GET", "/sync/retailers");
  }

  connections() {
    return this.#own("GET", "/widget/connections");
  }

  share(connectionId, shared) {
    return this.#own("POST", "/widget/share", { connectionId, shared });
  }

  /** Removes a connection for every client. */
  remove(connectionId) {
    return this.#own("POST", "/widget/remove", { connectionId });
  }

  session(batchId) {
    return this.#call("GET", `/sync/sessions/${encodeURIComponent(batchId)}`);
  }

  sync(connectionId) {
    return this.#call("POST", `/sync/connections/${encodeURIComponent(connectionId)}/sync`, {}, crypto.randomUUID());
  }

  /** Connects or fixes a retailer with credentials that leave the browser sealed only. */
  async connect(retailerId, credentials, mode) {
    const totp = await this.#call("GET", "/sync/auth/totp");
    const connectionInfo = await seal(totp.token, totp.currentStamp, credentials);
    const body = { retailerId, connectionInfo, currentStamp: totp.currentStamp, mode };
    return this.#call("POST", "/sync/connections/connect", body, crypto.randomUUID());
  }

  answerMfa(answer) {
    return this.#call("POST", "/sync/mfa", answer, crypto.randomUUID());
  }

  async #call(method, path, body, idempotencyKey) {
    for (let renewed = false; ; renewed = true) {
      if (!this.#token) {
        const issued = await this.#own("POST", "/widget/token", {});
        this.#token = issued.accessToken;
        this.#skew = Date.parse(issued.now) - Date.now();
      }
      const headers = { Authorization: `Bearer ${this.#token}` };
      if (idempotencyKey) {
        headers["Idempotency-Key"] = idempotencyKey;
      }
      try {
        return await send(method, path, headers, body);
      } catch (problem) {
        if (problem.status !== 401 || renewed) {
          throw problem;
        }
        this.#token = null;
      }
    }
  }

  async #own(method, path, body) {
    try {
      return await send(method, path, { "X-Widget-Link": this.#page.link, "X-CSRF-Token": this.#page.csrf }, body);
    } catch (problem) {
      if (problem.isEnd) {
        problem.message = `This page was open for too long. Go back to ${this.#page.client}, and open it again from there.`;
        tellOfEnd();
      }
      throw problem;
    }
  }
}

/** Sends a request; again, where the service asks to wait, or could not be reached. */
async function send(method, path, headers, body) {
  const options = { method, headers: { ...headers, Accept: "application/json" }, cache: "no-store" };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  // What changes something is repeated only where it cannot be done twice.
  const repeatable = method === "GET" || "Idempotency-Key" in headers;
  for (let tried = 1; ; tried += 1) {
    const problem = await attempt(path, options);
    if (!(problem instanceof Problem)) {
      return problem;
    }
    const waits = problem.status === 429 || (repeatable && (problem.status === 0 || problem.status >= 502));
    if (!waits || tried === TRIES) {
      throw problem;
    }
    await sleep(problem.retryAfter ?? 400 * 2 ** tried);
  }
}

/** What the service answers, or the problem. */
async function attempt(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    return new Problem(0, "OFFLINE", "The service cannot be reached. Check your connection.");
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) {
    return answer;
  }
  const message = answer.message ?? "The service did not understand.";
  const requestId = response.headers.get("X-Request-Id");
  const problem = new Problem(response.status, answer.code ?? "UNKNOWN", message, answer.details, requestId);
  const seconds = Number(response.headers.get("Retry-After"));
  problem.retryAfter = seconds > 0 ? seconds * 1000 : undefined;
  return problem;
}

export function sleep(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}
