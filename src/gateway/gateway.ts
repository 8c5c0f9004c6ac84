// The composition root: a parts list. Parts start in order and stop in reverse; a new configuration is built whole
// and swapped in as one value, and what is under way ends with the old one.
import { statSync } from "node:fs";
import { type Config, defaultAgent } from "../config/config.ts";
import type { Environment, LoadResult } from "../config/load.ts";
import { problemList } from "../config/problem.ts";
import { restartNeeded } from "../config/restart.ts";
import { watchConfig } from "../config/watch.ts";
import { systemClock } from "../core/clock.ts";
import { UsageError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { mailHook } from "../core/mail.ts";
import { createCourier } from "../delivery/courier.ts";
import { createMetricsPage } from "./metrics-page.ts";
import { knownNames, type Parts, prepareParts } from "./generation.ts";
import { decidePayload } from "../hooks/decide.ts";
import { createHooks } from "../hooks/ladder.ts";
import { inFetchedSpan } from "../hooks/span.ts";
import { folderFingerprint } from "../transforms/fingerprint.ts";
import type { Exchange } from "../http/exchange.ts";
import { sendJson, sendRefusal } from "../http/respond.ts";
import { createServer } from "../http/server.ts";
import { createSharedThrottle } from "../http/shared-throttle.ts";
import { createThrottle } from "../http/throttle.ts";
import { createMailAccounts, mailFingerprint } from "../mail/accounts.ts";
import { acceptWith } from "../runner/intake.ts";
import { createRunner } from "../runner/runner.ts";
import { createHeartbeat } from "../session/heartbeat.ts";
import { createHealth } from "./health.ts";
import { createRetentionKeeper } from "./retention.ts";
import { createAdmission } from "../hooks/admission.ts";
import type { Acceptance, Stored } from "../core/request.ts";
import type { Store } from "../store/ports/store.ts";
import type { LevelledLog } from "../telemetry/log.ts";
import { createMetrics, type MetricsBook } from "../telemetry/metrics.ts";
import { createProcessWatch } from "../telemetry/process.ts";
import { openTrace } from "../telemetry/trace.ts";

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
  /** The one that the store tells of its commits; without, one of its own. */
  metrics?: MetricsBook;
};

