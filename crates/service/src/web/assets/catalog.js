// Choosing a retailer, and giving what it asks for.

import { announce, h, monogram, plural } from "./dom.js";

/** The searchable catalog. `choose(retailer)`; `connected`: the numbers of those that are connected already. */
export function catalog(retailers, connected, choose) {
  const rows = retailers.map((retailer) => row(retailer, connected.has(retailer.retailerId), choose));
  const list = h("ul", { class: "catalog", "aria-label": "Retailers" }, rows.map(({ element }) => element));
  const none = h("p", { class: "none", hidden: true });
  const search = (event) => {
    const words = folded(event.target.value).split(" ").filter(Boolean);
    let shown = 0;
    for (const { element, text } of rows) {
      element.hidden = !words.every((word) => text.includes(word));
      shown += element.hidden ? 0 : 1;
    }
    none.hidden = shown > 0;
    none.textContent = `No retailer is called “${event.target.value.trim()}”.`;
    announce(shown > 0 ? plural(shown, "retailer") : none.textContent);
  };
  const field = h("input", {
    id: "search", type: "search", autocomplete: "off", placeholder: "Search by name", oninput: search,
  });
  return [h("div", { class: "field" }, h("label", { htmlFor: "search" }, "Find your retailer"), field), list, none];
}

function row(retailer, isConnected, choose) {
  const note = isConnected ? "Connected" : retailer.syncConfig?.serverSide === false ? "Not available yet" : null;
  const button = h(
    "button",
    { type: "button", "aria-disabled": note ? "true" : null, onclick: () => note || choose(retailer) },
    monogram(retailer.retailerId, retailer.displayName),
    h("span", { class: "name" }, retailer.displayName),
    note && h("span", { class: "note" }, note),
  );
  return { element: h("li", {}, button), text: folded(retailer.displayName) };
}

/** Without case and accents. */
function folded(text) {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLocaleLowerCase().replaceAll(/\s+/gu, " ").trim();
}

/** The form of what a retailer asks for. `submit(credentials)` may throw a problem; `back` is optional. */
export function credentialForm(retailer, { action, note, hint, submit, back }) {
  const error = h("p", { class: "alert", id: "credentials-error", role: "alert", hidden: true });
  const fields = retailer.credentialFields.map((field) => credentialField(field));
  const send = h("button", { type: "submit", class: "primary" }, action);
  const form = h(
    "form", { noValidate: true, autocomplete: "off" },
    hint && h("p", { class: "notice" }, hint),
    fields.map(({ element }) => element),
    error,
    note && h("p", { class: "hint" }, note),
    h("div", { class: "buttons" }, back && h("button", { type: "button", onclick: back }, "Back"), send),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (send.disabled) {
      return;
    }
    error.hidden = true;
    const missing = fields.filter(({ input }) => input.value === "");
    for (const { input } of fields) {
      input.setAttribute("aria-invalid", String(input.value === ""));
    }
    if (missing.length > 0) {
      refuse(error, `${missing.map(({ label }) => label).join(" and ")} ${missing.length === 1 ? "is" : "are"} missing.`);
      missing[0].input.focus();
      return;
    }
    send.disabled = true;
    send.textContent = "Sealing…";
    try {
      const given = fields.map(async ({ name, input, host }) => [name, host ? await cookiesOf(host, input.files[0]) : input.value]);
      await submit(Object.fromEntries(await Promise.all(given)));
      for (const { input } of fields) {
        input.value = "";
      }
    } catch (problem) {
      refuse(error, problem.message);
      send.disabled = false;
      send.textContent = action;
      send.focus();
    }
  });
  return form;
}

function refuse(error, text) {
  error.textContent = text;
  error.hidden = false;
}

/** The lines of a cookie file (Netscape format) that are for this host: no others leave the browser. */
async function cookiesOf(host, file) {
  const isForHost = (line) => {
    const [domain, hasSubdomains, ...rest] = line.replace(/^#HttpOnly_/, "").split("\t");
    const name = domain.replace(/^\./, "").toLowerCase();
    return rest.length >= 4 && name !== "" && (host === name || (hasSubdomains === "TRUE" && host.endsWith(`.${name}`)));
  };
  const lines = (await file.text()).split(/\r?\n/).filter(isForHost);
  if (lines.length === 0) {
    throw new Error(`The file has no cookies of ${host}. Export them as a cookies.txt file (Netscape format).`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function credentialField({ name, label, secret, cookies: host }) {
  const id = `credential-${name}`;
  if (host) {
    const input = h("input", { id, type: "file", "aria-required": "true", "aria-describedby": "credentials-error" });
    return { name, label, input, host, element: h("div", { class: "field" }, h("label", { htmlFor: id }, label), input) };
  }
  const input = h("input", {
    id, type: secret ? "password" : "text", autocomplete: secret ? "current-password" : "username", spellcheck: false,
    autocapitalize: "none", "aria-required": "true", "aria-describedby": "credentials-error",
  });
  if (!secret) {
    return { name, label, input, element: h("div", { class: "field" }, h("label", { htmlFor: id }, label), input) };
  }
  const toggle = h("button", { type: "button", class: "link", "aria-pressed": "false", "aria-label": `Show ${label}` }, "Show");
  toggle.addEventListener("click", () => {
    const shows = input.type === "password";
    input.type = shows ? "text" : "password";
    toggle.textContent = shows ? "Hide" : "Show";
    toggle.setAttribute("aria-pressed", String(shows));
  });
  const element = h("div", { class: "field" }, h("label", { htmlFor: id }, label), h("div", { class: "with-toggle" }, input, toggle));
  return { name, label, input, element };
}
