// `rouse doctor`: looks at everything a working gateway needs, and says what to do about what is missing.
import { configFlag, jsonFlag, readArguments, refuseMore } from "./arguments.ts";
import type { Command, Context } from "./command.ts";
import { checkAgents } from "./doctor/agents.ts";
import { checkConfig, checkConfigFile } from "./doctor/config.ts";
import type { Finding } from "./doctor/finding.ts";
import { notChecked } from "./doctor/finding.ts";
import { checkGateway } from "./doctor/gateway.ts";
import { checkDisk, checkNode } from "./doctor/machine.ts";
import { checkStore, storeChecks } from "./doctor/store.ts";
import { painter, printJson } from "./output.ts";
import { findConfigFile } from "./settings.ts";
import { safeText } from "./terminal-text.ts";

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context.argv, { ...configFlag, ...jsonFlag });
  refuseMore(positionals, 0);
  const file = await findConfigFile(context, values.config);
  const findings = await examine(context, file);
  const ok = findings.every(({ status }) => status !== "fail");
  if (values.json) printJson(context, { ok, checks: findings });
  else printFindings(context, findings);
  return ok ? 0 : 1;
}

async function examine(context: Context, file: string): Promise<Finding[]> {
  const { loadConfig } = await import("../config/load.ts");
  const loaded = loadConfig(file, context.env);
  const before = [checkNode(process.versions.node), ...checkConfigFile(file, loaded)];
  if (!loaded.ok) {
    const waiting = ["tokens", "bind address", "disk space", ...storeChecks, "gateway", "agents"];
    return [...before, ...waiting.map((check) => notChecked(check, "the config cannot be used"))];
  }
  const { config } = loaded;
  return [
    ...before,
    ...checkConfig(config),
    checkDisk(config),
    ...(await checkStore(config.store, context.clock)),
    await checkGateway(config.gateway),
    ...checkAgents(config.agents.list, context.env),
  ];
}

const colours = { ok: "green", warn: "yellow", fail: "red" } as const;

function printFindings(context: Context, findings: readonly Finding[]): void {
  const paint = painter(context);
  for (const { check, status, message, fix } of findings) {
    const word = paint(colours[status], status.padEnd(4));
    context.stdout.write(`${word}  ${safeText(`${check}: ${message}`)}\n`);
    if (fix !== null) context.stdout.write(`      ${safeText(`→ ${fix}`)}\n`);
  }
}

export const command: Command = {
  name: "doctor",
  summary: "check everything a working gateway needs",
  help: `Usage: rouse doctor [--config FILE] [--json]

Looks at Node.js, the config and its tokens, the disk, the store, the clock, the gateway, the agents
and the work that waits, and says for each: ok, warn or fail, and what to do. What could not be
looked at is a warning, never ok. Use it when something does not work, or after setting up. Exit code
1 when something fails.

Options:
  --json         {"ok":…,"checks":[{"check":…,"status":…,"message":…,"fix":…}]}
  --config FILE  another config than the one in ROUSE_HOME

Examples:
  rouse doctor
  rouse doctor --config /etc/rouse/rouse.jsonc --json`,
  run,
};
