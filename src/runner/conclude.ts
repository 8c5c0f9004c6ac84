// Stores what an attempt came to. Only this changes a claimed run, in one transaction: a crash at any line before it
// leaves a lease to expire and the run to be claimed again, and any line after it finds everything done.
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { ClaimedRun } from "../core/run.ts";
import type { Settlement } from "../core/settlement.ts";
import type { Store } from "../store/ports/store.ts";
import { untilStored } from "../work/persist.ts";
import { released, settle, type Attempt, type SettlePolicy } from "./settle.ts";

export type ConcludeDependencies = {
  store: Pick<Store, "settleRun" | "lastTarget">;
  policy: (run: ClaimedRun) => Omit<SettlePolicy, "lastTarget" | "random">;
  clock: Clock;
  log: Log;
  newId: () => string;
  random: () => number;
};

/** The settlement that was stored, or null when the run is no longer ours. Never rejects. */
export async function conclude(
  run: ClaimedRun,
  attempt: Attempt | "released",
  isLost: () => boolean,
  { store, policy, clock, log, newId, random }: ConcludeDependencies,
): Promise<Settlement | null> {
  const fields = { runId: run.id, hook: run.hook, attempt: run.attempts };
  /** Only a reply that is delivered needs to know. */
  const lastTarget = async () =>
    run.request.deliver || run.kind === "heartbeat" ? store.lastTarget() : null;
  const storeOnce = async () => {
    const settlement =
      attempt === "released"
        ? released
        : settle(run, attempt, { ...policy(run), lastTarget: await lastTarget(), random: random() }, newId);
    return (await store.settleRun(run, settlement)) ? settlement : null;
  };
  try {
    const stored = await untilStored(storeOnce, { clock, giveUp: isLost, random });
    if (stored !== null && stored !== "given-up") {
      const outcome = stored.next.kind === "ended" ? stored.next.status : stored.next.kind;
      log.info("run", { ...fields, outcome, durationMs: stored.workedMs });
      return stored;
    }
    log.warn("a run's lease was lost; what it came to is not kept", fields);
  } catch (fault) {
    log.error("a run's end could not be stored", { ...fields, kind: faultKind(fault) });
  }
  return null;
}
