// Runs get executed: claimed, executed, settled. Hook runs have `maxConcurrent` places and heartbeats one of their
// own, so that a flood of hooks never stops them.
import type { Agents } from "../agents/registry.ts";
import type { Clock } from "../core/clock.ts";
import { newId as newUuid } from "../core/id.ts";
import type { Log } from "../core/log.ts";
import { noMetrics } from "../core/metrics.ts";
import type { ClaimedRun, NewRun, RunKind } from "../core/run.ts";
import { createSlots } from "../core/slots.ts";
import type { Budget } from "../core/spending.ts";
import type { ConfiguredChannel } from "../core/target.ts";
import { carriedTrace, type Trace } from "../core/trace.ts";
import type { FirstTurn } from "../core/attempt.ts";
import type { Settlement } from "../core/settlement.ts";
import type { Store } from "../store/ports/store.ts";
import { createLeaseKeeper } from "../work/lease.ts";
import { createLoop } from "../work/loop.ts";
import { conclude } from "./conclude.ts";
import { execute, loadTurning, type StopReason, type Work } from "./execute.ts";
import { beginRecord, endRecord, type Handled, type RunMetrics } from "./observe.ts";
import type { Price } from "./report.ts";
import type { AttemptInput, InputDependencies } from "./input.ts";

export type RunnerPolicy = {
  maxConcurrent: number;
  maxAttempts: number;
  timeoutSeconds: number;
  /** Of each hook. */
  budget: Budget;
  prices: Readonly<Record<string, Price>>;
  contextTokens: Readonly<Record<string, number>>;
  /** The channels replies can go to. */
  configured: readonly ConfiguredChannel[];
};

export type RunnerOptions = {
  store: Pick<Store, "claimRuns" | "renewRuns" | "settleRun" | "lastTarget"> & InputDependencies["store"];
  agents: () => Agents;
  policy: () => RunnerPolicy;
  clock: Clock;
  log: Log;
  leaseMs: number;
  /** There are more hook runs than this node has places for. */
  onFull?: () => void;
  /** Told of everything that was stored: a delivery may be waiting now. */
  onSettled?: (settlement: Settlement) => void;
  metrics?: RunMetrics;
  trace?: Trace;
  newId?: () => string;
  random?: () => number;
};

/** For one run that is about to be stored. One of `take` and `free` is called, once. */
export type RunPlace = {
  /** What it is stored with; null when it has to be stored as any other. */
  firstTurn(): Promise<FirstTurn | null>;
  take(begun: ClaimedRun): void;
  free(): void;
};

export type Runner = {
  start(): void;
  /** Something of this kind was stored that may be run. */
  kick(kind: RunKind): void;
  /** For an isolated run of a hook; null when it has to wait for its turn. */
  reserve(run: NewRun): RunPlace | null;
  /** Another node has more hook runs than it can take. */
  look(): void;
  /** One claim of each kind, resolved when it has been settled: for tests, in place of `start`. */
  tick(): Promise<void>;
  /** Claims no more, lets what runs end for `drainMs`, gives back the rest, and resolves when that is stored. */
  drain(drainMs: number): Promise<void>;
  busy(): number;
};

/** Agents stop within a few seconds of being told; a little longer than the command agent's grace. */
const lingerMs = 6000;

