// `rouse serve`: runs the gateway in the foreground until a signal stops it.
import type { Gateway, startGateway } from "../../gateway/gateway.ts";
import { UsageError } from "../../core/errors.ts";
import { openStore } from "../../store/open.ts";
import { startWriterThread } from "../../store/sqlite/thread.ts";
import { createMetrics } from "../../telemetry/metrics.ts";
import { addressOf } from "../open/address.ts";
import { configFlag, readArguments, readWholeNumber, refuseMore } from "../terminal/arguments.ts";
import type { Command, Context } from "../command.ts";
import { refreshSchema } from "../open/schema.ts";
import { type Loaded, loadSettings } from "../open/settings.ts";
import { storeFault } from "../open/store.ts";

export const serveFlags = { ...configFlag, port: { type: "string" } } as const;

export const readPort = (written: string | undefined): number | undefined =>
  written === undefined ? undefined : readWholeNumber("--port", written, 0, 65_535);

export type Serving = {
  load: () => Promise<Loaded>;
  port: number | undefined;
  /** Called once requests are accepted, after the line "rouse listening on …". */
  onReady?: (gateway: Gateway, loaded: Loaded) => Promise<void>;
  start?: typeof startGateway;
};

/** Resolves to 0 after a clean stop. A second signal ends the process at once. */
export async function serve(context: Context, serving: Serving): Promise<number> {
  const stopAsked = Promise.withResolvers<void>();
  let asked = 0;
  context.onStopSignal(() => {
    if (++asked === 1) stopAsked.resolve();
    else context.exit(1);
  });
  const { gateway, loaded } = await startServing(context, serving);
  context.outliveOutput();
  context.stdout.write(`rouse listening on ${addressOf(gateway.host, gateway.port)}\n`);
  await serving.onReady?.(gateway, loaded);
  await refreshSchema(loaded.config.file);
  await stopAsked.promise;
  await gateway.stop();
  return 0;
}

type Started = { gateway: Gateway; loaded: Loaded };

async function startServing({ env }: Context, { load, port, start }: Serving): Promise<Started> {
  // Started first: the thread starts while the config is read. Few use a store that does not need it.
  const thread = startWriterThread();
  const loaded = await load().catch(async (fault: unknown) => {
    await thread.close();
    throw fault;
  });
  // The store opens while the other modules load. `startWith` awaits it and meets its fault.
  const metrics = createMetrics();
  const store = openStore(loaded.config.store, { thread, onGroup: metrics.groupWritten });
  store.catch(() => {});
  const startWith = start ?? (await import("../../gateway/gateway.ts")).startGateway;
  const { createLog } = await import("../../telemetry/log.ts");
  const log = createLog(loaded.config.log);
  try {
    const gateway = await startWith({
      loaded,
      store,
      metrics,
      env,
      log,
      ...(port !== undefined && { port }),
    });
    return { gateway, loaded };
  } catch (fault) {
    throw listenFault(fault, loaded, port) ?? storeFault(fault, loaded.config);
  }
}

function listenFault(fault: unknown, { config }: Loaded, port: number | undefined): UsageError | null {
  const code = fault instanceof Error && "code" in fault ? fault.code : null;
  const { host } = config.gateway;
  const wanted = port ?? config.gateway.port;
  if (code === "EADDRINUSE")
    return new UsageError(
      `Port ${wanted} on ${host} is in use by another program. Stop that program, or choose another port: gateway.port in ${config.file}, or --port N (0 takes a free one).`,
    );
  if (code === "EACCES")
    return new UsageError(`This user may not listen on port ${wanted}. Choose a port above 1023.`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new UsageError(
      `${host} is not an address of this machine. Set gateway.host in ${config.file} to one: 127.0.0.1 for this machine alone, 0.0.0.0 for all networks.`,
    );
  return null;
}

export const command: Command = {
  name: "serve",
  summary: "serve with an existing config",
  help: `Usage: rouse serve [--port N] [--config FILE]

Runs the gateway in the foreground with an existing config. For services and containers; on a fresh
machine, use "rouse start", which makes a config first. Once requests are accepted, prints the line
"rouse listening on http://HOST:PORT". The log goes to standard error. Changes of the config are
taken up while it runs.

SIGTERM or Ctrl-C stops it: running agents get gateway.drainSeconds to finish. A second signal ends
it at once. Either way, nothing that was accepted is lost.

Options:
  --port N       overrides gateway.port; 0 takes a free one
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse serve
  rouse serve --config /etc/rouse/rouse.jsonc --port 8080`,
  syntax: { options: serveFlags },
  async run(context) {
    const { values, positionals } = readArguments(context, serveFlags);
    refuseMore(positionals, 0);
    const port = readPort(values.port);
    return serve(context, { load: () => loadSettings(context, values.config), port });
  },
};
