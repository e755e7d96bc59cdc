// Every piece of code in docs/integrating.md is one of an example app, to the letter. The line before it names the file:
// <!-- from examples/express/src/seal.js -->
// Every request that the page names is one of the contract, and every code an error of it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { EXAMPLES } from "./readme.js";

const root = `${EXAMPLES}../`;
const page = readFileSync(`${root}docs/integrating.md`, "utf8");

/** Without the indentation that all lines share, so that a piece may come from the middle of a function. */
function flush(text) {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const depth = Math.min(...lines.filter(Boolean).map((line) => line.search(/\S/u)));
  return lines.map((line) => line.slice(depth)).join("\n").trim();
}

const blocks = [...page.matchAll(/^(?:<!-- from (?<file>\S+) -->\n)?```(?<language>\w+)\n(?<code>.*?)^```$/gmsu)].map(({ groups }) => groups);
let looked = 0;
for (const { file, language, code } of blocks) {
  if (!["js", "python", "html"].includes(language)) {
    continue;
  }
  assert.ok(file, `docs/integrating.md: this code names no file that it is from:\n${code}`);
  const lines = readFileSync(root + file, "utf8").split("\n");
  const wanted = flush(code);
  const height = wanted.split("\n").length;
  const found = lines.some((_, start) => flush(lines.slice(start, start + height).join("\n")) === wanted);
  assert.ok(found, `docs/integrating.md has code that is not in ${file} (any more):\n${code}`);
  looked += 1;
}
assert.ok(looked > 0, "docs/integrating.md has no code");

const contract = ["openapi.yaml", "openapi-pages.yaml"].map((name) => readFileSync(root + name, "utf8")).join("\n");
for (const [, method, path] of page.matchAll(/\b(GET|POST|PUT|DELETE) (\/[\w{}./-]+)/gu)) {
  const [, operations] = contract.split(`\n  ${path}:\n`);
  const described = operations?.split(/\n {2}\//u)[0].includes(`\n    ${method.toLowerCase()}:`) || operations?.startsWith(`    ${method.toLowerCase()}:`);
  assert.ok(described, `docs/integrating.md names ${method} ${path}, which is not in the contract`);
}
for (const [, code] of page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/gu)) {
  assert.ok(new RegExp(`\\b${code}\\b`, "u").test(contract) || /^USE_/u.test(code), `docs/integrating.md names ${code}, which is not in the contract`);
}
console.log(`docs/integrating.md: ${looked} pieces of code, all of them as in the examples`);