/** How long after the body's own limit the transport gives up on a request. */
const bodyMarginMs = 15_000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { loaded, env, log, port, watchMs, metrics = createMetrics() } = options;
  const clock = systemClock;
  const started = loaded.config;
  const leaseMs = started.store.leaseSeconds * 1000;
  let stopping = false;
  report(log, loaded);

  const besideBefore = besideFingerprint(started);
  const [store, prepared, trace] = await Promise.all([options.store, prepareParts(started), openTrace()]);
  if (!prepared.ok) {
    await store.close();
    throw new UsageError(problemList(started.file, prepared.findings.map(loaded.place)));
  }
  let current = prepared.parts;
  metrics.know(knownNames(current));
  const admission = createAdmission({
    store,
    clock,
    maxWaiting: () => current.config.hooks.maxQueued,
    isShared: isShared(current.config),
  });
  await admission.recount();
  const health = createHealth({ store, clock });
  const throttle = createThrottle(started.hooks.authFailures, clock);
  const authFailures = () => current.config.hooks.authFailures;
  const failures = isShared(started)
    ? createSharedThrottle({
        local: throttle,
        count: (address) => store.countFailure({ address, windowMs: authFailures().windowSeconds * 1000 }),
        max: () => authFailures().max,
        clock,
      })
    : throttle;

  const courier = createCourier({
    store,
    channels: () => current.channels,
    clock,
    log,
    leaseMs,
    metrics,
    trace,
    onFull: () => store.announce("deliveries"),
  });
  const runner = createRunner({
    store,
    agents: () => current.agents,
    policy: () => ({
      ...current.config.agents,
      budget: current.config.hooks.budget,
      prices: current.config.models.prices,
      contextTokens: current.config.models.contextTokens,
      configured: current.channels.configured(),
    }),
    clock,
    log,
    leaseMs,
    metrics,
    trace,
    onFull: () => store.announce("runs"),
    onSettled: ({ delivery }) => {
      if (delivery) courier.kick(delivery.channel);
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
  const onStored = ({ runs, heartbeat: wakes }: Acceptance, { begun }: Stored = { kind: "stored" }): void => {
    // Also a run that has started: it waits when it has to be tried again.
    admission.admitted(runs.length);
    if (runs.length > 0 && !begun) runner.kick("hook");
    if (wakes) runner.kick("heartbeat");
  };
  const mail = createMailAccounts({
    store,
    decide: (payload) =>
      inFetchedSpan(trace, mailHook, () =>
        decidePayload(mailHook, payload, { settings: current.hooks, admission, now: clock.now() }),
      ),
    clock,
    log,
    leaseMs,
    agentId: () => defaultAgent(current.config.agents.list).id,
    onStored: (acceptances) => acceptances.forEach((each) => onStored(each)),
  });
  const hooks = createHooks({
    settings: () => current.hooks,
    store: { ...store, accept: acceptWith(store, runner) },
    throttle: failures,
    clock,
    log,
    stopping: () => stopping,
    admission,
    onStored,
    metrics,
    trace,
  });
  const watch = createProcessWatch();
  const metricsPage = createMetricsPage({
    access: () => ({ guard: current.guard, clientAddress: current.hooks.clientAddress }),
    failures,
    book: metrics,
    store,
    isStoreUp: health.ready,
    now: () => ({
      connections: server.connections(),
      inHand: { runs: runner.busy(), deliveries: courier.busy() },
    }),
    process: watch,
    clock,
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
      else if (metricsPage.handles(target)) metricsPage.handle(exchange);
      else (mail.handler(target) ?? hooks.handle)(exchange);
    },
  });

  const address = await server.listen().catch(async (fault: unknown) => {
    await current.mappings.close();
    await store.close();
    throw fault;
  });
  runner.start();
  courier.start();
  heartbeat.start();
  retention.start();
  store.listen({ runs: runner.look, deliveries: courier.look });
  void mail.apply(started);
  async function takeUp(result: LoadResult): Promise<void> {
    const next = await wholeOf(result);
    report(log, next.result);
    if (next.parts === null) return;
    const { config } = next.parts;
    for (const setting of restartNeeded(started, config)) {
      log.warn("this setting takes effect after a restart", { setting });
    }
    const before = current;
    current = next.parts;
    metrics.know(knownNames(current));
    void before.mappings.close();
    throttle.configure(config.hooks.authFailures);
    server.limit(requestTimeoutMs(config));
    log.setLevel(config.log.level);
    heartbeat.refresh();
    runner.kick("hook");
    courier.look();
    void mail.apply(config);
    log.info("the configuration was reloaded");
  }
  let taken = Promise.resolve();
  const stopWatching = watchConfig({
    file: started.file,
    env,
    loaded,
    also: { now: () => besideFingerprint(current.config), known: besideBefore },
    ...(watchMs !== undefined && { intervalMs: watchMs }),
    onChange: (result) => void (taken = taken.then(() => takeUp(result))),
  });

  const stop = async (): Promise<void> => {
    stopping = true;
    stopWatching();
    watch.stop();
    heartbeat.stop();
    const drainMs = current.config.gateway.drainSeconds * 1000;
    await Promise.all([
      server.stop(),
      mail.stop(),
      runner.drain(drainMs),
      courier.drain(drainMs),
      retention.stop(),
    ]);
    await taken;
    await current.mappings.close();
    await store.close();
  };
  let stopped: Promise<void> | undefined;
  return { ...address, stop: () => (stopped ??= stop()) };
}

/** A configuration of which something cannot be used is one with problems. */
async function wholeOf(result: LoadResult): Promise<{ result: LoadResult; parts: Parts | null }> {
  if (!result.ok) return { result, parts: null };
  const prepared = await prepareParts(result.config);
  if (prepared.ok) return { result, parts: prepared.parts };
  const problems = prepared.findings.map(result.place);
  return { result: { ...result, ok: false, problems }, parts: null };
}

/** Changes when a transform's or a channel's file does, or the login of a mail account. */
function besideFingerprint(config: Config): string {
  const { hooks, channels } = config;
  const hasTransforms = hooks.mappings.some(({ transform }) => transform !== null);
  const changed = channels.plugins.map(({ module }) => statSync(module, { throwIfNoEntry: false })?.mtimeMs);
  const transforms = hasTransforms ? folderFingerprint(hooks.transformsDir) : "";
  return [transforms, mailFingerprint(config), ...changed].join(" ");
}

/** Whether other nodes can be on the same store. */
const isShared = (config: Config): boolean => config.store.url !== null;

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
