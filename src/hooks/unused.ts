// Records refused requests beside their responses: their callers wait for nothing. What waits to be written is bounded,
// so that a flood of refusals holds neither memory nor the store; what is beyond that is counted in the log.
import type { Clock } from "../core/clock.ts";
import { reasonOf, type Refusal, StoreUnavailable } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { NewRequest, UnusedRequest } from "../core/request.ts";
import type { Store } from "../store/ports/store.ts";
import { outcomeOf } from "./arrival.ts";

export type UnusedRequests = {
  add(unused: UnusedRequest): void;
  /** Writes what waits. */
  stop(): Promise<void>;
};

export type UnusedOptions = { store: Pick<Store, "recordRequest">; clock: Clock; log: Log };

const mostWaiting = 2_000;
const mostBodyBytes = 16_777_216;
const mostAtOnce = 100;
/** Between two groups, for what callers and agents wait for. */
const pauseMs = 20;
const awayMs = 1_000;
const sumMs = 1_000;

export function createUnusedRequests({ store, clock, log }: UnusedOptions): UnusedRequests {
  let waiting: UnusedRequest[] = [];
  let bodyBytes = 0;
  let lost = 0;
  let cancelTimer: (() => void) | null = null;
  let writing: Promise<boolean> | null = null;

  function lose(count: number): void {
    if (count > 0 && lost === 0) clock.after(sumMs, sayLost);
    lost += count;
  }
  function sayLost(): void {
    if (lost > 0) log.warn("requests that led to nothing could not all be recorded", { count: lost });
    lost = 0;
  }

  /** False: the store is away, and what was not written waits on. */
  async function write(): Promise<boolean> {
    const group = waiting.splice(0, mostAtOnce);
    for (const each of group) bodyBytes -= sizeOf(each);
    const results = await Promise.allSettled(group.map((each) => store.recordRequest(each)));
    const failed = results.flatMap((result, at) =>
      result.status === "rejected" ? [{ unused: group[at]!, fault: result.reason as unknown }] : [],
    );
    const away = failed.flatMap(({ unused, fault }) => (fault instanceof StoreUnavailable ? [unused] : []));
    for (const each of away) bodyBytes += sizeOf(each);
    waiting = away.concat(waiting);
    lose(failed.length - away.length);
    return away.length === 0;
  }

  function schedule(ms: number): void {
    cancelTimer = clock.after(ms, () => {
      cancelTimer = null;
      writing = write();
      void writing.then((isThere) => {
        writing = null;
        if (waiting.length > 0) schedule(isThere ? pauseMs : awayMs);
      });
    });
  }

  return {
    add(unused) {
      if (waiting.length >= mostWaiting) return lose(1);
      const isTooMuch = bodyBytes + sizeOf(unused) > mostBodyBytes;
      const taken = isTooMuch ? { ...unused, request: { ...unused.request, body: null } } : unused;
      bodyBytes += sizeOf(taken);
      waiting.push(taken);
      if (cancelTimer === null && writing === null) schedule(0);
    },
    async stop() {
      let isThere = (await writing) ?? true;
      cancelTimer?.();
      while (isThere && waiting.length > 0) isThere = await write();
      lose(waiting.length);
      sayLost();
    },
  };
}

/** Beside the response, which is sent first. */
export function keepRefused(
  request: NewRequest,
  refusal: Refusal,
  { unused }: { unused: Pick<UnusedRequests, "add"> },
): void {
  const outcome = outcomeOf(refusal);
  if (outcome !== null) unused.add({ request, outcome, reason: reasonOf(refusal) });
}

const sizeOf = ({ request: { body } }: UnusedRequest): number => body?.length ?? 0;
