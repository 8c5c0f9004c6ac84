// Runs get executed: claimed, attempted, settled. Hook runs have `maxConcurrent` slots and heartbeats one of their own,
// so that a flood of hooks never stops them.
import { hostname } from "node:os";
import { newId as newUuid } from "../core/id.ts";
import { noLive } from "../core/live.ts";
import { noMetrics } from "../core/metrics.ts";
import type { NewRun, RunKind } from "../core/run.ts";
import type { Settlement } from "../core/settlement.ts";
import { carriedTrace } from "../core/trace.ts";
import { createPromptMaker, type PromptMaker } from "../session/prompt-maker.ts";
import type { Store } from "../store/ports/store.ts";
import { createLoop, type Loop } from "../work/loop.ts";
import {
  createAttempts,
  type AttemptPolicy,
  type AttemptsOptions,
  type RunningAttempts,
} from "./attempts.ts";
import type { Work } from "./execute.ts";
import { reserveSlot, type RunSlot } from "./intake.ts";

/** Read again for each attempt. */
export type RunnerPolicy = AttemptPolicy & { maxConcurrent: number };

type Defaulted = Pick<AttemptsOptions, "metrics" | "trace" | "newId" | "random" | "node" | "live">;

export type RunnerOptions = Omit<
  AttemptsOptions,
  keyof Defaulted | "store" | "policy" | "prompts" | "onSettled"
> &
  Partial<Defaulted> & {
    store: AttemptsOptions["store"] & Pick<Store, "claimRuns">;
    policy: () => RunnerPolicy;
    prompts?: PromptMaker;
    /** There are more hook runs than this node has slots for. */
    onFull?: () => void;
    /** Called with every stored settlement: a delivery may be waiting now. */
    onSettled?: (settlement: Settlement) => void;
  };

export type Runner = {
  start(): void;
  /** Something of this kind was stored that may be run. */
  kick(kind: RunKind): void;
  /** For a hook's isolated run; null when it has to wait for a slot. */
  reserve(run: NewRun): RunSlot | null;
  /** Another node has more hook runs than slots. */
  poll(): void;
  /** One claim of each kind, resolved when all it brought is settled: for tests, in place of `start`. */
  tick(): Promise<void>;
  /** Claims no more, waits `drainMs` for running agents, releases the rest, and resolves when all is stored. */
  drain(drainMs: number): Promise<void>;
  busy(): number;
};

export function createRunner(options: RunnerOptions): Runner {
  const { agents, policy, clock, leaseMs, newId = newUuid, prompts = createPromptMaker() } = options;
  const attempts = createAttempts({
    ...withDefaults(options),
    prompts,
    onSettled(run, settlement) {
      options.onSettled?.(settlement);
      if (settlement.heartbeat) byKind.heartbeat.kick();
      // The next claim learns when the retry is due.
      if (settlement.next.kind === "retry") byKind[run.kind].kick();
    },
  });
  const byKind = createLoops(options, attempts);
  const loops = Object.values(byKind);
  const reserving = { loop: byKind.hook, agents, policy, prompts, clock, leaseMs, lease: newId() };

  return {
    start: () => loops.forEach((loop) => loop.start()),
    kick: (kind) => byKind[kind].kick(),
    reserve: (run) => reserveSlot(run, reserving),
    poll: () => byKind.hook.poll(),
    async tick() {
      await Promise.all(loops.map((loop) => loop.tick()));
    },
    async drain(drainMs) {
      attempts.refuse();
      if (drainMs <= 0) attempts.release();
      const cancelTimer = clock.after(drainMs, attempts.release);
      await Promise.all(loops.map((loop) => loop.drain()));
      cancelTimer();
      await Promise.all([attempts.end(), prompts.close()]);
    },
    busy: () => loops.reduce((sum, loop) => sum + loop.busy(), 0),
  };
}

const withDefaults = (options: RunnerOptions) => ({
  ...options,
  metrics: options.metrics ?? noMetrics,
  trace: options.trace ?? carriedTrace,
  newId: options.newId ?? newUuid,
  random: options.random ?? Math.random,
  node: options.node ?? hostname(),
  live: options.live ?? noLive,
});

function createLoops(options: RunnerOptions, attempts: RunningAttempts): Record<RunKind, Loop<Work>> {
  const { store, policy, clock, log, leaseMs, random, onFull, newId = newUuid } = options;
  const loopOver = (kind: RunKind, capacity: () => number) =>
    createLoop<Work>({
      name: `${kind} runs`,
      clock,
      log,
      ...(random && { random }),
      capacity,
      // Each claim has a lease of its own, so that a lost attempt cannot settle a run that this node has claimed again.
      async claim(limit) {
        const leasedFrom = clock.monotonic();
        const { claimed, nextInMs } = await store.claimRuns({ kind, limit, lease: newId(), leaseMs });
        return { claimed: claimed.map((run) => ({ run, leasedFrom, input: null })), nextInMs };
      },
      handle: attempts.handle,
      opensNext: ({ run }) => !run.isolated,
      ...(kind === "hook" && onFull && { onFull }),
    });
  return { hook: loopOver("hook", () => policy().maxConcurrent), heartbeat: loopOver("heartbeat", () => 1) };
}
