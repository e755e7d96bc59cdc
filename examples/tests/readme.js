// The commands of an example's README.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const EXAMPLES = fileURLToPath(new URL("../", import.meta.url));

/** Those of its `sh` blocks that install and start the app. The ones of `ordersync`, before them, are left out. */
export function commands(name) {
  const readme = readFileSync(`${EXAMPLES}${name}/README.md`, "utf8");
  const blocks = [...readme.matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, block]) => block.trim());
  return blocks.join("\n").split("\n").filter((line) => !line.startsWith("ordersync "));
}
