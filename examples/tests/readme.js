// The commands of an example's README.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const EXAMPLES = fileURLToPath(new URL("../", import.meta.url));

function all(name) {
  const readme = readFileSync(`${EXAMPLES}${name}/README.md`, "utf8");
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, block]) => block.trim());
  return blocks.join("\n").split("\n");
}

/** Those that install and start the app. */
export function commands(name) {
  return all(name).filter((line) => !line.startsWith("ordersync "));
}

/** The file with which its service begins. */
export function seed(name) {
  const serve = all(name).find((line) => line.startsWith("ordersync serve --sandbox "));
  return `${EXAMPLES}${name}/${/ --seed (\S+)/u.exec(serve)[1]}`;
}
