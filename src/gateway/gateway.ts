// The composition root. Services are made once; a generation is all that one configuration becomes, and a reload swaps
// it; routes say who serves a request; the lifecycle starts all of it in order and stops it in reverse.
import { secondsToMs } from "../core/duration.ts";
import type { Config } from "../config/config.ts";
import type { Environment, LoadResult } from "../config/load.ts";
import { problemList } from "../config/problem.ts";
import { watchConfig } from "../config/watch.ts";
import { systemClock } from "../core/clock.ts";
import { UsageError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Trace } from "../core/trace.ts";
import { createServer, type Server } from "../http/server.ts";
import type { Store } from "../store/ports/store.ts";
import type { LevelledLog } from "../telemetry/log.ts";
import { createMetrics, type MetricsBook } from "../telemetry/metrics.ts";
import { openTrace } from "../telemetry/trace.ts";
import { knownNames, type Live, prepareGeneration, stopTransforms } from "./generation.ts";
import { createApi } from "../api/api.ts";
import { apiOptions } from "./api-options.ts";
import { reportClockStep } from "./clock-steps.ts";
import { reportUnreadable } from "./unreadable.ts";
import { createLifecycle, type Part } from "./lifecycle.ts";
import { createMetricsPage, type MetricsPage } from "./metrics-page.ts";
import { nodeName } from "./node-name.ts";
import { createReload, type Reload, report, requestTimeoutMs } from "./reload.ts";
import { createRoutes, handleWith, type Route } from "./routes.ts";
import { createServices, type Services } from "./services.ts";
import { watchedFilesFingerprint } from "./watched-files.ts";

export type Gateway = {
  host: string;
  port: number;
  /** Resolves when everything accepted is stored and nothing runs any more. */
  stop(): Promise<void>;
};

export type GatewayOptions = {
  loaded: Extract<LoadResult, { ok: true }>;
  env: Environment;
  log: LevelledLog;
  /** Overrides the configured port; 0 takes a free one. */
  port?: number;
  /** The pause between two scans of the watched files. */
  watchMs?: number;
  /** From `openStore`, which may still be opening. The gateway closes it. */
  store: Promise<Store>;
  /** The book in which the store counts its commits; without one, the gateway makes its own. */
  metrics?: MetricsBook;
};

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { loaded, log, metrics = createMetrics() } = options;
  report(log, loaded);
  const opened = await open(options);
  const { live, store } = opened;
  metrics.know(knownNames(live.generation));
  const lifecycle = createLifecycle();
  const { isStopping } = lifecycle;
  const node = nodeName(options.port ?? loaded.config.gateway.port);
  const services = createServices({
    ...opened,
    clock: systemClock,
    log,
    metrics,
    leaseMs: secondsToMs(loaded.config.store.leaseSeconds),
    node,
    isStopping,
  });
  await services.admission.recount();
  const metricsPage = metricsPageOf({
    live,
    store,
    metrics,
    services,
    connections: () => server.connections(),
  });
  const api = createApi(apiOptions({ ...opened, node, services, options, metrics, isStopping }));
  const server = serverOf(options, createRoutes({ ...services, metricsPage, api, isStopping }));
  const drainMs = (): number => secondsToMs(live.generation.config.gateway.drainSeconds);
  const reload = createReload({ started: loaded.config, live, services, server, log, metrics });
  const listener = listenerOf(server, drainMs, () => stopTransforms(live));
  await lifecycle.start([
    [{ stop: () => store.close() }, { stop: services.changes.stop }],
    [
      { stop: () => live.generation.mappings.close() },
      { stop: services.senders.calls.stop },
      services.unused,
    ],
    [{ stop: reload.settled }],
    // Called last of its stage, so that the responses to who waits close their connections.
    [
      { stop: services.results.stop },
      listener,
      ...workersOf(services, { drainMs, store, config: loaded.config, log, metrics }),
    ],
    [{ stop: api.stop }, { stop: services.processStats.stop }, watcherOf(options, opened, reload)],
  ]);
  return { ...listener.address(), stop: lifecycle.stop };
}

