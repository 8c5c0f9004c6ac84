// A delivery is one reply on its way to a person: the outbox.
//
//   waiting ──attempt──▶ sent | failed | unknown
//      ▲         │
//      └─retry───┘            (suppressed: recorded, never tried)

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
};

export type Delivery = Omit<NewDelivery, "status"> & {
  status: DeliveryStatus;
  attempts: number;
  createdAt: number;
  sentAt: number | null;
};

export type ClaimedDelivery = Delivery & { lease: string };

/** What one attempt to send came to. `unknown`: it may have been sent, the platform never answered. */
export type SendOutcome =
  | { kind: "sent" }
  | { kind: "retry"; reason: string; afterMs: number | null }
  | { kind: "rejected"; reason: string }
  | { kind: "unknown"; reason: string };
