// What is accepted while there is a place for it is stored as claimed, and begins without waiting for a claim.
import { isConversation } from "../core/run.ts";
import type { Acceptance, Accepted, Store } from "../store/store.ts";
import type { RunPlace, Runner } from "./runner.ts";

/** Runs of a conversation wait for their turn; and whoever sent a key may be told what was answered before. */
const mayBegin = ({ runs, events, heartbeat, idempotency }: Acceptance): boolean =>
  runs.length === 1 && !isConversation(runs[0]!) && events.length === 0 && !heartbeat && !idempotency;

export function acceptWith(
  store: Pick<Store, "accept">,
  runner: Pick<Runner, "reserve">,
): (acceptance: Acceptance) => Promise<Accepted> {
  const acceptInto = async (acceptance: Acceptance, place: RunPlace): Promise<Accepted> => {
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
  // Not `async`: under load, one turn of promises more before the answer costs a tenth of all that is accepted.
  return (acceptance) => {
    const place = mayBegin(acceptance) ? runner.reserve() : null;
    return place ? acceptInto(acceptance, place) : store.accept(acceptance);
  };
}
