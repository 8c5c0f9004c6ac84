// A delivery is one reply, or a failure notice in its place, on its way to a person: the outbox. A reply may be several messages; `sentMessages` counts
// those known to be sent, and the next attempt sends the others.
//
//   waiting ──attempt──▶ sent | failed | unknown
//      ▲         │
//      └─retry───┘            (suppressed: recorded, not tried by itself)
import type { WantedTarget } from "./target.ts";

export const deliveryStatuses = ["waiting", "sent", "failed", "suppressed", "unknown"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export type NewDelivery = {
  id: string;
  runId: string;
  channel: string;
  to: string | null;
  text: string;
  status: "waiting" | "failed" | "suppressed";
  error: string | null;
  /** Where the text goes when this target has failed for good. */
  fallback: WantedTarget | null;
  /** The parent of its spans (`core/trace.ts`). */
  trace: string | null;
};

export type Delivery = Omit<NewDelivery, "status"> & {
  status: DeliveryStatus;
  attempts: number;
  /** How many of its messages are known to be sent. */
  sentMessages: number;
  createdAt: number;
  sentAt: number | null;
  /** When it was sent, failed or cancelled; null while it waits, and where it was never tried. */
  endedAt: number | null;
};

export type ClaimedDelivery = Delivery & {
  lease: string;
  /** How often its next message was sent without a known outcome. */
  uncertainSends: number;
  /** How long it had waited when it was claimed, since it was stored or last retried by an operator. */
  waitedMs: number;
};

/** The outcome of one attempt to send a message. */
export type SendOutcome =
  | { readonly kind: "sent" }
  /** Not sent; a retry may work (a rate limit, an unreachable platform). `afterMs`: the delay the platform asked for. */
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs: number | null }
  /** Refused for good. The reason is a sentence for a person, without secrets. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** It may have been sent: the platform did not respond, or failed after it got the message. */
  | { readonly kind: "unknown"; readonly reason: string };
