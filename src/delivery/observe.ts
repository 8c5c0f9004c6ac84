// The metrics and the span of a delivery's attempt.
import type { ClaimedDelivery } from "../core/delivery.ts";
import type { DeliveryEnd, Metrics } from "../core/metrics.ts";
import type { Span, Trace } from "../core/trace.ts";

export type DeliveryMetrics = Pick<Metrics, "deliveryEnded" | "deliveryRetried" | "leaseLost">;

export const observeStart = (
  { id, runId, channel, attempts, trace: parent }: ClaimedDelivery,
  trace: Trace,
): Span =>
  trace.start(`deliver ${channel}`, {
    kind: "producer",
    parent,
    attributes: {
      "rouse.delivery.id": id,
      "rouse.run.id": runId,
      "rouse.channel": channel,
      "rouse.attempt": attempts,
    },
  });

const ends: ReadonlySet<string> = new Set<DeliveryEnd>(["sent", "failed", "unknown", "suppressed"]);
const good: ReadonlySet<string> = new Set(["sent", "suppressed", "moved", "released"]);

/** `outcome`: the status the delivery has now, or `moved`, `released`, `lost` or `broke`. */
export function observeEnd(
  delivery: ClaimedDelivery,
  outcome: string,
  span: Span,
  { metrics, waitedMs }: { metrics: DeliveryMetrics; waitedMs: number },
): void {
  const { channel } = delivery;
  span.set({ "rouse.outcome": outcome });
  span.end(good.has(outcome) ? null : outcome);
  if (ends.has(outcome)) metrics.deliveryEnded(channel, outcome as DeliveryEnd, waitedMs / 1000);
  if (outcome === "waiting") metrics.deliveryRetried(channel);
  if (outcome === "lost") metrics.leaseLost("delivery");
}
