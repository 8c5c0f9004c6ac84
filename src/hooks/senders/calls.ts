// Counts how the calls of senders went, for `rouse senders`. Counted in memory and added to the store every few seconds,
// so that no flood of wrong signatures becomes a flood of writes.
import type { Clock } from "../../core/clock.ts";
import { faultKind } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { CallResult } from "../../core/sender.ts";
import type { Store } from "../../store/ports/store.ts";

export type Calls = {
  note(name: string, result: CallResult, skewMs: number | null): void;
  /** Stores what has been counted. */
  stop(): Promise<void>;
};

export type CallsOptions = { store: Pick<Store, "noteCalls">; clock: Clock; log: Log };

const flushEveryMs = 3_000;

type Count = {
  readonly name: string;
  readonly result: CallResult;
  calls: number;
  at: number;
  skewMs: number | null;
};

export function createCalls({ store, clock, log }: CallsOptions): Calls {
  let counts = new Map<string, Count>();
  let cancelTimer: (() => void) | null = null;
  let writing: Promise<void> = Promise.resolve();

  const add = (count: Count): void => {
    const key = `${count.result} ${count.name}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, count);
    else {
      known.calls += count.calls;
      if (count.at >= known.at) [known.at, known.skewMs] = [count.at, count.skewMs];
    }
    cancelTimer ??= clock.after(flushEveryMs, () => void (writing = flush()));
  };

  async function flush(): Promise<void> {
    cancelTimer?.();
    cancelTimer = null;
    const flushed = [...counts.values()];
    counts = new Map();
    if (flushed.length === 0) return;
    for (const { name, result, calls } of flushed)
      if (result !== "proven")
        log.warn("proofs of a sender failed", { hook: name, reason: result, count: calls });
    const now = clock.monotonic();
    try {
      await store.noteCalls(flushed.map(({ at, ...rest }) => ({ ...rest, agoMs: Math.round(now - at) })));
    } catch (fault) {
      log.warn("the calls of senders could not be counted yet", { kind: faultKind(fault) });
      flushed.forEach(add);
    }
  }

  return {
    note: (name, result, skewMs) => add({ name, result, calls: 1, at: clock.monotonic(), skewMs }),
    async stop() {
      await writing;
      await flush();
      cancelTimer?.();
    },
  };
}
