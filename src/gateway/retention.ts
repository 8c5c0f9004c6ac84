// Retention: removes old finished records, in small steps, so that no other write waits long.
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { idempotencyMs, mostCarriedTurns } from "../core/retention.ts";
import type { Store } from "../store/ports/store.ts";

export type RetentionKeeper = { start(): void; sweep(): Promise<number>; stop(): Promise<void> };

const everyMs = 10 * 60_000;
const firstMs = 60_000;
const step = 500;
const pauseMs = 20;
/** Where requests are not kept: what led to nothing. */
const unusedMs = 7 * 86_400_000;

export type RetentionOptions = {
  store: Pick<Store, "sweep">;
  finishedMs: () => number;
  /** 0: accepted requests are not kept. */
  requestsMs: () => number;
  clock: Clock;
  log: Log;
};

export function createRetentionKeeper(options: RetentionOptions): RetentionKeeper {
  const { clock, log } = options;
  let stopped = false;
  let cancelTimer = (): void => {};
  let sweeping: Promise<unknown> = Promise.resolve();

  const sweep = (): Promise<number> => sweepInSteps(options, () => stopped);

  const sweepAndLog = async (): Promise<void> => {
    try {
      const count = await sweep();
      if (count > 0) log.info("old records were removed", { count });
    } catch (fault) {
      log.warn("old records could not be removed now", { kind: faultKind(fault) });
    }
  };

  const schedule = (delayMs: number): void => {
    cancelTimer = clock.after(delayMs, () => {
      sweeping = sweepAndLog().then(() => {
        if (!stopped) schedule(everyMs);
      });
    });
  };

  return {
    start: () => schedule(firstMs),
    sweep,
    async stop() {
      stopped = true;
      cancelTimer();
      await sweeping;
    },
  };
}

/** Sweeps until nothing old is left or the gateway stops. Resolves to the number of removed records. */
async function sweepInSteps(
  { store, finishedMs, requestsMs, clock }: RetentionOptions,
  isStopped: () => boolean,
): Promise<number> {
  let removed = 0;
  while (!isStopped()) {
    const finished = finishedMs();
    const windows = {
      finishedMs: finished,
      requestsMs: Math.min(requestsMs() || unusedMs, finished),
      idempotencyMs,
      conversationTurns: mostCarriedTurns,
    };
    const count = await store.sweep(windows, step);
    if (count === 0) break;
    removed += count;
    await new Promise<void>((resolve) => void clock.after(pauseMs, resolve));
  }
  return removed;
}
