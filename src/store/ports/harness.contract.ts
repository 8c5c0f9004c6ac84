// Shared by all parts of the store's contract.
import assert from "node:assert/strict";
import type { AttemptStart } from "../../core/attempt.ts";
import type { Clock } from "../../core/clock.ts";
import { anAcceptance } from "../../../test/builders/acceptance.ts";
import { aRun } from "../../../test/builders/run.ts";
import { aSettlement } from "../../../test/builders/settlement.ts";
import type { ClaimedRun, NewRun } from "../../core/run.ts";
import type { Store } from "./store.ts";

/** A clock that only the test moves. */
export type TestClock = Clock & {
  advance(ms: number): void;
  /** Sets the wall clock forward, or back, by `ms`. */
  step(ms: number): void;
};

export type Harness = { store: Store; clock: TestClock };
export type OpenHarness = () => Promise<Harness & { close(): Promise<void> }>;

export function createTestClock(): TestClock {
  let wall = Date.parse("2026-01-01T00:00:00Z");
  let passed = 0;
  return {
    now: () => wall + passed,
    monotonic: () => passed,
    after: () => () => {},
    advance: (ms) => void (passed += ms),
    step: (ms) => void (wall += ms),
  };
}

export const leaseMs = 15_000;

export const acceptRuns = async (store: Store, ...runs: NewRun[]): Promise<void> => {
  for (const each of runs) await store.accept(anAcceptance({ runs: [each] }));
};

export const claim = (store: Store, { limit = 10, lease = "lease", kind = "hook" as const } = {}) =>
  store.claimRuns({ kind, limit, lease, leaseMs });

export const claimHeartbeats = (store: Store, lease = "beat") =>
  store.claimRuns({ kind: "heartbeat", limit: 10, lease, leaseMs });

/** Claims one run, which must be there. */
export async function claimNext(store: Store): Promise<ClaimedRun> {
  const { claimed } = await claim(store, { limit: 1 });
  assert.ok(claimed[0]);
  return claimed[0];
}

/** By a run of another conversation, which is as good as one of the same: only its lease matters. */
export async function compact(
  store: Store,
  compaction: Omit<Parameters<Store["compact"]>[0], "runId" | "lease">,
): Promise<void> {
  await acceptRuns(store, aRun());
  const run = await claimNext(store);
  assert.equal(await store.compact({ runId: run.id, lease: run.lease, ...compaction }), true);
  assert.equal(await store.settleRun(run, aSettlement()), true);
}

/** Starts a run with the prompt `do SESSION_KEY`, without a budget. */
export const startRun = (
  store: Store,
  { id, lease, hook, agentId, sessionKey, isolated }: ClaimedRun,
  more: Partial<AttemptStart> = {},
) =>
  store.startRun({
    id,
    lease,
    hook,
    agentId,
    sessionKey,
    isolated,
    historyCharacters: 1_000_000,
    prompt: `do ${sessionKey}`,
    budget: null,
    ...more,
  });