export function createRunner(options: RunnerOptions): Runner {
  const { store, agents, policy, clock, log, leaseMs, onSettled } = options;
  const { newId = newUuid, random = Math.random, metrics = noMetrics, trace = carriedTrace } = options;
  const inHand = createSlots<AbortController>();
  const lingering = new Set<Promise<unknown>>();
  /** Of all runs that are taken as they are accepted: none of them can have been held before. */
  const firstLease = newId();
  let draining = false;

  const leases = createLeaseKeeper({
    clock,
    log,
    leaseMs,
    renew: (renewal) => store.renewRuns({ ...renewal, leaseMs }),
  });

  const lingers = (turn: Promise<unknown>) => {
    const gone = turn.finally(() => lingering.delete(gone));
    lingering.add(gone);
  };
  const executeDependencies = { store, agents, policy, clock, lingers, trace };
  const concludeDependencies = {
    store,
    policy: ({ agentId }: ClaimedRun) => ({
      ...policy(),
      mainAgentId: agents().main.config.id,
      fallback: agents().find(agentId).config.fallback,
    }),
    clock,
    log,
    newId,
    random,
  };

  async function handle({ run: claimed, opening }: Work, freePlace: () => void): Promise<void> {
    const { run, span } = beginRecord(claimed, { metrics, trace });
    endRecord(run, await work({ run, opening }, freePlace), span, metrics);
  }

  async function work({ run, opening }: Work, freePlace: () => void): Promise<Handled> {
    const stop = new AbortController();
    const abort = (reason: StopReason) => stop.abort(reason);
    let lost = false;
    const at = inHand.put(stop);
    const letGo = leases.hold({ id: run.id, lease: run.lease }, (reason) => {
      lost ||= reason === "lost";
      abort(reason);
    });
    try {
      if (draining) abort("released");
      const attempt = await execute({ run, opening }, stop.signal, executeDependencies);
      // Places are for agents at work: the next one may begin while the end of this one is stored.
      freePlace();
      if (attempt === "lost") {
        log.warn("a run's lease was lost", { runId: run.id, hook: run.hook, attempt: run.attempts });
        return "lost";
      }
      if (typeof attempt === "object" && "parked" in attempt) {
        log.warn("a run is parked", { runId: run.id, hook: run.hook, reason: attempt.parked });
        return "parked";
      }
      const settlement = await conclude(run, attempt, () => lost, concludeDependencies);
      if (settlement) {
        onSettled?.(settlement);
        if (settlement.heartbeat) kick("heartbeat");
        // A claim says when it is due again.
        if (settlement.next.kind === "retry") kick(run.kind);
      }
      return settlement ?? "lost";
    } finally {
      letGo();
      inHand.take(at);
    }
  }

  // A lease of its own for every claim: what was lost and claimed again here is not mistaken for what was held.
  const loopOver = (kind: RunKind, capacity: () => number, onFull?: () => void) =>
    createLoop<Work>({
      name: `${kind} runs`,
      clock,
      log,
      random,
      capacity,
      async claim(limit) {
        const { claimed, nextInMs } = await store.claimRuns({ kind, limit, lease: newId(), leaseMs });
        return { claimed: claimed.map((run) => ({ run, opening: null })), nextInMs };
      },
      handle,
      opensNext: ({ run }) => !run.isolated,
      ...(onFull && { onFull }),
    });
  const byKind = {
    hook: loopOver("hook", () => policy().maxConcurrent, options.onFull),
    heartbeat: loopOver("heartbeat", () => 1),
  };
  const loops = Object.values(byKind);
  const kick = (kind: RunKind): void => byKind[kind].kick();

  async function lingeringGone(): Promise<void> {
    if (lingering.size === 0) return;
    const timeUp = Promise.withResolvers<void>();
    const takeBack = clock.after(lingerMs, timeUp.resolve);
    await Promise.race([Promise.all(lingering), timeUp.promise]);
    takeBack();
  }

  return {
    start: () => loops.forEach((loop) => loop.start()),
    kick,
    reserve(run) {
      const place = byKind.hook.reserve();
      if (!place) return null;
      let opening: AttemptInput | null = null;
      return {
        async firstTurn() {
          const { openEarly, startOf } = await loadTurning();
          opening = openEarly(run, agents());
          return opening && { start: startOf({ ...run, lease: firstLease }, opening, { policy }), leaseMs };
        },
        take: (begun) => place.take({ run: begun, opening }),
        free: place.free,
      };
    },
    look: () => byKind.hook.look(),
    async tick() {
      await Promise.all(loops.map((loop) => loop.tick()));
    },
    async drain(drainMs) {
      draining = true;
      const giveBack = () => inHand.values().forEach((stop) => stop.abort("released"));
      if (drainMs <= 0) giveBack();
      const takeBack = clock.after(drainMs, giveBack);
      await Promise.all(loops.map((loop) => loop.drain()));
      takeBack();
      await lingeringGone();
      leases.stop();
    },
    busy: () => loops.reduce((sum, loop) => sum + loop.busy(), 0),
  };
}
