// A sandbox for one test file: a service of its own on a free port, in a folder of its own.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

export async function startSandbox() {
  const home = mkdtempSync(join(tmpdir(), "sandbox-"));
  const child = spawn(process.env.ORDERSYNC_BIN ?? "ordersync", ["serve", "--sandbox", "--listen", "127.0.0.1:0", "--rate-limit", "off", "--speed", "20"], {
    env: { PATH: process.env.PATH, ORDERSYNC_HOME: home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let base;
  for await (const line of createInterface({ input: child.stderr })) {
    base = /listening on (http:\S+)/u.exec(line)?.[1];
    if (base) {
      break;
    }
  }
  child.stderr.resume();
  return {
    base,
    async stop() {
      child.kill();
      await once(child, "exit");
      rmSync(home, { recursive: true });
    },
    /** An access token without the sign-in page, for one of the numbers +15550100 to +15550199. */
    async token(phone) {
      const answer = await fetch(`${base}/sandbox/token`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ phone }),
      });
      return (await answer.json()).access_token;
    },
  };
}
