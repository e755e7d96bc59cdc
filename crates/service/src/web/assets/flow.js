// The dialog: from the catalog through the retailer's credentials and the sync, MFA included, to how it ended.

import { catalog, credentialForm } from "./catalog.js";
import { announce, CHECK, CROSS, EXCLAMATION, h, icon, monogram, plural, problemBox } from "./dom.js";
import { inWords, isFinal, openRequest } from "./follow.js";
import { Mfa } from "./mfa.js";

const STEPS = [["connecting", "Sign in at the retailer"], ["scanning", "Read your orders"], ["processing", "Store what is new"]];

const GOES_ON = "You can close this: the sync goes on by itself.";

export class Flow {
  #page;
  #api;
  #follower;
  #changed;
  #started;
  #retailers = null;
  #dialog = h("dialog", { "aria-labelledby": "dialog-title" });
  /** The connection whose sync is shown. */
  #shown = null;
  #mfa = null;
  #answered = null;
  #steps = null;
  /** Whether the dialog says that there is no answer about its sync. */
  #isLost = false;

  /** `page`: what it was made with; `changed()`: the list is to be fetched again; `started(batchId)`: a connection is made or
   * repaired. */
  constructor(page, api, follower, changed, started) {
    this.#page = page;
    this.#api = api;
    this.#follower = follower;
    this.#changed = changed;
    this.#started = started;
    document.body.append(this.#dialog);
    this.#dialog.addEventListener("close", () => this.#forget());
  }

  /** Starts at the catalog. */
  async add(connected) {
    this.#open("Connect a retailer", null, h("p", { class: "loading" }, "Loading the retailers…"));
    try {
      this.#retailers ??= await this.#api.retailers();
      const choose = (retailer) => this.#askForCredentials(retailer, "CONNECT", () => this.add(connected));
      this.#fill("Connect a retailer", null, ...catalog(this.#retailers, connected, choose));
      this.#dialog.querySelector("#search").focus();
    } catch (problem) {
      this.#fill("Connect a retailer", null, problemBox(problem, () => this.add(connected)));
    }
  }

  /** Asks for the credentials of a broken connection again. */
  async fix(connection) {
    this.#open(`Repair ${connection.displayName}`, null, h("p", { class: "loading" }, "One moment…"));
    try {
      this.#retailers ??= await this.#api.retailers();
      const retailer = this.#retailers.find(({ retailerId }) => retailerId === connection.retailerId);
      if (!retailer) {
        const message = "This retailer is not offered here any more. Its orders stay until you remove it.";
        this.#fill(`Repair ${connection.displayName}`, null, problemBox(new Error(message)));
        return;
      }
      this.#askForCredentials(retailer, "FIX", null, connection);
    } catch (problem) {
      this.#fill(`Repair ${connection.displayName}`, null, problemBox(problem, () => this.fix(connection)));
    }
  }

  /** Asks whether to remove a connection, and does. */
  remove(connection) {
    const { connectionId, displayName } = connection;
    const close = () => this.#dialog.close();
    const problems = h("div", {});
    const remove = async (event) => {
      event.target.disabled = true;
      try {
        await this.#api.remove(connectionId);
        this.#dialog.close();
        announce(`${displayName} was removed.`);
      } catch (problem) {
        event.target.disabled = false;
        problems.replaceChildren(problemBox(problem));
      }
    };
    this.#open(
      `Remove ${displayName}?`, connection,
      h("p", {}, `Its orders and its sign-in are deleted, for ${this.#page.client} and for every other app that you share it with.`),
      h("p", {}, "You can connect it again at any time."),
      problems,
      h(
        "div", { class: "buttons" },
        h("button", { type: "button", class: "primary", onclick: remove }, "Remove"),
        h("button", { type: "button", onclick: close }, "Keep"),
      ),
    );
  }

  /** Shows a sync. */
  follow(connection, batchId) {
    this.#open(connection.displayName, connection);
    this.#showSync(connection, batchId);
  }

