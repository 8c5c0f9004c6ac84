// The outbox: replies on their way out.
import type { ClaimedDelivery, Delivery } from "../../core/delivery.ts";
import type { Claim } from "../../core/lease.ts";
import type { CancelResult } from "../../core/run.ts";
import type { DeliverySettlement } from "../../core/settlement.ts";
import type { Target } from "../../core/target.ts";
import type { Page } from "./page.ts";

export type Deliveries = {
  /** Of those to one target only the oldest that waits; while it is claimed, or waits for a retry, the others do too. */
  claimDeliveries(claim: {
    channel: string;
    limit: number;
    lease: string;
    leaseMs: number;
  }): Promise<Claim<ClaimedDelivery>>;
  /** Extends the leases that are still held, and answers which those are. */
  renewDeliveries(renewal: { ids: readonly string[]; lease: string; leaseMs: number }): Promise<string[]>;
  /** So many of its messages are known to be sent; the lease is renewed. False when it was lost. */
  advanceDelivery(progress: {
    id: string;
    lease: string;
    sentMessages: number;
    leaseMs: number;
  }): Promise<boolean>;
  settleDelivery(delivery: { id: string; lease: string }, settlement: DeliverySettlement): Promise<boolean>;
  /** It waits again, among those for another target; that costs no attempt. */
  moveDelivery(delivery: { id: string; lease: string }, target: Target): Promise<boolean>;
  /** Goes on behind the messages that are known to be sent. */
  retryDelivery(id: string): Promise<"waiting" | "not-ended" | "unknown">;
  cancelDelivery(id: string, error: string): Promise<CancelResult>;
  findDelivery(id: string): Promise<Delivery | null>;
  listDeliveries(page: Page & { runId?: string }): Promise<Delivery[]>;
  /** Names of the channels with deliveries that wait. */
  waitingChannels(): Promise<string[]>;
  lastTarget(): Promise<Target | null>;
  setLastTarget(target: Target | null): Promise<void>;
};
