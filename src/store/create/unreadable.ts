// What is stored in place of a row that cannot be read, and who hears of it. A run fails, a delivery fails, an event
// leaves a notice, each with the reason; the row keeps its columns as they are.
import { newId } from "../../core/id.ts";
import { mainSessionKey } from "../../core/run.ts";
import type { DeliverySettlement, Settlement } from "../../core/settlement.ts";
import type { EventSource, NewEvent } from "../../core/system-event.ts";
import type { UnreadableRow } from "../../core/unreadable.ts";
import type { UnreadableDelivery } from "../programs/deliveries.ts";
import type { UnreadableRun } from "../programs/runs.ts";

export type UnreadableReports = {
  /** Each row is reported once. */
  add(row: UnreadableRow): void;
  watch(onFound: (row: UnreadableRow) => void): void;
};

/** More rows than this, and the same one may be reported again. */
const mostKnown = 10_000;

export function createUnreadableReports(): UnreadableReports {
  const known = new Set<string>();
  let told = (_row: UnreadableRow): void => {};
  return {
    add(row) {
      const name = `${row.table} ${row.id}`;
      if (known.has(name)) return;
      if (known.size >= mostKnown) known.clear();
      known.add(name);
      told(row);
    },
    watch(onFound) {
      told = onFound;
    },
  };
}

const eventOf = (source: EventSource, text: string): NewEvent => ({
  id: newId(),
  sessionKey: mainSessionKey,
  source,
  hook: null,
  text: [text],
});

/** The run ends as failed, with its one summary, and its conversation goes on. */
export function runSetAside({ id, kind, agentId, sessionKey, reason }: UnreadableRun): Settlement {
  const error = `the stored run cannot be read: ${reason}`;
  const summary = eventOf("summary", `Hook (failed): ${error}. It is set aside: rouse runs show ${id}`);
  return {
    next: { kind: "ended", status: "failed", reply: null, error },
    workedMs: 0,
    attempt: null,
    signals: null,
    report: null,
    used: null,
    ending: { agentId, sessionKey, text: `(No reply: ${error}.)`, foreignSession: null, carried: true },
    summary: kind === "hook" ? summary : null,
    delivery: null,
    callback: null,
    heartbeat: null,
    shownEventIds: [],
  };
}

/** The delivery ends as failed, with a notice, and its lane goes on. */
export function deliverySetAside(delivery: UnreadableDelivery): DeliverySettlement {
  const { id, channel, sentMessages, uncertainSends, reason } = delivery;
  const error = `the stored delivery cannot be read: ${reason}`;
  return {
    status: "failed",
    delayMs: 0,
    countsAttempt: true,
    error,
    sentMessages,
    uncertainSends,
    notice: eventOf(
      "notice",
      `A reply could not be delivered on ${channel}: ${error}. It is set aside: rouse deliveries show ${id}`,
    ),
    fallback: null,
  };
}

export const eventSetAside = ({ id, reason }: UnreadableRow): { id: string; notice: NewEvent } => ({
  id,
  notice: eventOf(
    "notice",
    `An event cannot be read, and is set aside: ${reason}. The operator finds it with: rouse events show ${id}`,
  ),
});
