// Replays that go on in the background of this gateway, at a rate. They end with it: the same call with the same batch
// goes on where it stopped, and replays no request twice.
import { faultKind } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { type ManyDeps, type ManyResult, replayMany } from "../../hooks/replay/many.ts";
import type { ReplayPlan } from "../../hooks/replay/plan.ts";
import type { Selection } from "../../hooks/replay/selection.ts";

export const defaultPerMinute = 60;
export const mostPerMinute = 60_000;

const isoTime = (at: number): string => new Date(at).toISOString();

/** Rounded up, so that a plan of one request takes no time. */
export const secondsFor = (count: number, perMinute: number): number =>
  Math.ceil((Math.max(0, count - 1) * 60) / perMinute);

export const planResource = (plan: ReplayPlan, { since, until }: Selection, perMinute: number) => {
  const { ids, ...rest } = plan;
  return {
    since: isoTime(since),
    until: isoTime(until),
    count: ids.length,
    ...rest,
    perMinute,
    seconds: secondsFor(ids.length, perMinute),
  };
};

export type ReplayState = "running" | "done" | "stopped" | "full" | "failed";
export type Replaying = {
  batch: string;
  state: ReplayState;
  count: number;
  done: number;
  /** How many by what came of them. */
  outcomes: Readonly<Record<string, number>>;
  startedAt: number;
};

export type Replays = {
  /** False: this batch is being replayed already, or too many are. */
  start(batch: string, ids: readonly string[], perMinute: number): boolean;
  find(batch: string): Replaying | null;
  /** Newest first. */
  list(): Replaying[];
  /** Resolves when the requests that are being replayed are stored. */
  stop(): Promise<void>;
};

const mostRunning = 5;
const mostKept = 50;

export function createReplays({ log, ...deps }: ManyDeps & { log: Log }): Replays {
  const stopAll = new AbortController();
  const known = new Map<string, Replaying>();
  const running = new Map<string, Promise<void>>();

  async function replay(batch: string, ids: readonly string[], perMinute: number): Promise<void> {
    const note = (change: Partial<Replaying>): void =>
      void known.set(batch, { ...known.get(batch)!, ...change });
    const onEach = (result: ManyResult): void => {
      const { done, outcomes } = known.get(batch)!;
      const outcome = outcomeOf(result);
      note({ done: done + 1, outcomes: { ...outcomes, [outcome]: (outcomes[outcome] ?? 0) + 1 } });
    };
    try {
      const { stopped } = await replayMany({ ids, batch, perMinute, signal: stopAll.signal, onEach }, deps);
      note({ state: stopped === null ? "done" : stopped === "full" ? "full" : "stopped" });
    } catch (fault) {
      log.error("a replay of many requests failed", { kind: faultKind(fault) });
      note({ state: "failed" });
    }
  }

  return {
    start(batch, ids, perMinute) {
      if (running.has(batch) || running.size >= mostRunning) return false;
      known.delete(batch);
      for (const each of known.keys()) if (known.size >= mostKept && !running.has(each)) known.delete(each);
      const startedAt = deps.clock.now();
      known.set(batch, { batch, state: "running", count: ids.length, done: 0, outcomes: {}, startedAt });
      running.set(
        batch,
        replay(batch, ids, perMinute).finally(() => running.delete(batch)),
      );
      return true;
    },
    find: (batch) => known.get(batch) ?? null,
    list: () => [...known.values()].toReversed(),
    async stop() {
      stopAll.abort();
      await Promise.all(running.values());
    },
  };
}

const outcomeOf = (result: ManyResult): string =>
  "outcome" in result ? result.outcome : "cannot" in result ? result.cannot : result.left;

export const replayingResource = ({ startedAt, ...rest }: Replaying) => ({
  ...rest,
  startedAt: isoTime(startedAt),
});
