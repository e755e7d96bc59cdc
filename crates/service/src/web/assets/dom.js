// Building and announcing what is on the page. Text is always text: nothing is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element; properties named `on…` are listeners, `class` and names with a hyphen are attributes. */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) {
      continue;
    }
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (name in element && !name.includes("-")) {
      element[name] = value;
    } else {
      element.setAttribute(name === "class" ? "class" : name, value === true ? "" : value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A small line drawing. */
export function icon(path, size = 20) {
  const svg = document.createElementNS(SVG, "svg");
  const attributes = {
    viewBox: "0 0 24 24", width: size, height: size, fill: "none", stroke: "currentColor", "stroke-width": 2,
    "stroke-linecap": "round", "stroke-linejoin": "round", "aria-hidden": "true",
  };
  for (const [name, value] of Object.entries(attributes)) {
    svg.setAttribute(name, value);
  }
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const CHECK = "M5 12.5l4.5 4.5L19 7.5";
export const CROSS = "M6.500 6.500l11 11M17.500 6.500l-11 11";
export const EXCLAMATION = "M12 6.500v7M12 17.200v.300";

/** The first letters of a name, on a quiet colour that is always the same for a retailer. */
export function monogram(retailerId, name) {
  const words = name.split(/\s+/u).filter((word) => /^\p{L}/u.test(word));
  const letters = words.slice(0, 2).map((word) => [...word][0].toLocaleUpperCase()).join("");
  return h("span", { class: `monogram tint-${Math.abs(retailerId) % 6}`, "aria-hidden": "true" }, letters || "#");
}

/** Says something to a screen reader. */
export function announce(text) {
  const announcer = document.getElementById("announcer");
  if (announcer.textContent !== text) {
    announcer.textContent = text;
  }
}

/** What went wrong, with what helps to find out why, and a way to try again. */
export function problemBox(problem, retry) {
  const detail = [problem.code, problem.requestId].filter(Boolean).join(" · ");
  return h(
    "div", { class: "problem", role: "alert" },
    h("p", {}, problem.message),
    detail && h("p", { class: "detail" }, detail),
    // A page that has ended stays so.
    retry && !problem.isEnd && h("button", { type: "button", class: "small", onclick: retry }, "Try again"),
  );
}

const units = [["day", 86_400], ["hour", 3_600], ["minute", 60]];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** How long ago something was. */
export function ago(time, now) {
  const seconds = (now - Date.parse(time)) / 1000;
  for (const [unit, length] of units) {
    if (seconds >= length) {
      return relative.format(-Math.floor(seconds / length), unit);
    }
  }
  return "just now";
}

export function plural(count, word) {
  return `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
}
