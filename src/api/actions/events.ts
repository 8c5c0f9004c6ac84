// What an operator does to one note for the main session.
import type { SystemEvent } from "../../core/system-event.ts";
import type { Store } from "../../store/ports/store.ts";
import { type ActionResult, conflict, done, unknown } from "./result.ts";

type EventStore = Pick<Store, "markEvent">;

export async function retryEvent(store: EventStore, { id, shownAt }: SystemEvent): Promise<ActionResult> {
  if (shownAt === null) return conflict(`Event ${id} is waiting to be shown already.`);
  return mark(store, id, true, `Event ${id} will be shown again by the next heartbeat.`);
}

export async function cancelEvent(store: EventStore, { id, shownAt }: SystemEvent): Promise<ActionResult> {
  if (shownAt !== null) return conflict(`Event ${id} has been shown already.`);
  return mark(store, id, false, `Event ${id} will not be shown.`);
}

async function mark(
  store: EventStore,
  id: string,
  waiting: boolean,
  sentence: string,
): Promise<ActionResult> {
  if (!(await store.markEvent(id, waiting))) return unknown(`There is no event with the id ${id}.`);
  return done(sentence, { id, result: waiting ? "waiting" : "cancelled" });
}
