// Settlements: of a run that has replied, of a delivery that was sent.
import type { NewAttemptRecord } from "../../src/core/attempt-record.ts";
import type { NewDelivery } from "../../src/core/delivery.ts";
import { newId } from "../../src/core/id.ts";
import type { DeliverySettlement, Settlement } from "../../src/core/settlement.ts";

export const aSettlement = (parts: Partial<Settlement> = {}): Settlement => ({
  next: { kind: "ended", status: "succeeded", reply: "done", error: null },
  workedMs: 100,
  attempt: null,
  signals: null,
  report: null,
  used: null,
  ending: null,
  summary: null,
  delivery: null,
  callback: null,
  heartbeat: null,
  shownEventIds: [],
  ...parts,
});

/** The first attempt of a run, which succeeded. */
export const anAttempt = (parts: Partial<NewAttemptRecord> = {}): NewAttemptRecord => ({
  number: 1,
  node: "here:18789",
  workedMs: 100,
  outcome: "succeeded",
  reason: null,
  toolCalls: [],
  ...parts,
});

export const aDelivery = (parts: Partial<NewDelivery> = {}): NewDelivery => ({
  id: newId(),
  runId: newId(),
  channel: "telegram",
  to: "12345",
  text: "hello",
  status: "waiting",
  error: null,
  fallback: null,
  trace: null,
  ...parts,
});

export const aDeliverySettlement = (parts: Partial<DeliverySettlement> = {}): DeliverySettlement => ({
  status: "sent",
  delayMs: 0,
  countsAttempt: true,
  error: null,
  sentMessages: 1,
  uncertainSends: 0,
  notice: null,
  fallback: null,
  ...parts,
});
