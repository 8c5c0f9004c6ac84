// Decides whether more may wait: runs, and events with their size. Each is an estimate of its own.
import type { Clock } from "../core/clock.ts";
import { type Refusal, refuse } from "../core/errors.ts";
import type { Acceptance } from "../core/request.ts";
import type { Store } from "../store/ports/store.ts";
import { createEstimate, type Estimate } from "./estimate.ts";

/** What a request would add to what waits. */
export type Load = Pick<Acceptance, "runs" | "events">;

export type Admission = {
  /** Whether all of it may wait, by the present estimate. */
  admits(load: Load): boolean;
  /** Counts again what has no place for this load, or everything. Call it before a refusal. */
  recount(load?: Load): Promise<void>;
  /** It has been stored. */
  admitted(load: Load): void;
};

export type AdmissionLimits = { maxQueued: number; maxWaitingEvents: number; maxWaitingBytes: number };

export type AdmissionOptions = {
  store: Pick<Store, "countWaiting" | "countWaitingEvents">;
  clock: Clock;
  limits: () => AdmissionLimits;
  /** Whether other nodes accept, too. */
  isShared: boolean;
};

export const queueFull = (): Refusal => refuse("queue-full", { retryAfterSeconds: 30 });

/** Sizes are counted in these, so that an estimate of sizes is used for as long as one of numbers. */
const unitBytes = 1024;
/** A request that is larger than the limit itself is taken while less waits than that: it would never be otherwise. */
const leastUnits = 1 / unitBytes;

/** A part of what waits: how much of a load belongs to it, and how much of that must find a place. */
type Part = { estimate: Estimate; amountOf(load: Load): number; neededOf(load: Load): number };

export function createAdmission({ store, clock, limits, isShared }: AdmissionOptions): Admission {
  const estimateOf = (count: () => Promise<number>, maxWaiting: () => number): Estimate =>
    createEstimate({ count, clock, maxWaiting, isShared });
  const parts: readonly Part[] = [
    wholePart(
      estimateOf(store.countWaiting, () => limits().maxQueued),
      ({ runs }) => runs.length,
    ),
    wholePart(
      estimateOf(
        async () => (await store.countWaitingEvents()).count,
        () => limits().maxWaitingEvents,
      ),
      ({ events }) => events.length,
    ),
    {
      estimate: estimateOf(
        async () => (await store.countWaitingEvents()).bytes / unitBytes,
        () => limits().maxWaitingBytes / unitBytes,
      ),
      amountOf: (load) => sizeOf(load) / unitBytes,
      neededOf: ({ events }) => (events.length > 0 ? leastUnits : 0),
    },
  ];
  return {
    admits: (load) => parts.every(({ estimate, neededOf }) => estimate.admits(neededOf(load))),
    async recount(load) {
      const full = parts.filter(({ estimate, neededOf }) => !load || !estimate.admits(neededOf(load)));
      await Promise.all(full.map(({ estimate }) => estimate.recount()));
    },
    admitted(load) {
      for (const { estimate, amountOf } of parts) estimate.admitted(amountOf(load));
    },
  };
}

const wholePart = (estimate: Estimate, amountOf: Part["amountOf"]): Part => ({
  estimate,
  amountOf,
  neededOf: amountOf,
});

/** In bytes, as they are stored. */
const sizeOf = ({ events }: Load): number =>
  events.reduce((sum, { text }) => sum + Buffer.byteLength(JSON.stringify(text)), 0);
