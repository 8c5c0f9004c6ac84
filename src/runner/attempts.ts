// The attempts that run on this node. Each is executed under its lease and settled; on a clean stop, those that do not
// end in time are released.
import type { Attempt } from "../core/attempt.ts";
import type { Log } from "../core/log.ts";
import type { ClaimedRun, RunStatus } from "../core/run.ts";
import type { Settlement } from "../core/settlement.ts";
import type { Store } from "../store/ports/store.ts";
import { createLeaseKeeper } from "../work/lease.ts";
import { conclude, type ConcludeDependencies } from "./conclude.ts";
import { execute, type ExecuteDependencies, type Work } from "./execute.ts";
import { createLingering } from "./lingering.ts";
import { observeEnd, observeStart, type Handled, type RunMetrics } from "./observe.ts";
import type { SettlePolicy } from "./settle.ts";
import type { StopReason } from "./until-end.ts";

export type AttemptPolicy = ReturnType<ExecuteDependencies["policy"]> &
  Pick<SettlePolicy, "prices" | "configured" | "deliverFailures">;

export type AttemptsOptions = Omit<ExecuteDependencies, "store" | "policy" | "lingers"> &
  Pick<ConcludeDependencies, "newId" | "random"> & {
    store: ExecuteDependencies["store"] & ConcludeDependencies["store"] & Pick<Store, "renewRuns">;
    policy: () => AttemptPolicy;
    log: Log;
    leaseMs: number;
    /** The name of this gateway process, kept with its attempts. */
    node: string;
    metrics: RunMetrics;
    onSettled: (run: ClaimedRun, settlement: Settlement) => void;
    /** A run is in another state in the store. */
    onChanged?: ((runId: string, status: RunStatus) => void) | undefined;
  };

export type RunningAttempts = {
  /** `freeSlot` is called when the agent is done: the next run may start while the end of this one is stored. */
  handle(work: Work, freeSlot: () => void): Promise<void>;
  /** From now on a run is released without an attempt. */
  refuse(): void;
  /** Stops what runs, and releases it. */
  release(): void;
  /** Resolves when the agents that were stopped have ended, or after a few seconds. */
  end(): Promise<void>;
};

export function createAttempts(options: AttemptsOptions): RunningAttempts {
  const { store, clock, log, leaseMs, metrics, trace } = options;
  const running = new Set<AbortController>();
  const lingering = createLingering(clock);
  const dependencies = { ...options, lingers: lingering.add };
  const settling = settlingOf(options);
  const leases = createLeaseKeeper({
    clock,
    log,
    leaseMs,
    renew: (renewal) => store.renewRuns({ ...renewal, leaseMs }),
  });
  let isRefusing = false;

  async function attemptOf({ run, leasedFrom, input }: Work, freeSlot: () => void): Promise<Handled> {
    const stop = new AbortController();
    const abort = (reason: StopReason) => stop.abort(reason);
    running.add(stop);
    let isLost = false;
    const releaseLease = leases.keep(run, leasedFrom, (reason) => {
      isLost ||= reason === "lost";
      abort(reason);
    });
    try {
      if (isRefusing) abort("released");
      const attempt = await execute({ run, leasedFrom, input }, stop.signal, dependencies);
      freeSlot();
      return await settleAttempt(run, attempt, () => isLost, settling);
    } finally {
      releaseLease();
      running.delete(stop);
    }
  }

  return {
    async handle({ run: claimed, ...work }, freeSlot) {
      options.onChanged?.(claimed.id, "running");
      const { run, span } = observeStart(claimed, { metrics, trace });
      observeEnd(run, await attemptOf({ ...work, run }, freeSlot), span, metrics);
    },
    refuse() {
      isRefusing = true;
    },
    release() {
      for (const stop of running) stop.abort("released" satisfies StopReason);
    },
    async end() {
      await lingering.ended();
      leases.stop();
    },
  };
}

type Settling = ConcludeDependencies & Pick<AttemptsOptions, "onSettled" | "onChanged">;

const settlingOf = ({
  store,
  agents,
  policy,
  node,
  clock,
  log,
  newId,
  random,
  onSettled,
  onChanged,
}: AttemptsOptions): Settling => ({
  store,
  policy: ({ agentId }) => ({
    ...policy(),
    node,
    mainAgentId: agents().main.config.id,
    fallback: agents().find(agentId).config.fallback,
  }),
  clock,
  log,
  newId,
  random,
  onSettled,
  onChanged,
});

async function settleAttempt(
  run: ClaimedRun,
  attempt: Attempt,
  isLost: () => boolean,
  settling: Settling,
): Promise<Handled> {
  const { log, onSettled, onChanged } = settling;
  const fields = { runId: run.id, hook: run.hook };
  switch (attempt.kind) {
    case "lost":
      log.warn("a run's lease was lost", { ...fields, attempt: run.attempts });
      return attempt;
    case "parked":
      log.warn("a run is parked", { ...fields, reason: attempt.reason });
      onChanged?.(run.id, "parked");
      return attempt;
    case "released":
    case "ended": {
      const settlement = await conclude(run, attempt, isLost, settling);
      if (settlement === null) return { kind: "lost" };
      onChanged?.(run.id, settlement.next.kind === "ended" ? settlement.next.status : "queued");
      onSettled(run, settlement);
      return { kind: "settled", settlement };
    }
  }
}
