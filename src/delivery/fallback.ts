// Adds a second delivery when a delivery with a fallback has failed or may have failed: all of its text, to the
// fallback's target, without a fallback of its own.
import type { ClaimedDelivery } from "../core/delivery.ts";
import { resolveTarget, type TargetPolicy } from "../core/target.ts";
import type { DeliverySettlement } from "../core/settlement.ts";

export function withFallback(
  delivery: ClaimedDelivery,
  settlement: DeliverySettlement,
  policy: TargetPolicy,
  newId: () => string,
): DeliverySettlement {
  const hasFailed = settlement.status === "failed" || settlement.status === "unknown";
  if (!hasFailed || delivery.fallback === null) return settlement;
  const resolved = resolveTarget(delivery.fallback, policy);
  if (!resolved.ok) {
    return { ...settlement, error: `${settlement.error} (no fallback: ${resolved.reason})` };
  }
  const { channel, to } = resolved.target;
  if (channel === delivery.channel && to === delivery.to) return settlement;
  const { runId, text, trace } = delivery;
  return {
    ...settlement,
    error: `${settlement.error} (goes to ${to} on ${channel} instead)`,
    notice: null,
    fallback: {
      id: newId(),
      runId,
      channel,
      to,
      text,
      status: "waiting",
      error: null,
      fallback: null,
      trace,
    },
  };
}
