// The user's connections: their state, what is shared, and what can be done about each.

import { ago, announce, h, monogram, plural, problemBox } from "./dom.js";
import { inWords, isFinal } from "./follow.js";

export class List {
  #root;
  #client;
  #api;
  #actions;
  #rows = new Map();

  /** `actions`: what the buttons do: `add()`, `fix(connection)`, `open(connection)`, `sync(connection)`,
   * `remove(connection)`, `fail(problem)`; `changing()` and `changed()` are called around a change of what is shared. */
  constructor(root, client, api, actions) {
    this.#root = root;
    this.#client = client;
    this.#api = api;
    this.#actions = actions;
  }

  /** Shows these connections; what is known of their syncs stays. */
  show(connections) {
    const before = this.#rows;
    const focused = document.activeElement?.dataset?.focus;
    this.#rows = new Map(
      connections.map((connection) => {
        // Of one that is not shared, nothing is heard any more.
        const { part, ended } = (connection.shared && before.get(connection.connectionId)) || {};
        const last = ended?.batchId === connection.lastBatchId ? ended : undefined;
        return [connection.connectionId, { connection, part, ended: last, element: h("li", { class: "connection" }) }];
      }),
    );
    this.#root.replaceChildren(...(connections.length === 0 ? [this.#empty()] : this.#full()));
    for (const row of this.#rows.values()) {
      this.#draw(row);
    }
    if (focused) {
      this.#root.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  /** Shows how far a sync is, or how it ended. */
  progress(part, session) {
    const row = this.#rows.get(part.connectionId);
    if (!row) {
      return;
    }
    const before = row.part;
    const ended = isFinal(part.syncStatus);
    row.part = ended ? undefined : part;
    row.ended = ended ? { batchId: session.batchId, part } : undefined;
    if (before?.syncStatus !== part.syncStatus || before?.itemsFound !== part.itemsFound) {
      this.#draw(row);
    }
  }

  /** Whether the connection's last sync is known to have ended. */
  hasEnded(connectionId) {
    return this.#rows.get(connectionId)?.ended !== undefined;
  }

  connections() {
    return [...this.#rows.values()].map((row) => row.connection);
  }

  #empty() {
    return h(
      "section", { class: "empty" },
      h("h2", {}, "No retailers yet"),
      h("p", {}, `Connect a shop you buy from. You choose for each whether ${this.#client} may see your orders there.`),
      this.#addButton(),
    );
  }

  #full() {
    const shared = this.connections().filter((connection) => connection.shared).length;
    const count = `${plural(this.#rows.size, "retailer")}, ${shared} shared`;
    return [
      h("div", { class: "toolbar" }, h("p", { class: "count" }, count), this.#addButton()),
      h("ul", { class: "connections", "aria-label": "Connected retailers" }, [...this.#rows.values()].map((row) => row.element)),
    ];
  }

  #addButton() {
    const add = () => this.#actions.add();
    return h("button", { type: "button", class: "primary", "data-focus": "add", onclick: add }, "Connect a retailer");
  }

  #draw(row) {
    const { connection, element } = row;
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    element.replaceChildren(
      monogram(connection.retailerId, connection.displayName),
      h("div", {}, h("h2", {}, connection.displayName), this.#state(row)),
      h("div", { class: "actions" }, this.#buttons(row)),
      this.#sharing(row),
    );
    if (focused) {
      element.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  #state(row) {
    const { connection, part, ended } = row;
    const line = (kind, word, more) =>
      h("p", { class: `state ${kind}` }, h("span", { class: "dot" }), h("span", { class: "word" }, word), more && h("span", {}, more));
    if (part?.syncStatus === "userintervention") {
      return line("waiting", "Needs your verification");
    }
    if (part) {
      return line("busy", inWords(part), part.itemsFound > 0 && plural(part.itemsFound, "item"));
    }
    const last = connection.lastSyncAt ? `Synced ${ago(connection.lastSyncAt, this.#api.now())}` : "No complete sync yet";
    const synced = connection.completeness.complete ? last : `${last}; orders may be missing`;
    switch (connection.status) {
      case "valid":
        return line("valid", "Connected", synced);
      case "invalid":
        return line("invalid", "Needs repair", REASONS[connection.statusReason]);
      default:
        return isStuck(row) ? line("waiting", "Not connected yet", ended && failure(ended.part)) : line("busy", "Connecting");
    }
  }

  #buttons(row) {
    const { connection, part } = row;
    const { connectionId, displayName } = connection;
    const button = (text, action, primary) =>
      h(
        "button",
        {
          type: "button", class: primary ? "small primary" : "small", "data-focus": `action-${connectionId}`,
          "aria-label": `${text} ${displayName}`, onclick: () => action(connection),
        },
        text,
      );
    if (part?.syncStatus === "userintervention") {
      return button("Continue", this.#actions.open, true);
    }
    if (part || (connection.status === "pending" && !isStuck(row))) {
      return connection.shared && button("Details", this.#actions.open);
    }
    const isValid = connection.status === "valid";
    const isInvalid = connection.status === "invalid";
    return [
      connection.shared && !isInvalid && button("Sync now", this.#actions.sync),
      !isValid && button("Repair", this.#actions.fix, isInvalid),
      button("Remove", this.#actions.remove),
    ];
  }

  #sharing(row) {
    const { connection } = row;
    const id = `share-${connection.connectionId}`;
    const change = async (event) => {
      const control = event.target;
      const wanted = control.checked;
      control.disabled = true;
      this.#actions.changing();
      try {
        await this.#api.share(connection.connectionId, wanted);
        connection.shared = wanted;
        const now = wanted ? "is shared with" : "is not shared any more with";
        announce(`${connection.displayName} ${now} ${this.#client}.`);
        this.show(this.connections());
      } catch (problem) {
        control.checked = !wanted;
        this.#actions.fail(problem);
      }
      control.disabled = false;
      this.#actions.changed();
      this.#root.querySelector(`#${CSS.escape(id)}`)?.focus();
    };
    return h(
      "div", { class: "sharing" },
      h("label", { htmlFor: id }, `Share with ${this.#client}`, h("span", { class: "visually-hidden" }, `: ${connection.displayName}`)),
      h("input", {
        id, type: "checkbox", class: "switch", role: "switch", checked: connection.shared, "data-focus": id, onchange: change,
      }),
    );
  }
}

/** Shows that the list is not available. */
export function failed(root, problem, retry) {
  root.replaceChildren(problemBox(problem, retry));
}

/** A connection whose first sync failed for a passing reason stays pending, though nothing works on it. Only a client that it
 * is shared with can see how the sync went. */
function isStuck({ connection, part, ended }) {
  return connection.status === "pending" && !part && (ended !== undefined || !connection.shared);
}

function failure(part) {
  const message = part.error?.message ?? (part.syncStatus === "timed_out" ? "The retailer took too long to answer" : "");
  return message.replace(/\.$/u, "");
}

const REASONS = {
  credentials_refused: "Wrong user name or password",
  account_locked: "The retailer has locked the account",
  mfa_failed: "The code was wrong three times",
  mfa_expired: "Nobody answered in time",
  retailer_session_expired: "The retailer ended the sign-in",
};
