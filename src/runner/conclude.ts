// Stores what follows from an attempt in one transaction. After a crash before it, the lease expires and the run is
// claimed again; after a crash behind it, everything is stored.
import type { EndedAttempt, ReleasedAttempt } from "../core/attempt.ts";
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { ClaimedRun } from "../core/run.ts";
import type { Settlement } from "../core/settlement.ts";
import type { Store } from "../store/ports/store.ts";
import { untilStored } from "../work/persist.ts";
import { settle, type SettlePolicy } from "./settle.ts";

export type ConcludeDependencies = {
  store: Pick<Store, "settleRun" | "lastTarget">;
  policy: (run: ClaimedRun) => Omit<SettlePolicy, "lastTarget" | "random">;
  clock: Clock;
  log: Log;
  newId: () => string;
  random: () => number;
};

/** The settlement that was stored, or null when another node holds the lease or it could not be stored. Never rejects. */
export async function conclude(
  run: ClaimedRun,
  attempt: EndedAttempt | ReleasedAttempt,
  isLost: () => boolean,
  dependencies: ConcludeDependencies,
): Promise<Settlement | null> {
  const { log } = dependencies;
  const fields = { runId: run.id, hook: run.hook, attempt: run.attempts };
  try {
    const settlement = await storeSettlement(run, attempt, isLost, dependencies);
    if (settlement === null) {
      log.warn("a run's lease was lost; this attempt's outcome is not stored", fields);
      return null;
    }
    const { next, workedMs } = settlement;
    log.info("run", {
      ...fields,
      outcome: next.kind === "ended" ? next.status : next.kind,
      durationMs: workedMs,
    });
    return settlement;
  } catch (fault) {
    log.error("a run's end could not be stored", { ...fields, kind: faultKind(fault) });
    return null;
  }
}

/**
 * Retries while the store is unavailable; null once the lease is lost. One try is always made: that a lease has run out
 * by our own clock does not mean that another node has the run, and the store knows.
 */
async function storeSettlement(
  run: ClaimedRun,
  attempt: EndedAttempt | ReleasedAttempt,
  isLost: () => boolean,
  { store, policy, clock, newId, random }: ConcludeDependencies,
): Promise<Settlement | null> {
  const persist = () => {
    let tries = 0;
    return { clock, giveUp: () => tries++ > 0 && isLost(), random };
  };
  /** Only a reply that is delivered needs the last target. */
  const needsTarget = attempt.kind === "ended" && (run.request.deliver || run.kind === "heartbeat");
  const lastTarget = needsTarget ? await untilStored(() => store.lastTarget(), persist()) : null;
  if (lastTarget === "given-up") return null;
  const settlement = settle(run, attempt, { ...policy(run), lastTarget, random: random() }, newId);
  const isStored = await untilStored(() => store.settleRun(run, settlement), persist());
  return isStored === true ? settlement : null;
}
