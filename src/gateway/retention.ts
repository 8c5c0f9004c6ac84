// Retention: removes what has finished and is old, in small steps, so that no other write waits long.
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
const requestsMs = 7 * 86_400_000;

export function createRetentionKeeper(options: {
  store: Pick<Store, "sweep">;
  finishedMs: () => number;
  clock: Clock;
  log: Log;
}): RetentionKeeper {
  const { store, finishedMs, clock, log } = options;
  let stopped = false;
  let cancelTimer = (): void => {};
  let sweeping: Promise<unknown> = Promise.resolve();

  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      clock.after(pauseMs, resolve);
    });

  const sweep = async (): Promise<number> => {
    let removed = 0;
    while (!stopped) {
      const finished = finishedMs();
      const gone = await store.sweep(
        {
          finishedMs: finished,
          requestsMs: Math.min(requestsMs, finished),
          idempotencyMs,
          conversationTurns: mostCarriedTurns,
        },
        step,
      );
      if (gone === 0) break;
      removed += gone;
      await pause();
    }
    return removed;
  };

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
