// What is told of a delivery's attempt: its numbers, and its span.
import type { ClaimedDelivery } from "../core/delivery.ts";
import type { DeliveryEnd, Metrics } from "../core/metrics.ts";
import type { Span, Trace } from "../core/trace.ts";

export type DeliveryMetrics = Pick<Metrics, "deliveryEnded" | "deliveryRetried" | "leaseLost">;

export const beginRecord = (
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

const ends: ReadonlySet<string> = new Set<DeliveryEnd>(["sent", "failed", "unknown"]);
const good: ReadonlySet<string> = new Set(["sent", "moved", "released"]);

/** `outcome` is the status it has now, or why it has none: `moved`, `released`, `lost`, `broke`. */
export function endRecord(
  delivery: ClaimedDelivery,
  outcome: string,
  span: Span,
  { metrics, now }: { metrics: DeliveryMetrics; now: number },
): void {
  const { channel, waitingSince } = delivery;
  span.set({ "rouse.outcome": outcome });
  span.end(good.has(outcome) ? null : outcome);
  if (ends.has(outcome))
    metrics.deliveryEnded(channel, outcome as DeliveryEnd, Math.max(0, now - waitingSince) / 1000);
  if (outcome === "waiting") metrics.deliveryRetried(channel);
  if (outcome === "lost") metrics.leaseLost("delivery");
}