  /** What the follower tells. */
  progress(part, session) {
    if (!this.#dialog.open || part.connectionId !== this.#shown?.connectionId || session.batchId !== this.#shown.batchId) {
      return;
    }
    if (isFinal(part.syncStatus)) {
      this.#conclude(part);
      return;
    }
    if (this.#isLost) {
      this.#isLost = false;
      this.#say(GOES_ON);
    }
    this.#drawSteps(part);
    const request = openRequest(part, session);
    if (!request) {
      this.#endMfa();
    } else if (request.reqId !== this.#mfa?.reqId && request.reqId !== this.#answered) {
      this.#ask(request, session);
    }
  }

  /** There is no answer about a sync; if it is over, there will be none. */
  lost(batchId, problem, isOver) {
    if (!this.#dialog.open || this.#shown?.batchId !== batchId) {
      return;
    }
    if (!isOver) {
      this.#isLost = true;
      this.#say(problem.message);
      return;
    }
    const shown = this.#shown;
    this.#endMfa();
    this.#shown = null;
    this.#fill(shown.displayName, shown, problemBox(problem));
  }

  #askForCredentials(retailer, mode, back, connection) {
    const isFix = mode === "FIX";
    const { client, hint } = this.#page;
    const submit = async (credentials) => {
      if (isFix && !connection.shared) {
        await this.#api.share(connection.connectionId, true);
      }
      const started = await this.#api.connect(retailer.retailerId, credentials, mode);
      this.#started(started.batchId);
      this.#changed();
      this.#showSync({ ...retailer, connectionId: started.connectionId }, started.batchId);
    };
    const sharing = isFix && connection.shared ? "" : ` The connection is shared with ${client}; you can end that at any time.`;
    const form = credentialForm(retailer, {
      action: isFix ? "Repair connection" : "Connect",
      note: `What you enter is sealed in this browser before it is sent.${sharing}`,
      hint,
      submit,
      back,
    });
    const title = isFix ? `Repair ${retailer.displayName}` : retailer.displayName;
    this.#fill(title, retailer, form);
    this.#say("Enter what you sign in with at this retailer.");
    form.querySelector("input").focus();
  }

  #showSync(connection, batchId) {
    this.#shown = { ...connection, batchId };
    this.#steps = h("ol", { class: "steps" });
    this.#fill(connection.displayName, connection, this.#steps);
    this.#drawSteps({ syncStatus: "queued", itemsFound: 0 });
    this.#isLost = false;
    this.#say(GOES_ON);
    this.#dialog.querySelector("h2").focus();
    this.#follower.follow(batchId);
    this.#follower.hurry(batchId);
  }

  #drawSteps(part) {
    if (part.syncStatus !== "userintervention") {
      const reached = STEPS.findIndex(([status]) => status === part.syncStatus);
      this.#shown.reached = Math.max(reached, this.#shown.reached ?? 0);
    }
    const now = this.#shown.reached ?? 0;
    const waits = part.syncStatus === "userintervention";
    const drawn = `${now} ${waits} ${part.itemsFound}`;
    if (this.#shown.drawn === drawn) {
      return;
    }
    this.#shown.drawn = drawn;
    this.#steps.replaceChildren(
      ...STEPS.map(([status, text], index) => {
        const place = index < now ? "past" : index > now ? "" : waits ? "now waiting" : "now";
        const count = status === "scanning" && part.itemsFound > 0 ? `, ${plural(part.itemsFound, "item")} so far` : "";
        const current = index === now ? "step" : null;
        return h("li", { class: place, "aria-current": current }, h("span", { class: "node" }, icon(CHECK, 14)), h("span", {}, text + count));
      }),
    );
    announce(waits ? `${this.#shown.displayName} asks for a verification.` : `${this.#shown.displayName}: ${inWords(part)}`);
  }

  #ask(request, session) {
    const before = session.events.filter((event) => event.type === "mfa" && event.connectionId === request.connectionId).at(-2);
    this.#endMfa();
    const answer = async (submission) => {
      await this.#api.answerMfa(submission);
      this.#answered = submission.reqId;
      this.#follower.hurry(session.batchId);
    };
    this.#mfa = new Mfa(request, before, answer, () => this.#api.now());
    this.#steps.after(this.#mfa.element);
    this.#mfa.focus();
  }

  #endMfa() {
    this.#mfa?.end();
    this.#mfa?.element.remove();
    this.#mfa = null;
  }

  #conclude(part) {
    const { displayName, connectionId } = this.#shown;
    const failed = part.syncStatus !== "completed";
    this.#endMfa();
    this.#shown = null;
    const close = h("button", { type: "button", class: failed ? "" : "primary", onclick: () => this.#dialog.close() }, "Done");
    const title = failed ? failure(part) : `${displayName} is connected`;
    const text = failed ? remedy(part) : found(part, this.#page.client);
    const again = failed && BROKEN.includes(part.error?.code) && h("button", {
      type: "button", class: "primary",
      onclick: () => this.fix({ connectionId, retailerId: part.retailerId, displayName, shared: true }),
    }, "Try again");
    const outcome = h(
      "div", { class: "outcome" },
      h("span", { class: failed ? "sign failed" : "sign done" }, icon(failed ? EXCLAMATION : CHECK, 24)),
      h("h3", { tabIndex: -1 }, title),
      text && h("p", { class: "lead" }, text),
      failed && part.error && h("p", { class: "fine" }, `Code: ${part.error.code}`),
    );
    this.#fill(displayName, part, outcome, h("div", { class: "buttons" }, again, close));
    announce(`${title}. ${text}`);
    outcome.querySelector("h3").focus();
  }

  #open(title, retailer, ...content) {
    this.#fill(title, retailer, ...content);
    if (!this.#dialog.open) {
      this.#dialog.showModal();
    }
  }

  #fill(title, retailer, ...content) {
    const close = h(
      "button",
      { type: "button", class: "close", "aria-label": "Close", onclick: () => this.#dialog.close() },
      icon(CROSS),
    );
    this.#dialog.replaceChildren(
      h(
        "header", {},
        retailer && monogram(retailer.retailerId, title.replace(/^(Repair|Remove) /u, "")),
        h("div", {}, h("h2", { id: "dialog-title", tabIndex: -1 }, title), h("p", { class: "lead", hidden: true })),
        close,
      ),
      h("div", { class: "body" }, content),
    );
  }

  #say(text) {
    const lead = this.#dialog.querySelector("header .lead");
    lead.textContent = text;
    lead.hidden = false;
  }

  #forget() {
    this.#endMfa();
    this.#shown = null;
    this.#answered = null;
    // What was typed does not stay behind.
    this.#dialog.replaceChildren();
    this.#changed();
  }
}

