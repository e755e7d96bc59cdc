// The user's connections: their state, what is shared, and what can be done about each.

import { ago, announce, h, monogram, plural, problemBox } from "./dom.js";
import { inWords, isFinal } from "./follow.js";

export class List {
  #root;
  #client;
  #api;
  #actions;
  #rows = new Map();

  /** `actions`: what the buttons do: `add()`, `fix(connection)`, `open(connection)`, `sync(connection)`, `fail(problem)`;
   * `changing()` and `changed()` are told before and after what is shared changes. */
  constructor(root, client, api, actions) {
    this.#root = root;
    this.#client = client;
    this.#api = api;
    this.#actions = actions;
  }

  /** Shows these connections; the parts of running syncs stay. */
  show(connections) {
    const parts = new Map([...this.#rows].map(([id, row]) => [id, row.part]));
    const focused = document.activeElement?.dataset?.focus;
    this.#rows = new Map(
      connections.map((connection) => {
        const part = parts.get(connection.connectionId);
        const same = part && !isFinal(part.syncStatus);
        return [connection.connectionId, { connection, part: same ? part : undefined, element: h("li", { class: "connection" }) }];
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

  /** Shows how far a running sync is. */
  progress(part) {
    const row = this.#rows.get(part.connectionId);
    if (!row) {
      return;
    }
    const before = row.part;
    row.part = isFinal(part.syncStatus) ? undefined : part;
    if (before?.syncStatus !== part.syncStatus || before?.itemsFound !== part.itemsFound) {
      this.#draw(row);
    }
  }

  connection(connectionId) {
    return this.#rows.get(connectionId)?.connection;
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
      h("div", { class: "actions" }, this.#button(row)),
      this.#sharing(row),
    );
    if (focused) {
      element.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  #state({ connection, part }) {
    const line = (kind, word, more) =>
      h("p", { class: `state ${kind}` }, h("span", { class: "dot" }), h("span", { class: "word" }, word), more && h("span", {}, more));
    if (part?.syncStatus === "userintervention") {
      return line("waiting", "Needs your verification");
    }
    if (part) {
      return line("busy", inWords(part), part.itemsFound > 0 && plural(part.itemsFound, "item"));
    }
    const synced = connection.lastSyncAt ? `Synced ${ago(connection.lastSyncAt, this.#api.now())}` : "Not synced yet";
    switch (connection.status) {
      case "valid":
        return line("valid", "Connected", synced);
      case "invalid":
        return line("invalid", "Needs repair", REASONS[connection.statusReason]);
      default:
        return line("busy", "Connecting");
    }
  }

  #button({ connection, part }) {
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
    if (part || connection.status === "pending") {
      return connection.shared && button("Details", this.#actions.open);
    }
    if (connection.status === "invalid") {
      return button("Repair", this.#actions.fix, true);
    }
    return connection.shared && button("Sync now", this.#actions.sync);
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

/** Shows that the list cannot be had. */
export function failed(root, problem, retry) {
  root.replaceChildren(problemBox(problem, retry));
}

const REASONS = {
  credentials_refused: "Wrong user name or password",
  account_locked: "The retailer has locked the account",
  mfa_failed: "The code was wrong three times",
  mfa_expired: "Nobody answered in time",
  retailer_session_expired: "The retailer ended the sign-in",
};
