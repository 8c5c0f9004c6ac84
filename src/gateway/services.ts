// Services are made once and outlive every reload. A service reads the settings it needs from the generation in use.
import { secondsToMs } from "../core/duration.ts";
import { type Config, defaultAgent } from "../config/config.ts";
import { createReplyRenderer } from "../channels/reply-renderer.ts";
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
import { acceptWith } from "../runner/intake.ts";
import { createRunner, type Runner } from "../runner/runner.ts";
import { createHeartbeat, type Heartbeat } from "../session/heartbeat.ts";
import type { Store } from "../store/ports/store.ts";
import type { MetricsBook } from "../telemetry/metrics.ts";
import { createProcessStats, type ProcessStats } from "../telemetry/process.ts";
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
  courier: Courier;
  runner: Runner;
  /** What agents tell while they work on this node. */
  live: LiveRuns;
  heartbeat: Heartbeat;
  retention: RetentionKeeper;
  mail: MailAccounts;
  unused: UnusedRequests;
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
  const courier = courierOf(deps);
  const liveRuns = createLive({ clock });
  const runner = runnerOf(deps, { courier, live: liveRuns });
  const onStored = storedListener(admission, runner);
  const unused = createUnusedRequests({ store, clock, log });
  return {
    admission,
    health: createHealth({ store, clock }),
    throttle,
    failures,
    proofThrottle,
    senders,
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
    hooks: hooksOf(deps, { admission, failures, senders, runner, unused, onStored }),
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

function courierOf({ live, store, clock, log, leaseMs, metrics, trace }: ServiceDeps): Courier {
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
  { courier, live: liveRuns }: Pick<Services, "courier" | "live">,
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
    onSettled: ({ delivery }) => {
      if (delivery?.status === "waiting") courier.kick(delivery.channel);
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

/** Wakes the loops that have work now. Admission also counts a run that was stored as started: it can be retried. */
const storedListener =
  (admission: Admission, runner: Runner): OnStored =>
  (acceptance, { started } = { kind: "stored" }) => {
    const { runs, heartbeat } = acceptance;
    admission.admitted(acceptance);
    if (runs.length > 0 && !started) runner.kick("hook");
    if (heartbeat) runner.kick("heartbeat");
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
    runner,
    unused,
    onStored,
  }: Pick<Services, "admission" | "failures" | "senders" | "runner" | "unused"> & { onStored: OnStored },
): Hooks =>
  createHooks({
    settings: () => live.generation.hooks,
    store: { ...store, accept: acceptWith(store, runner) },
    throttle: failures,
    senders,
    clock,
    log,
    stopping: isStopping,
    admission,
    unused,
    onStored,
    metrics,
    trace,
  });
