// Where a delivery goes, resolved again at each attempt: channels and recipients may have changed.
import type { Delivery } from "../core/delivery.ts";
import { resolveTarget, type ResolvedTarget, type TargetPolicy } from "../core/target.ts";
import type { Store } from "../store/ports/store.ts";

/**
 * The delivery's own target; where that does not resolve, the one its run asked for (`last` may be another by now).
 * Once a message was sent, the rest goes to the same target or nowhere.
 */
export async function findTarget(
  delivery: Pick<Delivery, "channel" | "to" | "runId" | "sentMessages">,
  store: Pick<Store, "findRun">,
  policy: TargetPolicy,
): Promise<ResolvedTarget> {
  const given = resolveTarget(delivery, policy);
  if (given.ok || delivery.sentMessages > 0) return given;
  const run = await store.findRun(delivery.runId);
  if (!run || run.kind === "heartbeat") return given;
  const requested = resolveTarget(run.request, policy);
  return requested.ok ? requested : given;
}
