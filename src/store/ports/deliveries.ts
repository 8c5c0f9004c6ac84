// The outbox: replies on their way out.
import type { ClaimedDelivery, Delivery } from "../../core/delivery.ts";
import type { Claim } from "../../core/lease.ts";
import type { CancelResult } from "../../core/run.ts";
import type { DeliverySettlement } from "../../core/settlement.ts";
import type { Target } from "../../core/target.ts";
import type { Page } from "./page.ts";

export type Deliveries = {
  /** Only the oldest waiting delivery of each target; while it is claimed or waits for a retry, the others wait. */
  claimDeliveries(claim: {
    channel: string;
    limit: number;
    lease: string;
    leaseMs: number;
  }): Promise<Claim<ClaimedDelivery>>;
  /** Extends the leases that are still held, and returns their deliveries. */
  renewDeliveries(renewal: { ids: readonly string[]; lease: string; leaseMs: number }): Promise<string[]>;
  /** Stores how many of its messages were sent, and renews the lease. False when it was lost. */
  advanceDelivery(progress: {
    id: string;
    lease: string;
    sentMessages: number;
    leaseMs: number;
  }): Promise<boolean>;
  settleDelivery(delivery: { id: string; lease: string }, settlement: DeliverySettlement): Promise<boolean>;
  /** Queues it for another target; the attempt does not count. */
  moveDelivery(delivery: { id: string; lease: string }, target: Target): Promise<boolean>;
  /** Continues after the messages that were sent. */
  retryDelivery(id: string): Promise<"waiting" | "not-ended" | "unknown">;
  cancelDelivery(id: string, error: string): Promise<CancelResult>;
  findDelivery(id: string): Promise<Delivery | null>;
  listDeliveries(page: Page & { runId?: string }): Promise<Delivery[]>;
  /** The channels with waiting deliveries. */
  waitingChannels(): Promise<string[]>;
  lastTarget(): Promise<Target | null>;
  setLastTarget(target: Target | null): Promise<void>;
};
