// Passes hints of what has changed on: to listeners on this node at once, to other nodes at most ten times a second. What
// is too much to be told one by one becomes a single "many". Nothing of it is part of a transaction.
import type { Change, Changes } from "../core/change.ts";
import type { Clock } from "../core/clock.ts";
import type { Store } from "../store/ports/store.ts";

export type GatewayChanges = Changes & {
  /** Other nodes have told these. */
  hear(changes: readonly Change[]): void;
  stop(): void;
};

export type ChangesOptions = {
  /** Null where there are no other nodes. */
  store: Pick<Store, "announceChanges"> | null;
  clock: Pick<Clock, "after">;
};

const tellEveryMs = 100;
/** So many fit into a notification, whatever they are about. */
const mostTold = 60;

const many: Change = { kind: "many" };

export function createChanges({ store, clock }: ChangesOptions): GatewayChanges {
  const listeners = new Set<(change: Change) => void>();
  /** By what they are about: only the last status counts. */
  const untold = new Map<string, Change>();
  let isMany = false;
  let cancelTimer: (() => void) | null = null;

  function collect(change: Change): void {
    if (store === null) return;
    if (change.kind === "many") isMany = true;
    else if (!isMany) untold.set(`${change.kind} ${change.id}`, change);
    if (untold.size > mostTold) isMany = true;
    if (isMany) untold.clear();
    if (cancelTimer === null) tellOthers();
  }

  /** The first hint after a pause is told at once. */
  function tellOthers(): void {
    cancelTimer = null;
    if (!isMany && untold.size === 0) return;
    store?.announceChanges(isMany ? [many] : [...untold.values()]);
    untold.clear();
    isMany = false;
    cancelTimer = clock.after(tellEveryMs, tellOthers);
  }

  return {
    tell(change) {
      for (const heard of listeners) heard(change);
      collect(change);
    },
    listen(heard) {
      listeners.add(heard);
      return () => void listeners.delete(heard);
    },
    hear(changes) {
      for (const change of changes) for (const heard of listeners) heard(change);
    },
    stop() {
      cancelTimer?.();
      listeners.clear();
    },
  };
}