/** Errors after which the credentials are to be given again. */
const BROKEN = ["credentials_refused", "account_locked", "mfa_failed", "mfa_expired", "retailer_session_expired"];

function failure(part) {
  return (part.error?.message || (part.syncStatus === "timed_out" ? "The retailer took too long to answer." : "It did not work.")).replace(/\.$/u, "");
}

function remedy(part) {
  switch (part.error?.code) {
    case "credentials_refused":
      return "Check the user name and the password, then try again.";
    case "account_locked":
      return "Unlock the account on the retailer’s own site, then try again.";
    case "action_required":
      return "Sign in on the retailer’s own site, do what it asks for, then sync again.";
    case "mfa_failed":
      return "Try again, and enter the newest code.";
    case "mfa_expired":
      return "Try again, and answer within five minutes.";
    case "retailer_session_expired":
      return "Sign in at the retailer again.";
    case "retailer_changed":
    case "egress_refused":
    case "retailer_misconfigured":
      return "There is nothing to do on your side. We have to adapt to this retailer first.";
    default:
      return "Nothing is lost. Sync again in a while.";
  }
}

function found(part, client) {
  if (part.itemsFound === 0) {
    return "There are no orders there yet.";
  }
  const items = plural(part.itemsFound, "item");
  return part.itemsNew === 0 ? `${items}, nothing new.` : `${items} found. ${client} sees them while you share this connection.`;
}
