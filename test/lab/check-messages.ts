// The messages that people got: of each reply all parts, in order, replies to one chat in the order in which they
// were made. A message comes again only when its sending was never stored and its sender's lease is over.
import { callbackOfChannel } from "../../src/core/callback.ts";
import type { Histories, Received } from "./history.ts";
import { claimsIn, claimsOf } from "./leases.ts";
import { partsPerReply, replyForm } from "./world.ts";

const wordOf = ({ runId, attempt, part }: Received): string => `${runId}/${attempt}/${part}`;

/** Results go another way. */
const messagesOf = ({ deliveries }: Pick<Histories, "deliveries">) =>
  deliveries.filter(({ channel }) => callbackOfChannel(channel) === null);

export function wrongDeliveries(histories: Histories): string[] {
  const { requests, runs } = histories;
  const deliveries = messagesOf(histories);
  const wanted = new Set(requests.filter(({ chat }) => chat !== null).map(({ marker }) => marker));
  const byRun = Map.groupBy(deliveries, ({ runId }) => runId);
  return [
    ...runs.flatMap(({ id, request }) => {
      const count = byRun.get(id)?.length ?? 0;
      const expected = wanted.has(request.name ?? "") ? 1 : 0;
      return count === expected ? [] : [`the run ${id} has ${count} deliveries, not ${expected}`];
    }),
    ...deliveries.flatMap(({ id, status, sentMessages, error }) =>
      status === "sent" && sentMessages === partsPerReply
        ? []
        : [`the delivery ${id} is ${status} (${error}), ${sentMessages} messages sent`],
    ),
  ];
}

export function wrongMessages(histories: Histories): string[] {
  const { runs, received } = histories;
  const deliveries = messagesOf(histories);
  const replies = new Map(runs.map(({ id, reply }) => [id, replyForm.exec(reply ?? "")?.[0] ?? id]));
  const chats = new Set([...deliveries.map(({ to }) => to ?? ""), ...received.map(({ chat }) => chat)]);
  return [...chats].flatMap((chat) => {
    const expected = deliveries
      .filter(({ to }) => to === chat)
      .flatMap(({ runId }) =>
        Array.from({ length: partsPerReply }, (_, part) => `${replies.get(runId)}/${part}`),
      );
    const came = [...new Set(received.filter((each) => each.chat === chat).map(wordOf))];
    const count = Math.max(expected.length, came.length);
    const at = Array.from({ length: count }).findIndex((_, index) => came[index] !== expected[index]);
    return at === -1 ? [] : [`in chat ${chat}, message ${at} is ${came[at]} in place of ${expected[at]}`];
  });
}

export function needlessMessages(histories: Histories): string[] {
  const { received, notes } = histories;
  const deliveries = messagesOf(histories);
  const deliveryOf = new Map(deliveries.map(({ id, runId }) => [runId, id]));
  const idOf = ({ runId }: Received): string => deliveryOf.get(runId) ?? "";
  const claims = claimsOf(received, claimsIn(histories), idOf, wordOf);
  return received.flatMap((again, at) => {
    const claim = claims.get(again);
    if (!claim) return [`${wordOf(again)} was sent by ${again.life} without a claim`];
    const isBooked = notes.some(
      (note) =>
        note.kind === "booked" &&
        note.id === claim.id &&
        note.sentMessages > again.part &&
        note.at < claim.requestedAt,
    );
    if (isBooked) return [`${wordOf(again)} was sent again although it was stored as sent`];
    const before = received.slice(0, at).findLast((each) => wordOf(each) === wordOf(again));
    const overAt = before && Math.min(claims.get(before)?.overAt ?? Infinity, claim.overAt);
    return overAt === undefined || overAt <= again.at
      ? []
      : [`${wordOf(again)} was sent by ${again.life} while ${before?.life} still had it`];
  });
}
