// The widget: puts the list, the dialog and the follower together.

import { Api } from "./api.js";
import { h } from "./dom.js";
import { Flow } from "./flow.js";
import { Follower, isFinal } from "./follow.js";
import { failed, List } from "./list.js";
import { News } from "./news.js";

const seen = new Set();
// Counts what makes an answer that is still under way too old to be shown.
let changes = 0;
const root = document.getElementById("widget");
const page = { ...root.dataset };
const api = new Api(page);
const follower = new Follower(api, { progress, failed: lost });
const news = new News();
const flow = new Flow(page, api, follower, refresh, (batchId) => news.started(batchId, true));
const list = new List(root, page.client, api, {
  add: () => flow.add(new Set(list.connections().map(({ retailerId }) => retailerId))),
  fix: (connection) => flow.fix(connection),
  open: (connection) => flow.follow(connection, connection.lastBatchId),
  sync: startSync,
  remove: (connection) => flow.remove(connection),
  fail: showProblem,
  changing: () => {
    changes += 1;
  },
  changed: refresh,
});

// A link token never stays in the address, whatever brought it there.
if (location.search) {
  history.replaceState(null, "", location.pathname);
}

root.replaceChildren(h("p", { class: "loading" }, "Loading your retailers…"));
await refresh();

function progress(part, session) {
  list.progress(part, session);
  news.progress(part, session, list.connections().find(({ connectionId }) => connectionId === part.connectionId));
  flow.progress(part, session);
  if (isFinal(part.syncStatus)) {
    refresh();
  }
}

/** The follower has no answer about a session. */
function lost(batchId, problem, isOver) {
  flow.lost(batchId, problem, isOver);
  if (isOver) {
    refresh();
  }
}

/** Fetches the list again, and follows what runs. */
async function refresh() {
  changes += 1;
  const mine = changes;
  try {
    const connections = await api.connections();
    if (mine !== changes) {
      // Asked for before something changed: the code that changed it asks again.
      return;
    }
    list.show(connections);
    news.listed(connections);
    for (const connection of connections) {
      if (connection.shared && connection.lastBatchId && runs(connection)) {
        follower.follow(connection.lastBatchId);
      }
    }
  } catch (problem) {
    failed(root, problem, refresh);
  }
}

/** Whether a sync of the connection may be running. Only the session can tell, which is asked once. */
function runs(connection) {
  const isNew = !seen.has(connection.lastBatchId);
  seen.add(connection.lastBatchId);
  return isNew || (connection.status === "pending" && !list.hasEnded(connection.connectionId));
}

async function startSync(connection) {
  try {
    const started = await api.sync(connection.connectionId);
    news.started(started.batchId, connection.status !== "valid");
    flow.follow(connection, started.batchId);
    refresh();
  } catch (problem) {
    if (problem.code === "SYNC_IN_PROGRESS") {
      flow.follow(connection, problem.details.batchId);
    } else {
      showProblem(problem);
    }
  }
}

function showProblem(problem) {
  document.getElementById("problem")?.remove();
  const box = h("div", { id: "problem" });
  root.prepend(box);
  failed(box, problem, undefined);
}
