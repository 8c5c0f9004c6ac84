// The judge of the outbox test. Each chat must have the parts of its replies, in the order of the replies; a part may
// have come twice only when the process that sent it first was killed, and then right after the first.
import type { Delivery } from "../../src/core/delivery.ts";
import type { Run } from "../../src/core/run.ts";
import type { Received } from "./outbox-platform.ts";

export const parts = ["1", "2", "3"];

export type OutboxEvidence = {
  /** Runs whose ids a caller got. */
  accepted: readonly string[];
  runs: readonly Run[];
  /** Oldest first. */
  deliveries: readonly Delivery[];
  received: readonly Received[];
};

export function outboxFaults({ accepted, runs, deliveries, received }: OutboxEvidence): string[] {
  const byRun = Map.groupBy(deliveries, ({ runId }) => runId);
  const ended = new Map(runs.map((run) => [run.id, run.status]));
  return [
    ...accepted
      .filter((id) => ended.get(id) !== "succeeded")
      .map((id) => `the run ${id} is ${ended.get(id)}`),
    ...runs.flatMap(({ id }) => {
      const made = byRun.get(id) ?? [];
      return made.length === 1 ? [] : [`the run ${id} has ${made.length} deliveries`];
    }),
    ...deliveries.flatMap(({ id, status, error, sentMessages }) =>
      status === "sent" && sentMessages === parts.length
        ? []
        : [`the delivery ${id} is ${status} (${error}), ${sentMessages} messages sent`],
    ),
    ...chatFaults(deliveries, received),
  ];
}

function chatFaults(deliveries: readonly Delivery[], received: readonly Received[]): string[] {
  const chats = new Set([...deliveries.map(({ to }) => to ?? ""), ...received.map(({ chat }) => chat)]);
  return [...chats].flatMap((chat) => {
    const expected = deliveries
      .filter(({ to }) => to === chat)
      .flatMap(({ runId }) => parts.map((part) => `${runId}/${part}`));
    const came = received.filter((each) => each.chat === chat);
    const once = came.filter(({ word }, at) => came[at - 1]?.word !== word);
    const wrongAt = Array.from({ length: Math.max(expected.length, once.length) }).findIndex(
      (_, at) => once[at]?.word !== expected[at],
    );
    const order =
      wrongAt === -1
        ? []
        : [`in chat ${chat}, message ${wrongAt} is ${once[wrongAt]?.word} in place of ${expected[wrongAt]}`];
    return [...order, ...needless(chat, came)];
  });
}

const needless = (chat: string, came: readonly Received[]): string[] =>
  came.flatMap(({ word, life }, at) =>
    came[at - 1]?.word === word && came[at - 1]?.life === life
      ? [`in chat ${chat}, ${word} came twice from one process`]
      : [],
  );

/** Messages that came more than once. */
export const doubled = (received: readonly Received[]): number =>
  received.length - new Set(received.map(({ chat, word }) => `${chat} ${word}`)).size;
