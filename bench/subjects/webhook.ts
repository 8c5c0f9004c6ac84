// adnanh's webhook, from Debian: it checks a token in a header, runs a command and stores nothing.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { freePort, token, untilServing, type Rival, type Subject } from "./subject.ts";

export function findWebhook(): Rival {
  try {
    const said = execFileSync("webhook", ["-version"], { encoding: "utf8" });
    return { found: true, name: "webhook", version: said.trim().split(" ").at(-1) ?? "", start };
  } catch {
    return { found: false, missing: "webhook (adnanh): apt-get install webhook" };
  }
}

const hooks = ["wake", "agent"].map((id) => ({
  id,
  "execute-command": "/bin/true",
  "trigger-rule": {
    match: {
      type: "value",
      value: `Bearer ${token}`,
      parameter: { source: "header", name: "Authorization" },
    },
  },
  "trigger-rule-mismatch-http-response-code": 401,
}));

async function start(lab: Lab): Promise<Subject> {
  const file = join(lab.folder(), "hooks.json");
  writeFileSync(file, JSON.stringify(hooks), { mode: 0o600 });
  const port = await freePort();
  const child = lab.run("webhook", ["-hooks", file, "-ip", "127.0.0.1", "-port", String(port)]);
  await untilServing(port, "/hooks/wake", "{}", 20_000);
  return { child, port };
}
