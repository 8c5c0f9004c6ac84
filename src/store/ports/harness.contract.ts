// What every part of the store's suite works with.
import type { Clock } from "../../core/clock.ts";
import { anAcceptance } from "../../../test/builders/acceptance.ts";
import type { NewRun } from "../../core/run.ts";
import type { Store } from "./store.ts";

/** A clock that stands still until it is told to move. */
export type TestClock = Clock & { advance(ms: number): void };

export type Harness = { store: Store; clock: TestClock };
export type OpenHarness = () => Promise<Harness & { close(): Promise<void> }>;

export function createTestClock(): TestClock {
  let now = Date.parse("2026-01-01T00:00:00Z");
  return {
    now: () => now,
    after: () => () => {},
    advance: (ms) => void (now += ms),
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