type Opened = { live: Live; store: Store; trace: Trace; watchedFiles: string };

/** Opens the store and prepares the first generation. Reads the watched files first, so that no change is missed. */
async function open({ loaded, store: opening }: GatewayOptions): Promise<Opened> {
  const { config } = loaded;
  const scanning = watchedFilesFingerprint(config);
  const preparing = scanning.then(() => prepareGeneration(config));
  const [store, prepared, trace] = await Promise.all([opening, preparing, openTrace()]);
  if (!prepared.ok) {
    await store.close();
    throw new UsageError(problemList(config.file, prepared.findings.map(loaded.locate)));
  }
  return {
    live: { generation: prepared.generation, retired: new Set(), fingerprint: loaded.fingerprint },
    store,
    trace,
    watchedFiles: await scanning,
  };
}

const serverOf = ({ loaded: { config }, port, log }: GatewayOptions, routes: readonly Route[]): Server =>
  createServer({
    host: config.gateway.host,
    port: port ?? config.gateway.port,
    maxConnections: config.gateway.maxConnections,
    requestTimeoutMs: requestTimeoutMs(config),
    log,
    handle: handleWith(routes),
  });

function metricsPageOf({
  live,
  store,
  metrics,
  services,
  connections,
}: {
  live: Live;
  store: Store;
  metrics: MetricsBook;
  services: Services;
  connections: () => number;
}): MetricsPage {
  const { runner, courier, failures, health, processStats } = services;
  return createMetricsPage({
    access: () => ({ guard: live.generation.guard, clientAddress: live.generation.hooks.clientAddress }),
    failures,
    book: metrics,
    store,
    isStoreUp: health.ready,
    now: () => ({
      connections: connections(),
      inHand: { runs: runner.busy(), deliveries: courier.busy() },
    }),
    process: processStats,
    clock: systemClock,
  });
}

function listenerOf(
  server: Server,
  drainMs: () => number,
  onOverdue: () => void,
): Part & { address(): { host: string; port: number } } {
  let address = { host: "", port: 0 };
  return {
    start: async () => void (address = await server.listen()),
    async stop() {
      const timer = setTimeout(onOverdue, drainMs());
      await server.stop(drainMs());
      clearTimeout(timer);
    },
    address: () => address,
  };
}

type WorkerDeps = { drainMs: () => number; store: Store; config: Config; log: Log; metrics: MetricsBook };

/** They stop at the same time: each finishes the work it has claimed, within the configured time. */
function workersOf(
  { runner, courier, heartbeat, retention, mail, changes }: Services,
  { drainMs, store, config, log, metrics }: WorkerDeps,
): Part[] {
  return [
    { start: () => store.watchUnreadable((row) => reportUnreadable(row, { log, metrics })) },
    { start: runner.start, stop: () => runner.drain(drainMs()) },
    { start: courier.start, stop: () => courier.drain(drainMs()) },
    heartbeat,
    retention,
    { start: () => store.watchClock((step) => reportClockStep(log, step)) },
    { start: () => store.listen({ runs: runner.poll, deliveries: courier.poll, changes: changes.hear }) },
    { start: () => void mail.apply(config), stop: mail.stop },
  ];
}

function watcherOf(
  { loaded, env, watchMs }: GatewayOptions,
  { live, watchedFiles }: Opened,
  reload: Reload,
): Part {
  let stop = (): void => {};
  return {
    start() {
      stop = watchConfig({
        file: loaded.config.file,
        env,
        loaded,
        also: { now: () => watchedFilesFingerprint(live.generation.config), known: watchedFiles },
        clock: systemClock,
        ...(watchMs !== undefined && { intervalMs: watchMs }),
        onChange: reload.take,
      });
    },
    stop: () => stop(),
  };
}
