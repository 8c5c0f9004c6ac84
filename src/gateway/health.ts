// Whether the store can take work now. It tries a small write when it is asked, one at a time, and trusts the answer for
// a second: an idle gateway writes nothing, and one whose disk was full is ready again as soon as there is space.
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { proofOf } from "../core/store-proof.ts";
import type { Store } from "../store/ports/store.ts";

export type Health = {
  ready(): Promise<boolean>;
  /** What `rouse doctor` compares; null when the store cannot say which it is. */
  prove(challenge: string): Promise<string | null>;
};

export type HealthDeps = { store: Pick<Store, "probe" | "identity">; clock: Clock; log: Log };

const trustMs = 1000;
/** Three seconds in all. A time in which this process did not run uses up one of them, and not the others. */
const probeTicks = 3;
const tickMs = 1000;

export function createHealth({ store, clock, log }: HealthDeps): Health {
  let checking: Promise<boolean> | null = null;
  let checked = { at: -Infinity, isReady: true };
  let identity: string | null = null;

  async function check(): Promise<boolean> {
    const reason = await probe(store, clock);
    const isReady = reason === null;
    if (isReady !== checked.isReady) {
      if (isReady) log.info("the gateway is ready again");
      else log.warn("the gateway is not ready: the store took no write", { kind: reason });
    }
    checked = { at: clock.monotonic(), isReady };
    checking = null;
    return isReady;
  }

  return {
    async ready() {
      if (checking === null && clock.monotonic() - checked.at < trustMs) return checked.isReady;
      return (checking ??= check());
    },
    async prove(challenge) {
      identity ??= await store.identity().catch(() => null);
      return identity === null ? null : proofOf(identity, challenge);
    },
  };
}

/** Null when it was written in time, else why not. */
async function probe(store: HealthDeps["store"], clock: Clock): Promise<string | null> {
  const late = Promise.withResolvers<string>();
  const cancelTimer = afterTicks(clock, probeTicks, () => late.resolve("late"));
  const written = store.probe().then(() => null, faultKind);
  const reason = await Promise.race([written, late.promise]);
  cancelTimer();
  return reason;
}

function afterTicks(clock: Clock, count: number, act: () => void): () => void {
  let cancel = clock.after(tickMs, () => {
    if (count === 1) act();
    else cancel = afterTicks(clock, count - 1, act);
  });
  return () => cancel();
}
