// `rouse start`: from nothing to a running gateway, with the first request to try.
import { existsSync } from "node:fs";
import type { Gateway } from "../../gateway/gateway.ts";
import { readArguments, refuseMore } from "../terminal/arguments.ts";
import { addressOf, curlLine, localHost } from "../open/address.ts";
import type { Command, Context } from "../command.ts";
import { makeHome } from "../open/home.ts";
import { printLine } from "../terminal/output.ts";
import { readPort, serve, serveFlags, type Serving } from "./serve.ts";
import { findConfigFile, type Loaded, loadSettings } from "../open/settings.ts";

export async function start(context: Context, startGateway?: Serving["start"]): Promise<number> {
  const { values, positionals } = readArguments(context.argv, serveFlags);
  refuseMore(positionals, 0);
  const port = readPort(values.port);
  const file = await findConfigFile(context, values.config);
  const isFirst = !existsSync(file);
  if (isFirst) await makeHome(file, { overwrite: false });
  return serve(context, {
    load: () => loadSettings(context, file),
    port,
    onReady: (gateway, loaded) => welcome(context, loaded, gateway, isFirst),
    ...(startGateway && { start: startGateway }),
  });
}

/** The token is shown once: later starts may be a service's, whose output is kept in a log. */
function welcome(context: Context, { config }: Loaded, gateway: Gateway, isFirst: boolean): void {
  const { hooks, store } = config;
  const base = `${addressOf(localHost(gateway.host), gateway.port)}${hooks.path}`;
  const storedIn = store.url === null ? store.path : "PostgreSQL (store.url)";
  const lines = [`  config  ${config.file}${isFirst ? " (made now)" : ""}`, `  store   ${storedIn}`];
  if (!hooks.enabled) lines.push("", `Hooks are off: set hooks.enabled in ${config.file}.`);
  else {
    lines.push(`  wake    ${base}/wake`, `  agent   ${base}/agent`, "", "Try it:");
    lines.push(`  ${curlLine(`${base}/agent`, isFirst ? (hooks.tokens[0] ?? null) : null)}`);
    if (!isFirst) lines.push(`ROUSE_TOKEN stands for the token: hooks.token in ${config.file}`);
  }
  printLine(context, lines.join("\n"));
}

export const command: Command = {
  name: "start",
  summary: "make a config if there is none, and serve",
  help: `Usage: rouse start [--port N] [--config FILE]

The quickest way to a running gateway: where there is no config it makes one ("rouse init"), then
serves ("rouse serve") in the foreground. Prints the addresses, where config and store lie, and a
curl line to try. The token is part of that line at the first start only; later ones take it from
the variable ROUSE_TOKEN, so that it does not end up in logs.

Options:
  --port N       instead of gateway.port; 0 takes a free one
  --config FILE  another config than the one in ROUSE_HOME

Examples:
  rouse start
  ROUSE_HOME=./home rouse start --port 0`,
  run: (context) => start(context),
};
