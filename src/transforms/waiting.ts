// Requests that wait for a worker thread, in order of arrival.
import type { CallResult, TransformFault, WorkerRequest } from "./call.ts";

export type Outcome = CallResult[] | TransformFault;

export type WaitingLimits = {
  /** A request that waited longer is refused: its sender has given up meanwhile. */
  waitMs: number;
  /** How many may wait. */
  waiting: number;
};

export type WaitingRequest = { request: WorkerRequest; since: number; resolve(outcome: Outcome): void };

export type WaitingRequests = {
  /** Refuses at once when too many wait already; `onAdded` is called otherwise. */
  add(request: WorkerRequest, onAdded: () => void): Promise<Outcome>;
  /** The oldest request; those that waited too long are refused on the way. */
  next(): WaitingRequest | undefined;
  refuseAll(fault: TransformFault): void;
  isEmpty(): boolean;
};

export function createWaitingRequests({ waitMs, waiting: maxWaiting }: WaitingLimits): WaitingRequests {
  const waiting: WaitingRequest[] = [];
  return {
    async add(request, onAdded) {
      if (waiting.length >= maxWaiting)
        return { kind: "busy", reason: `${maxWaiting} requests wait for a worker thread already` };
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      waiting.push({ request, since: performance.now(), resolve });
      onAdded();
      return promise;
    },
    next() {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        if (performance.now() - next.since <= waitMs) return next;
        next.resolve({ kind: "busy", reason: `it waited longer than ${waitMs} ms for a worker thread` });
      }
      return undefined;
    },
    refuseAll(fault) {
      for (const { resolve } of waiting.splice(0)) resolve(fault);
    },
    isEmpty: () => waiting.length === 0,
  };
}
