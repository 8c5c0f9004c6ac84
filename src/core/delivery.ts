// A delivery is one reply on its way to a person: the outbox. A reply may be several messages; `sentMessages` counts
// those known to be sent, and the next attempt sends the others.
//
//   waiting ──attempt──▶ sent | failed | unknown
//      ▲         │
//      └─retry───┘            (suppressed: recorded, never tried)
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
  /** Where the text goes when it finally cannot be delivered. */
  fallback: WantedTarget | null;
  /** Where its trace goes on (`core/trace.ts`). */
  trace: string | null;
};

export type Delivery = Omit<NewDelivery, "status"> & {
  status: DeliveryStatus;
  attempts: number;
  /** How many of its messages are known to be sent. */
  sentMessages: number;
  createdAt: number;
  sentAt: number | null;
};

export type ClaimedDelivery = Delivery & {
  lease: string;
  /** How often its next message may have been sent without an answer. */
  uncertainSends: number;
  /** When it was made, or last asked for again. */
  waitingSince: number;
};

/** What one attempt to send a message came to. */
export type SendOutcome =
  | { readonly kind: "sent" }
  /** Not sent, and may be tried again: a rate limit, a platform out of reach. `afterMs` where it asks for a delay. */
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs: number | null }
  /** Refused for good. The reason is a sentence for a person, without secrets. */
  | { readonly kind: "rejected"; readonly reason: string }
  /** It may have been sent: the platform never answered, or broke after it had the message. */
  | { readonly kind: "unknown"; readonly reason: string };
