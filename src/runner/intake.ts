// What is accepted while there is a place for it is stored as claimed, and begins without waiting for a claim.
import { isConversation } from "../core/run.ts";
import type { Acceptance, Accepted, Store } from "../store/store.ts";
import type { Runner } from "./runner.ts";

/** Runs of a conversation wait for their turn; and whoever sent a key may be told what was answered before. */
const mayBegin = ({ runs, events, heartbeat, idempotency }: Acceptance): boolean =>
  runs.length === 1 && !isConversation(runs[0]!) && events.length === 0 && !heartbeat && !idempotency;

export function acceptWith(
  store: Pick<Store, "accept">,
  runner: Pick<Runner, "reserve">,
): (acceptance: Acceptance) => Promise<Accepted> {
  return async (acceptance) => {
    const place = mayBegin(acceptance) ? runner.reserve() : null;
    if (!place) return store.accept(acceptance);
    try {
      const accepted = await store.accept(acceptance, place.claim);
      if (accepted.kind === "stored" && accepted.claimed) place.take(accepted.claimed);
      else place.free();
      return accepted;
    } catch (fault) {
      place.free();
      throw fault;
    }
  };
}
