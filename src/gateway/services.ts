// Services are made once and outlive every reload. A service reads the settings it needs from the generation in use.
import { secondsToMs } from "../core/duration.ts";
import { type Config, defaultAgent } from "../config/config.ts";
import { createReplyRenderer } from "../channels/reply-renderer.ts";
import type { Changes } from "../core/change.ts";
import type { Clock } from "../core/clock.ts";
import type { Live as LiveRuns } from "../core/live.ts";
import type { Log } from "../core/log.ts";
import { mailHook } from "../core/mail.ts";
import type { Acceptance, Stored } from "../core/request.ts";
import type { Trace } from "../core/trace.ts";
import { type Courier, createCourier } from "../delivery/courier.ts";
import { createAdmission, type Admission } from "../hooks/admission.ts";
import { decideMail } from "../hooks/decide.ts";
import { createHooks, type Hooks } from "../hooks/ladder.ts";
import type { SenderParts } from "../hooks/senders/climb.ts";
import { createSenderParts } from "../hooks/senders/parts.ts";
import { createUnusedRequests, type UnusedRequests } from "../hooks/unused.ts";
import { inFetchedSpan } from "../hooks/span.ts";
import { createSharedThrottle, type FailureCounter } from "../http/shared-throttle.ts";
import { createThrottle, type Throttle } from "../http/throttle.ts";
import { createMailAccounts, type MailAccounts } from "../mail/accounts.ts";
import { createLive } from "../results/live.ts";
import { createResults, type Results } from "../results/results.ts";
import { acceptWith } from "../runner/intake.ts";
import { createRunner, type Runner } from "../runner/runner.ts";
import { createHeartbeat, type Heartbeat } from "../session/heartbeat.ts";
import type { Store } from "../store/ports/store.ts";
import type { MetricsBook } from "../telemetry/metrics.ts";
import { createProcessStats, type ProcessStats } from "../telemetry/process.ts";
import { createChanges, type GatewayChanges } from "./changes.ts";
import type { Live } from "./generation.ts";
import { createHealth, type Health } from "./health.ts";
import { createRetentionKeeper, type RetentionKeeper } from "./retention.ts";

export type ServiceDeps = {
  /** The generation in use; a reload replaces it. */
  live: Live;
  store: Store;
  clock: Clock;
  log: Log;
  metrics: MetricsBook;
  trace: Trace;
  leaseMs: number;
  /** The name of this process among those of its store. */
  node: string;
  isStopping: () => boolean;
};

export type Services = {
  admission: Admission;
  health: Health;
  throttle: Throttle;
  failures: FailureCounter;
  /** Counts failed proofs of senders, apart from failed tokens. */
  proofThrottle: Throttle;
  senders: SenderParts;
  changes: GatewayChanges;
  results: Results;
  courier: Courier;
  runner: Runner;
  /** What agents tell while they work on this node. */
  live: LiveRuns;
  heartbeat: Heartbeat;
  retention: RetentionKeeper;
  mail: MailAccounts;
  unused: UnusedRequests;
  /** Called with what is new in the store. */
  onStored: OnStored;
  hooks: Hooks;
  processStats: ProcessStats;
};

export function createServices(deps: ServiceDeps): Services {
  const { live, store, clock, log } = deps;
  const admission = createAdmission({
    store,
    clock,
    limits: () => live.generation.config.hooks,
    isShared: isShared(live.generation.config),
  });
  const throttle = createThrottle(live.generation.config.hooks.authFailures, clock);
  const failures = failuresOf(throttle, deps);
  const proofThrottle = createThrottle(live.generation.config.hooks.authFailures, clock);
  const senders = createSenderParts({
    store,
    clock,
    log,
    failures: { fail: failuresOf(proofThrottle, deps).fail, limited: proofThrottle.limited },
  });
  const changes = createChanges({ store: isShared(live.generation.config) ? store : null, clock });
  const liveRuns = createLive({ clock });
  const results = createResults({
    store,
    changes,
    live: liveRuns,
    clock,
    mostWaiting: () => live.generation.config.hooks.maxWaiting,
  });
  const courier = courierOf(deps, changes);
  const runner = runnerOf(deps, { courier, changes, live: liveRuns });
  const onStored = storedListener(admission, runner, changes);
  const recordRequest = recorder(store, changes);
  const unused = createUnusedRequests({ store: { recordRequest }, clock, log });
  return {
    admission,
    health: createHealth({ store, clock, log }),
    throttle,
    failures,
    proofThrottle,
    senders,
    changes,
    results,
    courier,
    runner,
    live: liveRuns,
    heartbeat: heartbeatOf(deps, runner),
    retention: createRetentionKeeper({
      store,
      finishedMs: () => live.generation.config.store.retentionMs,
      requestsMs: () => live.generation.config.hooks.keepRequestsMs,
      clock,
      log,
    }),
    mail: mailOf(deps, admission, onStored),
    unused,
    onStored,
    hooks: hooksOf(deps, { admission, failures, senders, results, runner, unused, recordRequest, onStored }),
    processStats: createProcessStats(),
  };
}

/** Whether other nodes can use the same store. */
const isShared = (config: Config): boolean => config.store.url !== null;

