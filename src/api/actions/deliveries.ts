// What an operator does to one delivery.
import type { Delivery } from "../../core/delivery.ts";
import type { Store } from "../../store/ports/store.ts";
import { type ActionResult, conflict, done } from "./result.ts";

export async function retryDelivery(
  store: Pick<Store, "retryDelivery">,
  { id, status }: Delivery,
): Promise<ActionResult> {
  const result = await store.retryDelivery(id);
  if (result === "waiting") return done(`Delivery ${id} is queued again.`, { id, status: "waiting" });
  const why = status === "sent" ? "was sent" : "is waiting to be sent";
  return conflict(`Delivery ${id} ${why} already: there is nothing to retry.`);
}

export async function cancelDelivery(
  store: Pick<Store, "cancelDelivery">,
  { id }: Delivery,
): Promise<ActionResult> {
  const result = await store.cancelDelivery(id, "it was cancelled");
  if (result !== "cancelled")
    return conflict(`Delivery ${id} has ended already: there is nothing to cancel.`);
  return done(`Delivery ${id} is cancelled. If it was being sent at this moment, it may still arrive.`, {
    id,
    result,
  });
}
