// The composition root: a parts list. Parts start in order and stop in reverse; a new configuration is built whole
// and swapped in as one value, and what is under way ends with the old one.
import { createAgents } from "./agents/registry.ts";
import { createChannels } from "./channels/registry.ts";
import { type Config, defaultAgent } from "./config/config.ts";
import type { Environment, LoadResult } from "./config/load.ts";
import { restartNeeded } from "./config/restart.ts";
import { watchConfig } from "./config/watch.ts";
import { systemClock } from "./core/clock.ts";
import type { Log } from "./core/log.ts";
import { createCourier } from "./delivery/courier.ts";
import { createHooks } from "./hooks/pipeline.ts";
import { hookSettings } from "./hooks/settings.ts";
import type { Exchange } from "./http/exchange.ts";
import { sendJson, sendRefusal } from "./http/respond.ts";
import { createServer } from "./http/server.ts";
import { createThrottle } from "./http/throttle.ts";
import { createRunner } from "./runner/runner.ts";
import { createHeartbeat } from "./session/heartbeat.ts";
import { createHealth } from "./store/health.ts";
import { createRetentionKeeper } from "./store/retention.ts";
import { createRoom } from "./store/room.ts";
import type { Acceptance, Store } from "./store/store.ts";
import type { LevelledLog } from "./telemetry/log.ts";

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
  /** In place of the configured one; 0 takes a free port. */
  port?: number;
  /** How often the configuration file is looked at. */
  watchMs?: number;
  /** Of `openStore`, perhaps begun while this module was still being loaded. The gateway closes it. */
  store: Promise<Store>;
};

/** How long after the body's own limit the transport gives up on a request. */
const bodyMarginMs = 15_000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { loaded, env, log, port, watchMs } = options;
  const clock = systemClock;
  const started = loaded.config;
  const leaseMs = started.store.leaseSeconds * 1000;
  let current = partsOf(started);
  let stopping = false;
  report(log, loaded);

  const store = await options.store;
  const room = createRoom({ store, clock, most: () => current.config.hooks.maxQueued });
  await room.refresh();
  const health = createHealth({ store, clock });
  const throttle = createThrottle(started.hooks.authFailures, clock);
  const channels = createChannels(new Map());

  const courier = createCourier({ store, channels: () => channels, clock, log });
  const runner = createRunner({
    store,
    agents: () => current.agents,
    policy: () => ({ ...current.config.agents, configured: channels.configured() }),
    clock,
    log,
    leaseMs,
    onSettled: ({ delivery }) => {
      if (delivery) courier.kick();
    },
  });
  const heartbeat = createHeartbeat({
    store,
    agentId: () => defaultAgent(current.config.agents.list).id,
    everyMs: () => current.config.agents.heartbeatEveryMs,
    clock,
    log,
    kick: () => runner.kick("heartbeat"),
  });
  const retention = createRetentionKeeper({
    store,
    finishedMs: () => current.config.store.retentionMs,
    clock,
    log,
  });
  const hooks = createHooks({
    settings: () => current.hooks,
    store,
    throttle,
    clock,
    log,
    stopping: () => stopping,
    hasRoom: room.has,
    onStored({ runs, heartbeat: wakes }: Acceptance) {
      room.taken(runs.length);
      if (runs.length > 0) runner.kick("hook");
      if (wakes) runner.kick("heartbeat");
    },
  });

  const answerReady = async (exchange: Exchange): Promise<void> => {
    if (stopping) return sendRefusal(exchange, { refused: "stopping", retryAfterSeconds: 5 });
    if (await health.ready()) sendJson(exchange, 200, { ok: true });
    else sendRefusal(exchange, { refused: "store-unavailable", retryAfterSeconds: 1 });
  };
  const server = createServer({
    host: started.gateway.host,
    port: port ?? started.gateway.port,
    maxConnections: started.gateway.maxConnections,
    requestTimeoutMs: requestTimeoutMs(started),
    log,
    handle(exchange) {
      const target = exchange.request.url ?? "";
      if (target === "/healthz") sendJson(exchange, 200, { ok: true });
      else if (target === "/readyz") void answerReady(exchange);
      else hooks.handle(exchange);
    },
  });

  const address = await server.listen().catch(async (fault: unknown) => {
    await store.close();
    throw fault;
  });
  runner.start();
  courier.start();
  heartbeat.start();
  retention.start();
  const stopWatching = watchConfig({
    file: started.file,
    env,
    loaded,
    ...(watchMs !== undefined && { intervalMs: watchMs }),
    onChange(result) {
      report(log, result);
      if (!result.ok) return;
      for (const setting of restartNeeded(started, result.config)) {
        log.warn("this setting takes effect after a restart", { setting });
      }
      current = partsOf(result.config);
      throttle.configure(result.config.hooks.authFailures);
      server.limit(requestTimeoutMs(result.config));
      log.setLevel(result.config.log.level);
      heartbeat.refresh();
      runner.kick("hook");
      log.info("the configuration was reloaded");
    },
  });

  const stop = async (): Promise<void> => {
    stopping = true;
    stopWatching();
    heartbeat.stop();
    const drainMs = current.config.gateway.drainSeconds * 1000;
    await Promise.all([server.stop(), runner.drain(drainMs), courier.drain(drainMs), retention.stop()]);
    await store.close();
  };
  let stopped: Promise<void> | undefined;
  return { ...address, stop: () => (stopped ??= stop()) };
}

/** What a configuration becomes, whole before it is used. */
const partsOf = (config: Config) => ({
  config,
  hooks: hookSettings(config),
  agents: createAgents(config.agents.list),
});

const requestTimeoutMs = (config: Config): number => config.hooks.bodyTimeoutSeconds * 1000 + bodyMarginMs;

/** Problems and warnings name settings and never show their values. */
function report(log: Log, result: LoadResult): void {
  for (const { path, message } of result.warnings) log.warn(message, { setting: path });
  if (result.ok) return;
  for (const { path, message } of result.problems) log.error(message, { setting: path });
  log.error("the new configuration has problems; the old one goes on serving", {
    count: result.problems.length,
  });
}
