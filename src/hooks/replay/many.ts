// Replays many requests, one after another, at a rate. Each has a key of its batch, so that a batch which was stopped in
// the middle, or whose process died, goes on without replaying any request twice.
import type { Clock } from "../../core/clock.ts";
import type { Store } from "../../store/ports/store.ts";
import { batchKey, replayRequest, type Replayed, type ReplayDeps } from "./replay.ts";
import type { CannotReplay } from "./request.ts";
import { alreadyAccepted } from "./selection.ts";

export type ManyDeps = Omit<ReplayDeps, "clock" | "store"> & {
  store: ReplayDeps["store"] & Pick<Store, "findRequest" | "requestBody" | "findReplays">;
  clock: Clock;
};

export type ManyOptions = {
  /** Oldest first. */
  ids: readonly string[];
  batch: string;
  /** Leave out those of which a replay has been accepted meanwhile. */
  onlyOnce?: boolean;
  perMinute: number;
  /** Stops after the request that is being replayed. */
  signal: AbortSignal;
  onEach(result: ManyResult): void;
};

/** `gone`: it was removed meanwhile. `before`: it was replayed in this batch, or meanwhile by somebody else. */
export type ManyResult =
  | Replayed
  | ({ readonly replayOf: string } & (CannotReplay | { readonly left: "gone" | "before" }));

/** `full`: too many runs are waiting. */
export type ManyEnd = { readonly done: number; readonly stopped: "signal" | "full" | null };

const minuteMs = 60_000;

export async function replayMany(
  { ids, batch, onlyOnce = false, perMinute, signal, onEach }: ManyOptions,
  deps: ManyDeps,
): Promise<ManyEnd> {
  const gapMs = minuteMs / perMinute;
  let nextAt = deps.clock.monotonic();
  for (const [done, id] of ids.entries()) {
    await until(nextAt, deps.clock, signal);
    if (signal.aborted) return { done, stopped: "signal" };
    const startedAt = deps.clock.monotonic();
    const result = await replayOne(id, { batch, onlyOnce }, deps);
    if ("outcome" in result && result.outcome === "full") return { done, stopped: "full" };
    onEach(result);
    if ("outcome" in result) nextAt = startedAt + gapMs;
  }
  return { done: ids.length, stopped: null };
}

async function replayOne(
  id: string,
  { batch, onlyOnce }: { batch: string; onlyOnce: boolean },
  deps: ManyDeps,
): Promise<ManyResult> {
  const record = await deps.store.findRequest(id);
  if (record === null) return { replayOf: id, left: "gone" };
  const before = await deps.store.findRepeated(record.hook, batchKey(batch, id));
  const isDone = before !== null || (onlyOnce && (await alreadyAccepted(deps.store, [id])).has(id));
  if (isDone) return { replayOf: id, left: "before" };
  const body = await deps.store.requestBody(id);
  const replayed = await replayRequest({ record, body }, deps, { batch });
  return "cannot" in replayed ? { replayOf: id, ...replayed } : replayed;
}

async function until(at: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const waitMs = at - clock.monotonic();
  if (waitMs <= 0 || signal.aborted) return;
  const waited = Promise.withResolvers<void>();
  const cancelTimer = clock.after(waitMs, waited.resolve);
  const stop = (): void => waited.resolve();
  signal.addEventListener("abort", stop);
  await waited.promise;
  signal.removeEventListener("abort", stop);
  cancelTimer();
}