/** Failed logins are counted for all nodes where they share a store. */
function failuresOf(throttle: Throttle, { live, store, clock }: ServiceDeps): FailureCounter {
  if (!isShared(live.generation.config)) return throttle;
  const authFailures = () => live.generation.config.hooks.authFailures;
  return createSharedThrottle({
    local: throttle,
    count: (address) => store.countFailure({ address, windowMs: secondsToMs(authFailures().windowSeconds) }),
    max: () => authFailures().max,
    clock,
  });
}

function courierOf(
  { live, store, clock, log, leaseMs, metrics, trace }: ServiceDeps,
  changes: Changes,
): Courier {
  const { render, close } = createReplyRenderer();
  const courier = createCourier({
    store,
    channels: () => live.generation.channels,
    render,
    clock,
    log,
    leaseMs,
    metrics,
    trace,
    onFull: () => store.announce("deliveries"),
    onChanged: (id, status) => changes.tell({ kind: "delivery", id, status }),
  });
  return {
    ...courier,
    async drain(drainMs) {
      await courier.drain(drainMs);
      await close();
    },
  };
}

const runnerOf = (
  { live, store, clock, log, leaseMs, node, metrics, trace }: ServiceDeps,
  { courier, changes, live: liveRuns }: Pick<Services, "courier" | "changes" | "live">,
): Runner =>
  createRunner({
    store,
    agents: () => live.generation.agents,
    policy: () => {
      const { config, channels } = live.generation;
      return {
        ...config.agents,
        budget: config.hooks.budget,
        deliverFailures: config.hooks.deliverFailures,
        prices: config.models.prices,
        contextTokens: config.models.contextTokens,
        configured: channels.configured(),
      };
    },
    clock,
    log,
    leaseMs,
    node,
    live: liveRuns,
    metrics,
    trace,
    onFull: () => store.announce("runs"),
    onChanged: (id, status) => changes.tell({ kind: "run", id, status }),
    onSettled: ({ delivery, callback, summary, shownEventIds }) => {
      if (delivery?.status === "waiting") courier.kick(delivery.channel);
      for (const each of [delivery, callback])
        if (each) changes.tell({ kind: "delivery", id: each.id, status: each.status });
      if (summary) changes.tell({ kind: "event", id: summary.id, status: "waiting" });
      for (const id of shownEventIds) changes.tell({ kind: "event", id, status: "shown" });
    },
  });

const heartbeatOf = ({ live, store, clock, log }: ServiceDeps, runner: Runner): Heartbeat =>
  createHeartbeat({
    store,
    agentId: () => defaultAgent(live.generation.config.agents.list).id,
    everyMs: () => live.generation.config.agents.heartbeatEveryMs,
    clock,
    log,
    kick: () => runner.kick("heartbeat"),
  });

type OnStored = (acceptance: Acceptance, stored?: Stored) => void;

/** Wakes the loops that have work now, and tells what was stored. Admission also counts a run that was stored as started: it can be retried. */
const storedListener =
  (admission: Admission, runner: Runner, changes: Changes): OnStored =>
  (acceptance, { started } = { kind: "stored" }) => {
    const { request, runs, events, heartbeat } = acceptance;
    admission.admitted(acceptance);
    if (runs.length > 0 && !started) runner.kick("hook");
    if (heartbeat) runner.kick("heartbeat");
    if (request) changes.tell({ kind: "request", id: request.id, status: "accepted" });
    for (const { id } of runs) changes.tell({ kind: "run", id, status: started ? "running" : "queued" });
    for (const { id } of events) changes.tell({ kind: "event", id, status: "waiting" });
  };

type RecordRequest = Store["recordRequest"];

const recorder =
  (store: Pick<Store, "recordRequest">, changes: Changes): RecordRequest =>
  async (unused) => {
    await store.recordRequest(unused);
    changes.tell({ kind: "request", id: unused.request.id, status: unused.outcome });
  };

const mailOf = (
  { live, store, clock, log, leaseMs, trace }: ServiceDeps,
  admission: Admission,
  onStored: OnStored,
): MailAccounts =>
  createMailAccounts({
    store,
    decide: (payload) =>
      inFetchedSpan(trace, mailHook, () =>
        decideMail(
          mailHook,
          { payload, delivery: payload.messages[0]?.id ?? "" },
          { settings: live.generation.hooks, admission, now: clock.now() },
        ),
      ),
    clock,
    log,
    leaseMs,
    agentId: () => defaultAgent(live.generation.config.agents.list).id,
    onStored: (acceptances) => acceptances.forEach((each) => onStored(each)),
  });

const hooksOf = (
  { live, store, clock, log, metrics, trace, isStopping }: ServiceDeps,
  {
    admission,
    failures,
    senders,
    results,
    runner,
    unused,
    recordRequest,
    onStored,
  }: Pick<Services, "admission" | "failures" | "senders" | "results" | "runner" | "unused"> & {
    recordRequest: RecordRequest;
    onStored: OnStored;
  },
): Hooks =>
  createHooks({
    settings: () => live.generation.hooks,
    store: { ...store, recordRequest, accept: acceptWith(store, runner) },
    throttle: failures,
    senders,
    results,
    clock,
    log,
    stopping: isStopping,
    admission,
    unused,
    onStored,
    metrics,
    trace,
  });
