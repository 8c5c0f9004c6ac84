// Where a delivery goes, looked up again at the moment of sending: channels and recipients may have changed.
import type { Delivery } from "../core/delivery.ts";
import { resolveTarget, type ResolvedTarget, type TargetPolicy } from "../core/target.ts";
import type { Store } from "../store/ports/store.ts";

/**
 * The target it was given; where that is not to be had, what its run asked for (`last` may mean another by now). Once
 * a part of it was sent, the rest goes to the same place or nowhere.
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
  const asked = resolveTarget(run.request, policy);
  return asked.ok ? asked : given;
}
