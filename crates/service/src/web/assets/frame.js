// What this page says to the page that frames it. It goes to the framing page alone, and only if the app registered its origin: the
// browser itself refuses every other frame, and delivers a message to no other origin than the one named here. A message holds
// ids and nothing about a person.

const nav = document.querySelector(".way-back");
const targets = nav && parent !== window ? targetsOf(nav.dataset.framedBy.split(" ").filter(Boolean)) : [];

/** Tells the framing page that something happened. `ids`: of a connection, a session, a retailer. */
export function tell(type, ids = {}) {
  for (const origin of targets) {
    parent.postMessage({ source: "ordersync", type, ...ids }, origin);
  }
}

/** Tells it once that the widget has ended. */
export function tellOfEnd() {
  if (nav && !nav.dataset.told) {
    nav.dataset.told = "yes";
    tell("closed");
  }
}

/** The origin of the framing page where the browser tells it; otherwise all that are registered, of which the browser delivers to
 * the right one. */
function targetsOf(sources) {
  const framing = location.ancestorOrigins?.[0];
  if (framing === undefined) {
    return sources.filter((source) => !source.endsWith(":*"));
  }
  return sources.some((source) => covers(source, framing)) ? [framing] : [];
}

/** Whether an origin is the one that a source names; with `:*`, on whatever port. */
function covers(source, origin) {
  if (!source.endsWith(":*")) {
    return source === origin;
  }
  const { protocol, hostname } = new URL(origin);
  return source === `${protocol}//${hostname}:*`;
}

if (targets.length > 0) {
  let leave = nav.querySelector("a");
  if (!leave) {
    leave = document.createElement("button");
    leave.type = "button";
    leave.className = "link";
    leave.textContent = `Close and return to ${nav.dataset.client}`;
    nav.append(leave);
  }
  // The app takes the frame away. If it does not, the second press leads the whole window back.
  let asked = false;
  leave.addEventListener("click", (event) => {
    if (!asked || leave.tagName === "BUTTON") {
      event.preventDefault();
      asked = true;
      tell("closed");
    }
  });
  if ("ended" in nav.dataset) {
    tellOfEnd();
  }
}
