// `rouse start`: makes a config where there is none, serves, and prints a first request to try.
import { existsSync } from "node:fs";
import type { Gateway } from "../../gateway/gateway.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import { addressOf, curlLine, localHost } from "../open/address.ts";
import type { Command, Context } from "../command.ts";
import type { Found } from "../doctor/found.ts";
import { makeHome } from "../open/home.ts";
import { printLine } from "../terminal/output.ts";
import { safeText } from "../terminal/text.ts";
import { readPort, serve, serveFlags, type Serving } from "./serve.ts";
import { findConfigFile, type Loaded, loadSettings } from "../open/settings.ts";

type Parts = { startGateway?: Serving["start"]; findAgents?: (env: NodeJS.ProcessEnv) => Promise<Found[]> };

export async function start(context: Context, { startGateway, findAgents }: Parts = {}): Promise<number> {
  const { values, positionals } = readArguments(context, serveFlags);
  refuseMore(positionals, 0);
  const port = readPort(values.port);
  const file = await findConfigFile(context, values.config);
  const isNew = !existsSync(file);
  // 0 is for this start alone: later commands find the gateway by the port in the config.
  if (isNew) await makeHome(file, { overwrite: false, ...(port && { port }) });
  return serve(context, {
    load: () => loadSettings(context, file),
    port,
    async onReady(gateway, loaded) {
      welcome(context, loaded, gateway, { isNew, wanted: port });
      await proposeAgents(context, loaded, findAgents);
    },
    ...(startGateway && { start: startGateway }),
  });
}

/** Prints the token only when the config is new: the output of later starts may go to a log. */
function welcome(
  context: Context,
  { config }: Loaded,
  gateway: Gateway,
  { isNew, wanted }: { isNew: boolean; wanted: number | undefined },
): void {
  const { hooks, store } = config;
  const base = `${addressOf(localHost(gateway.host), gateway.port)}${hooks.path}`;
  const storedIn = store.url === null ? store.path : "PostgreSQL (store.url)";
  const lines = [`  config  ${config.file}${isNew ? " (new)" : ""}`, `  store   ${storedIn}`];
  if (wanted !== undefined && wanted !== config.gateway.port)
    lines.push(`  port    ${gateway.port} for this start; gateway.port stays ${config.gateway.port}`);
  if (!hooks.enabled) lines.push("", `Hooks are off: set hooks.enabled in ${config.file}.`);
  else {
    lines.push(`  wake    ${base}/wake`, `  agent   ${base}/agent`, "", "Try it:");
    lines.push(`  ${curlLine(`${base}/agent`, isNew ? (hooks.tokens[0] ?? null) : null)}`);
    if (!isNew) lines.push(`ROUSE_TOKEN stands for the token: hooks.token in ${config.file}`);
  }
  printLine(context, lines.join("\n"));
}

const mostProposed = 2;

/** While echo is the only agent: what this machine has instead, with the lines to write. */
async function proposeAgents(
  context: Context,
  { config }: Loaded,
  findAgents: Parts["findAgents"],
): Promise<void> {
  const { findOnMachine, isEchoAlone, linesOf } = await import("../doctor/found.ts");
  if (!isEchoAlone(config)) return;
  const found = await (findAgents ?? findOnMachine)(context.env);
  if (found.length === 0) return;
  const proposals = found
    .slice(0, mostProposed)
    .map((each) => [`  ${each.what}`, ...linesOf(each)].join("\n    "));
  const lines = [
    "",
    "The agent only echoes. To use what this machine has, write into the config:",
    ...proposals,
  ];
  const more = found.slice(mostProposed).map(({ name }) => name);
  if (more.length > 0) lines.push(`Also found: ${more.join(", ")}. Their lines: rouse doctor`);
  printLine(context, safeText(lines.join("\n")));
}

export const command: Command = {
  name: "start",
  summary: "make a config if there is none, and serve",
  help: `Usage: rouse start [--port N] [--config FILE]

The quickest way to a running gateway: makes a config if there is none ("rouse init"), then serves
in the foreground ("rouse serve"). Prints the addresses, the paths of config and store, and a curl
line to try. That line has the token at the first start only; later it reads the variable
ROUSE_TOKEN, so that the token does not end up in logs. While echo is the only agent, it also names
what on this machine could be one, with the line to write into the config.

Options:
  --port N       the port; a new config gets it as gateway.port, an existing one is not changed.
                 0 takes a free one for this start and is not written
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse start
  rouse start --port 4670
  ROUSE_HOME=./home rouse start --port 0`,
  syntax: { options: serveFlags },
  run: (context) => start(context),
};
