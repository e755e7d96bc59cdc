// Prints the commands of an example's README that install it: all but the last, which starts it.

import { existsSync } from "node:fs";

import { commands, EXAMPLES } from "./readme.js";

const name = process.argv[2];
// Whoever has settings of their own keeps them.
const kept = existsSync(`${EXAMPLES}${name}/.env`);
console.log(commands(name).slice(0, -1).filter((command) => !(kept && command.startsWith("cp "))).join("\n"));
