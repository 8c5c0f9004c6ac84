// Claim on accept: while a slot is free, an isolated run is accepted, claimed and started in one transaction, and its
// agent is called without another write.
import type { Agents } from "../agents/registry.ts";
import type { FirstAttempt } from "../core/attempt.ts";
import type { Clock } from "../core/clock.ts";
import type { Acceptance, Accepted } from "../core/request.ts";
import type { ClaimedRun, NewRun } from "../core/run.ts";
import { isolatedRun } from "../store/create/single.ts";
import type { Store } from "../store/ports/store.ts";
import type { Loop } from "../work/loop.ts";
import type { Work } from "./execute.ts";
import type { PromptMaker } from "../session/prompt-maker.ts";
import { attemptStart, earlyInput, type AttemptInput, type InputDependencies } from "./input.ts";

/** A slot for a run that is about to be stored. One of `take` and `free` is called, once. */
export type RunSlot = {
  /** What the run is started with; null when it has to be stored as queued. */
  firstAttempt(): Promise<FirstAttempt | null>;
  take(started: ClaimedRun): void;
  free(): void;
};

export type ReserveDependencies = {
  loop: Pick<Loop<Work>, "reserve">;
  agents: () => Agents;
  policy: InputDependencies["policy"];
  prompts: Pick<PromptMaker, "now">;
  clock: Clock;
  leaseMs: number;
  /** Shared by all runs that are claimed on accept: none of them can have had a lease before. */
  lease: string;
};

/** Null when the run has to wait for a slot. */
export function reserveSlot(
  run: NewRun,
  { loop, agents, policy, prompts, clock, leaseMs, lease }: ReserveDependencies,
): RunSlot | null {
  const slot = loop.reserve();
  if (!slot) return null;
  let input: AttemptInput | null = null;
  let leasedFrom = -Infinity;
  return {
    async firstAttempt() {
      input = earlyInput(run, agents(), prompts);
      leasedFrom = clock.monotonic();
      return input && { start: attemptStart({ ...run, lease }, input, { policy }), leaseMs };
    },
    take: (started) => slot.take({ run: started, leasedFrom, input }),
    free: slot.free,
  };
}

export function acceptWith(
  store: Pick<Store, "accept">,
  { reserve }: { reserve(run: NewRun): RunSlot | null },
): (acceptance: Acceptance) => Promise<Accepted> {
  return async (acceptance) => {
    const run = isolatedRun(acceptance);
    const slot = run && reserve(run);
    return slot ? acceptInto(slot, acceptance, store) : store.accept(acceptance);
  };
}

async function acceptInto(
  slot: RunSlot,
  acceptance: Acceptance,
  store: Pick<Store, "accept">,
): Promise<Accepted> {
  try {
    const first = await firstAttemptOf(slot);
    const accepted = await (first ? store.accept(acceptance, first) : store.accept(acceptance));
    if (accepted.kind === "stored" && accepted.started) slot.take(accepted.started);
    else slot.free();
    return accepted;
  } catch (fault) {
    slot.free();
    throw fault;
  }
}

/** A fault while making the prompt must not fail the request; the run's attempt will fail with it. */
const firstAttemptOf = (slot: RunSlot): Promise<FirstAttempt | null> => slot.firstAttempt().catch(() => null);
