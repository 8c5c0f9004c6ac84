// `rouse doctor`: checks everything a working gateway needs, and says how to fix what is wrong.
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import type { Config } from "../../config/config.ts";
import type { Command, Context } from "../command.ts";
import { checkAgents } from "../doctor/agents.ts";
import { checkChannels } from "../doctor/channels.ts";
import { checkConfig, checkConfigFile } from "../doctor/config.ts";
import { checkFiles } from "../doctor/files.ts";
import type { Finding } from "../doctor/finding.ts";
import { notChecked } from "../doctor/finding.ts";
import { checkGateway } from "../doctor/gateway.ts";
import { checkGmail } from "../doctor/gmail.ts";
import { checkMappings } from "../doctor/mappings.ts";
import { checkDisk, checkNode } from "../doctor/machine.ts";
import { checkSenders } from "../doctor/senders.ts";
import { checkStore, storeChecks } from "../doctor/store.ts";
import { painter, printJson } from "../terminal/output.ts";
import { findConfigFile } from "../open/settings.ts";
import { safeText } from "../terminal/text.ts";

const flags = { ...configFlag, ...jsonFlag } as const;

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  refuseMore(positionals, 0);
  const file = await findConfigFile(context, values.config);
  const findings = await checkAll(context, file);
  const ok = findings.every(({ status }) => status !== "fail");
  if (values.json) printJson(context, { ok, checks: findings });
  else printFindings(context, findings);
  return ok ? 0 : 1;
}

async function checkAll(context: Context, file: string): Promise<Finding[]> {
  const { loadConfig } = await import("../../config/load.ts");
  const loaded = loadConfig(file, context.env);
  const before = [checkNode(process.versions.node), ...checkConfigFile(file, loaded)];
  if (!loaded.ok) {
    const unchecked = [
      "tokens",
      "bind address",
      "mappings",
      "secret files",
      "disk space",
      ...storeChecks,
      "senders",
      "gateway",
      "agents",
      "channels",
    ];
    return [...before, ...unchecked.map((check) => notChecked(check, "the config cannot be used"))];
  }
  const { config } = loaded;
  const files = checkFiles(config, loaded.files.slice(1));
  // Opening the store changes the modes of its files.
  const store = await checkStore(config.store, context.clock, config.hooks.budget);
  return [
    ...before,
    ...checkConfig(config),
    ...(await checkMappings(loaded)),
    ...files,
    checkDisk(config),
    ...store.findings,
    ...checkSenders(config, store.senders),
    await checkGateway(config.gateway, store.isOurs),
    ...(await checkAgents(config, context.env, context.clock.now())),
    ...(await checkChannels(loaded)),
    ...(await checkGmail(config, context)),
    ...(await proposals(config, context.env)),
  ];
}

/** While `echo` is the only agent: the programs, servers and keys found here that could replace it. */
async function proposals(config: Config, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const { findOnMachine, foundFinding, isEchoAlone } = await import("../doctor/found.ts");
  if (!isEchoAlone(config)) return [];
  return (await findOnMachine(env)).map(foundFinding);
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

Checks Node.js, the config and its tokens, the mappings with their templates and transforms, who
can read the files with secrets and with the store's content, the disk, the store, the clock, the
waiting work, the senders (why is nothing arriving?), the gateway (is it the one that uses this
store?), the agents, the credentials of each channel, and the Gmail account. Prints ok, warn or fail for each, and how to fix it. A check that
could not be made is a warning, never ok. Use it when something does not work, or after setting up.
Exit code 1 when something fails. Requests to model servers only list their models. While echo is
the only agent, it also says what on this machine could be one.

Options:
  --json         {"ok":…,"checks":[{"check":…,"status":…,"message":…,"fix":…}]}
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse doctor
  rouse doctor --config /etc/rouse/rouse.jsonc --json`,
  syntax: { options: flags },
  run,
};
