// The newest openclaw, from npm: ROUSE_BENCH_OPENCLAW names the folder it was installed in, or `openclaw` is on the
// PATH. It does not store wakes. Its network requests go to a port where nothing listens.
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lab } from "../lab.ts";
import { freePort, token, untilServing, type Rival, type Subject } from "./subject.ts";

const nowhere = "http://127.0.0.1:9";

export function findOpenclaw(): Rival {
  const folder = process.env["ROUSE_BENCH_OPENCLAW"];
  const installed = folder === undefined ? null : join(folder, "node_modules/openclaw/openclaw.mjs");
  const [command, ...first] =
    installed !== null && existsSync(installed) ? [process.execPath, installed] : ["openclaw"];
  try {
    const said = execFileSync(command, [...first, "--version"], { encoding: "utf8", timeout: 60_000 });
    const version = /\d+\.\d+\.\d+\S*/.exec(said)?.[0] ?? said.trim();
    return { found: true, name: "openclaw", version, start: (lab) => start(lab, command, first) };
  } catch {
    // With an older Node, npm installs an empty package of that name.
    const missing =
      "openclaw: with Node 24, npm install --prefix FOLDER openclaw, then ROUSE_BENCH_OPENCLAW=FOLDER npm run bench";
    return { found: false, missing };
  }
}

async function start(lab: Lab, command: string, first: readonly string[]): Promise<Subject> {
  const home = lab.folder();
  const file = join(home, "openclaw.json");
  const port = await freePort();
  writeFileSync(file, JSON.stringify(configWith(port)), { mode: 0o600 });
  const child = lab.run(command, [...first, "gateway", "run", "--port", String(port)], {
    cwd: home,
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      OPENCLAW_STATE_DIR: home,
      OPENCLAW_CONFIG_PATH: file,
      NODE_USE_ENV_PROXY: "1",
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      NO_PROXY: "127.0.0.1,localhost",
    },
  });
  await untilServing(port, "/hooks/wake", '{"text":"ready?","mode":"next-heartbeat"}', 120_000);
  return { child, port };
}

const configWith = (port: number): object => ({
  gateway: {
    mode: "local",
    port,
    bind: "loopback",
    auth: { mode: "token", token: "gateway-token-0123456789-0123456789" },
  },
  hooks: { enabled: true, token },
  agents: { defaults: { heartbeat: { every: "0m" } } },
});
