// What is accepted while there is a place for it is stored as claimed, and begins without waiting for a claim.
import { isolatedRun } from "../store/lone.ts";
import type { Acceptance, Accepted, Store } from "../store/store.ts";
import type { RunPlace, Runner } from "./runner.ts";

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
    const place = isolatedRun(acceptance) ? runner.reserve() : null;
    return place ? acceptInto(acceptance, place) : store.accept(acceptance);
  };
}
