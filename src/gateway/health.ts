// Whether the store can take work now. It tries a small write when it is asked, at most once a second: an idle gateway
// writes nothing, and one whose disk was full is ready again as soon as there is space.
import type { Clock } from "../core/clock.ts";
import { proofOf } from "../core/store-proof.ts";
import type { Store } from "../store/ports/store.ts";

export type Health = {
  ready(): Promise<boolean>;
  /** What `rouse doctor` compares; null when the store cannot say which it is. */
  prove(challenge: string): Promise<string | null>;
};

const trustMs = 1000;
const longestProbeMs = 3000;

export function createHealth({
  store,
  clock,
}: {
  store: Pick<Store, "probe" | "identity">;
  clock: Clock;
}): Health {
  let checkedAt = -Infinity;
  let checking: Promise<boolean> | null = null;
  let identity: string | null = null;

  const probe = async (): Promise<boolean> => {
    const late = Promise.withResolvers<boolean>();
    const cancelTimer = clock.after(longestProbeMs, () => late.resolve(false));
    const written = store.probe().then(
      () => true,
      () => false,
    );
    const ready = await Promise.race([written, late.promise]);
    cancelTimer();
    checkedAt = clock.monotonic();
    return ready;
  };

  return {
    ready() {
      if (checking && clock.monotonic() - checkedAt < trustMs) return checking;
      checkedAt = clock.monotonic();
      checking = probe();
      return checking;
    },
    async prove(challenge) {
      identity ??= await store.identity().catch(() => null);
      return identity === null ? null : proofOf(identity, challenge);
    },
  };
}
