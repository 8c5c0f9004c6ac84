// Requests that wait for a process, in order of arrival.
import type { CallResult, TransformCall, TransformFault } from "./call.ts";

export type Outcome = CallResult[] | TransformFault;

/** `index` is that of the reference. */
export type ProcessRequest = { readonly index: number; readonly calls: readonly TransformCall[] };

export type WaitingLimits = {
  /** A request that waited longer is refused: its sender has given up meanwhile. */
  waitMs: number;
  /** How many may wait. */
  waiting: number;
};

export type WaitingRequest = { request: ProcessRequest; since: number; resolve(outcome: Outcome): void };

export type WaitingRequests = {
  /** Refuses at once when too many wait already; `onAdded` is called otherwise. */
  add(request: ProcessRequest, onAdded: () => void): Promise<Outcome>;
  /** The oldest requests; those that waited too long are refused on the way. */
  next(most: number): WaitingRequest[];
  /** In front of all others. */
  putBack(requests: readonly WaitingRequest[]): void;
  refuseAll(fault: TransformFault): void;
  count(): number;
};

export function createWaitingRequests({ waitMs, waiting: maxWaiting }: WaitingLimits): WaitingRequests {
  let waiting: WaitingRequest[] = [];
  return {
    async add(request, onAdded) {
      if (waiting.length >= maxWaiting)
        return { kind: "busy", reason: `${maxWaiting} requests wait for a process already` };
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      waiting.push({ request, since: performance.now(), resolve });
      onAdded();
      return promise;
    },
    next(most) {
      const found: WaitingRequest[] = [];
      while (found.length < most && waiting.length > 0) {
        const each = waiting.shift()!;
        if (performance.now() - each.since <= waitMs) found.push(each);
        else each.resolve({ kind: "busy", reason: `it waited longer than ${waitMs} ms for a process` });
      }
      return found;
    },
    putBack: (requests) => void (waiting = [...requests, ...waiting]),
    refuseAll(fault) {
      for (const { resolve } of waiting.splice(0)) resolve(fault);
    },
    count: () => waiting.length,
  };
}
