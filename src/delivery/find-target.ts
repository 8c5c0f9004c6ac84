// Where a delivery goes, looked up again at the moment of sending: channels and recipients may have changed.
import type { Delivery } from "../core/delivery.ts";
import { resolveTarget, type ConfiguredChannel, type ResolvedTarget } from "../core/target.ts";
import type { Store } from "../store/store.ts";

/** The target it was given; where that is not to be had, what its run asked for (`last` may mean another by now). */
export async function findTarget(
  delivery: Pick<Delivery, "channel" | "to" | "runId">,
  store: Pick<Store, "lastTarget" | "findRun">,
  configured: readonly ConfiguredChannel[],
): Promise<ResolvedTarget> {
  const policy = { lastTarget: await store.lastTarget(), configured };
  const given = resolveTarget(delivery, policy);
  if (given.ok) return given;
  const run = await store.findRun(delivery.runId);
  if (!run || run.kind === "heartbeat") return given;
  const asked = resolveTarget(run.request, policy);
  return asked.ok ? asked : given;
}
