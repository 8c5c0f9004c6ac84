// What is accepted while there is a place for it is stored as begun: it waits for no claim, and for no second write.
import { isolatedRun } from "../store/create/single.ts";
import type { FirstTurn } from "../core/attempt.ts";
import type { Acceptance, Accepted } from "../core/request.ts";
import type { Store } from "../store/ports/store.ts";
import type { RunPlace, Runner } from "./runner.ts";

export function acceptWith(
  store: Pick<Store, "accept">,
  runner: Pick<Runner, "reserve">,
): (acceptance: Acceptance) => Promise<Accepted> {
  const acceptInto = async (acceptance: Acceptance, place: RunPlace): Promise<Accepted> => {
    try {
      const first = await firstTurnAt(place);
      const accepted = await (first ? store.accept(acceptance, first) : store.accept(acceptance));
      if (accepted.kind === "stored" && accepted.begun) place.take(accepted.begun);
      else place.free();
      return accepted;
    } catch (fault) {
      place.free();
      throw fault;
    }
  };
  // Not `async`: under load, one turn of promises more before the answer costs a tenth of all that is accepted.
  return (acceptance) => {
    const run = isolatedRun(acceptance);
    const place = run && runner.reserve(run);
    return place ? acceptInto(acceptance, place) : store.accept(acceptance);
  };
}

/** A fault in what an agent would be told costs no request: it is met again, and told, when the run has its turn. */
const firstTurnAt = (place: RunPlace): Promise<FirstTurn | null> => place.firstTurn().catch(() => null);
