// `rouse expose`: lets senders on the internet reach some hooks of this machine, through a tunnel that is installed here.
import { prepareSenders } from "../../hooks/senders/prepare.ts";
import type { Config } from "../../config/config.ts";
import { formatPath } from "../../config/problem.ts";
import { UsageError } from "../../core/errors.ts";
import { proofOf } from "../../core/store-proof.ts";
import { chooseTool } from "../../expose/choose.ts";
import { type ExposedHook, exposedHooks } from "../../expose/exposed-hooks.ts";
import { hookAddress, hookLines, warningsFor } from "../../expose/instructions.ts";
import { openRelay, type PassedRequest } from "../../expose/relay.ts";
import { endText, openTunnel, type TunnelDeps } from "../../expose/tunnel.ts";
import { createReaper } from "../../processes/reaper.ts";
import { type Command, type Context } from "../command.ts";
import { checkGateway } from "../doctor/gateway.ts";
import { findProgram } from "../doctor/programs.ts";
import { localHost } from "../open/address.ts";
import { loadSettings } from "../open/settings.ts";
import { openStore } from "../open/store.ts";
import { configFlag, readArguments } from "../terminal/arguments.ts";
import { noteLine, painter, printLine } from "../terminal/output.ts";

const flags = {
  ...configFlag,
  with: { type: "string", values: ["tailscale", "ngrok", "cloudflared", "zrok"] },
} as const;

/** Tests have no internet. */
export type ExposeOverrides = Partial<Pick<TunnelDeps, "fetch" | "clock">>;

export async function runExpose(context: Context, overrides: ExposeOverrides = {}): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  const { config } = await loadSettings(context, values.config);
  const hooks = hooksOf(config, positionals);
  const reaper = createReaper();
  const { env, clock } = context;
  const find = (command: string): string | null => findProgram(command, env["PATH"] ?? "");
  const chosen = await chooseTool(values.with, { find, env, reaper });
  await needRunningGateway(config, context);

  const stop = new AbortController();
  context.onStopSignal(() => stop.abort());
  const { host, port } = config.gateway;
  const relay = await openRelay({
    hooks,
    hooksPath: config.hooks.path,
    gateway: { host: localHost(host), port },
    callerHeader: chosen.tool.callerHeader,
    onPassed: (passed) => printPassed(context, passed),
  });
  try {
    noteLine(context, `${chosen.tool.name} opens a tunnel…`);
    const onVisit = (url: string): void => noteLine(context, `${chosen.tool.name} asks you to visit ${url}`);
    const deps = { env, reaper, clock, fetch, onVisit, ...overrides };
    const { address, program } = await openTunnel(chosen, relay, config.hooks.path, {
      ...deps,
      signal: stop.signal,
    });
    printExposed(context, config, { hooks, address, tool: chosen.tool });
    context.outliveOutput();
    const stopped = new Promise<null>((resolve) => {
      if (stop.signal.aborted) resolve(null);
      else stop.signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    const end = await Promise.race([program.ended, stopped]);
    if (end !== null) {
      const { name, setUp } = chosen.tool;
      throw new UsageError(`The tunnel is gone; nothing from outside arrives. ${endText(name, setUp, end)}`);
    }
    program.stop();
    await program.ended;
    noteLine(context, "The tunnel is closed.");
    return 0;
  } catch (fault) {
    if (stop.signal.aborted) return 0;
    throw fault;
  } finally {
    await relay.close();
  }
}

function hooksOf({ hooks, file }: Config, names: readonly string[]): ExposedHook[] {
  if (!hooks.enabled) throw new UsageError(`Hooks are off: set hooks.enabled to true in ${file}.`);
  const prepared = prepareSenders(hooks.senders, hooks.mappings);
  if (!prepared.ok) {
    const faults = prepared.findings.map(({ path, message }) => `${formatPath(path)}: ${message}`);
    throw new UsageError(`${file} cannot be used: ${faults.join("; ")}`);
  }
  return exposedHooks(names, hooks, prepared.senders);
}

/** Only this home's gateway is led to from outside, and no other program on its port. */
async function needRunningGateway({ gateway, store: settings }: Config, { clock }: Context): Promise<void> {
  const store = await openStore(settings, clock);
  let identity: string;
  try {
    identity = await store.identity();
  } finally {
    await store.close();
  }
  const found = await checkGateway(gateway, (challenge, proof) => proof === proofOf(identity, challenge));
  if (found.status !== "ok") throw new UsageError(`The gateway: ${found.message}. ${found.fix ?? ""}`.trim());
}

function printExposed(
  context: Context,
  config: Config,
  {
    hooks,
    address,
    tool,
  }: { hooks: readonly ExposedHook[]; address: string; tool: Parameters<typeof warningsFor>[1] },
): void {
  const exposed = hooks.map((hook) => ({ hook, address: hookAddress(address, config.hooks.path, hook) }));
  for (const each of exposed) printLine(context, hookLines(each.hook, each.address).join("\n"));
  const paint = painter(context);
  for (const warning of warningsFor(config, tool, exposed))
    noteLine(context, paint("yellow", `! ${warning}`));
  noteLine(context, "All other paths are 404. Ctrl-C closes the tunnel. What arrives:");
}

function printPassed(context: Context, { name, method, status, durationMs }: PassedRequest): void {
  const time = new Date(context.clock.now()).toISOString().slice(11, 19);
  printLine(context, `${time}  ${name}  ${method}  ${status}  ${Math.round(durationMs)} ms`);
}

export const command: Command = {
  name: "expose",
  summary: "let senders on the internet reach hooks of this machine",
  help: `Usage: rouse expose [NAME…] [--with TOOL] [--config FILE]

Opens a tunnel with a tool that is installed here (the first of tailscale, ngrok, cloudflared, zrok
that is set up), prints each sender's public address and what to paste where, and lists what arrives
until you press Ctrl-C. Only the hooks named can be reached: senders (without names: all of them) and
mapped hooks, whose callers still need a token. wake, agent, /metrics and all else are 404.

The gateway must be running. Nothing is installed or downloaded. When the tunnel breaks, the command
says so and ends with 1.

Options:
  --with TOOL    tailscale, ngrok, cloudflared or zrok
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse expose
  rouse expose github --with cloudflared`,
  syntax: { options: flags },
  run: (context) => runExpose(context),
};
