// Watches runs for those who wait for them. A hint leads to a read of that run's state; because a hint can be lost, and a
// command changes the store without one, all states are also read every two seconds. The run itself is read once, when
// it has ended, however many wait for it.
import type { Change, Changes } from "../core/change.ts";
import type { Clock } from "../core/clock.ts";
import { hasEnded, type RunState, stateNumber } from "../core/result.ts";
import type { Run } from "../core/run.ts";
import type { Store } from "../store/ports/store.ts";

export type RunListener = {
  /** The run is in another state than this listener knows. */
  changed(state: RunState): void;
  /** Called last. */
  ended(run: Run): void;
  /** Called last: the run is not there any more. */
  gone(): void;
};

export type RunWatch = {
  /** `known`: the state that the listener knows. The returned function ends it. */
  add(known: RunState, listener: RunListener): () => void;
  /** How many runs are watched. */
  size(): number;
  stop(): void;
};

export type WatchOptions = {
  store: Pick<Store, "findRuns" | "runStates">;
  changes: Pick<Changes, "listen">;
  clock: Pick<Clock, "after">;
};

const readEveryMs = 2000;
/** After a hint that anything may have changed: there will be more of them. */
const manyMs = 250;
const statesAtOnce = 100;
/** Replies can be large. */
const runsAtOnce = 20;

/** By run: its listeners, with the number of the state that each knows. */
type Watched = Map<string, Map<RunListener, number>>;

export function createRunWatch({ store, changes, clock }: WatchOptions): RunWatch {
  const watched: Watched = new Map();
  const unread = new Set<string>();
  let isReading = false;
  let cancelTimer: (() => void) | null = null;
  let cancelMany: (() => void) | null = null;
  const stopListening = changes.listen(hear);

  function hear(change: Change): void {
    if (watched.size === 0) return;
    if (change.kind === "many") cancelMany ??= clock.after(manyMs, readAll);
    else if (change.kind === "run" && watched.has(change.id)) readSoon(change.id);
  }

  function readAll(): void {
    cancelMany?.();
    cancelMany = null;
    for (const id of watched.keys()) unread.add(id);
    void read();
  }

  function readSoon(id: string): void {
    unread.add(id);
    void read();
  }

  /** What comes during a read forms the next one. What cannot be read now is read with all the others. */
  async function read(): Promise<void> {
    if (isReading) return;
    isReading = true;
    try {
      while (unread.size > 0) await readStates(take(unread, statesAtOnce));
    } catch {
      unread.clear();
    } finally {
      isReading = false;
    }
  }

  async function readStates(ids: readonly string[]): Promise<void> {
    const states = await store.runStates(ids);
    for (const state of states) if (!hasEnded(state)) tellState(state);
    const ended = states.filter(hasEnded).map(({ id }) => id);
    for (let at = 0; at < ended.length; at += runsAtOnce) {
      const runs = await store.findRuns(ended.slice(at, at + runsAtOnce));
      for (const run of runs) tellLast(run.id, (listener) => listener.ended(run));
    }
    const found = new Set(states.map(({ id }) => id));
    for (const id of ids) if (!found.has(id)) tellLast(id, (listener) => listener.gone());
  }

  function tellState(state: RunState): void {
    const number = stateNumber(state);
    for (const [listener, known] of watched.get(state.id) ?? []) {
      if (known === number) continue;
      watched.get(state.id)?.set(listener, number);
      listener.changed(state);
    }
  }

  function tellLast(id: string, tell: (listener: RunListener) => void): void {
    const listeners = [...(watched.get(id)?.keys() ?? [])];
    watched.delete(id);
    rest();
    listeners.forEach(tell);
  }

  function tick(): void {
    cancelTimer = clock.after(readEveryMs, tick);
    readAll();
  }

  function rest(): void {
    if (watched.size > 0) return;
    cancelTimer?.();
    cancelMany?.();
    cancelTimer = cancelMany = null;
  }

  return {
    add(known, listener) {
      const { id } = known;
      const listeners = watched.get(id) ?? new Map<RunListener, number>();
      watched.set(id, listeners.set(listener, stateNumber(known)));
      cancelTimer ??= clock.after(readEveryMs, tick);
      // It may have changed since the caller learned its state.
      readSoon(id);
      return () => {
        if (!listeners.delete(listener) || listeners.size > 0 || watched.get(id) !== listeners) return;
        watched.delete(id);
        rest();
      };
    },
    size: () => watched.size,
    stop() {
      stopListening();
      watched.clear();
      rest();
    },
  };
}

function take(from: Set<string>, most: number): string[] {
  const taken: string[] = [];
  for (const each of from) {
    if (taken.length === most) break;
    from.delete(each);
    taken.push(each);
  }
  return taken;
}
