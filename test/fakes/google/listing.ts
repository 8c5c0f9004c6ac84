// The history and the lists of a mailbox, in pages.
import { type Json, notFound, ok, refused, type Reply } from "./http.ts";
import type { Stored } from "./mail.ts";

/** Above the numbers that JavaScript holds exactly. */
export const aboveNumbers = 9_007_199_254_740_993n;

export type Change = {
  id: bigint;
  kind: "messagesAdded" | "labelsAdded";
  mail: Stored;
  labels: readonly string[];
};

export type Box = {
  mails: ReadonlyMap<string, Stored>;
  changes: readonly Change[];
  historyId: bigint;
  oldestKnown: bigint;
  state: { reportsHidden: boolean; pageSize: number };
};

export function history({ changes, state, historyId, oldestKnown }: Box, query: URLSearchParams): Reply {
  const start = query.get("startHistoryId") ?? "";
  if (!/^\d+$/.test(start))
    return refused(400, "invalidArgument", "Invalid startHistoryId", "INVALID_ARGUMENT");
  if (BigInt(start) < oldestKnown) return notFound();
  const label = query.get("labelId");
  const types = query.getAll("historyTypes");
  const isWanted = ({ kind }: Change) => types.length === 0 || types.includes(kind.replace(/s(?=Added)/, ""));
  const visible = changes.filter(({ id, mail }) => id > BigInt(start) && !mail.hidden);
  const found = visible.filter((each) => isWanted(each) && (!label || each.mail.labelIds.has(label)));
  const size = Math.min(Number(query.get("maxResults") ?? state.pageSize), state.pageSize, 500);
  const at = Number(query.get("pageToken") ?? 0);
  const last = changes.findLast(({ mail }) => !mail.hidden)?.id ?? aboveNumbers;
  return ok({
    ...(found.length > 0 && { history: found.slice(at, at + size).map(toRecord) }),
    ...(at + size < found.length && { nextPageToken: String(at + size) }),
    historyId: String(state.reportsHidden ? historyId : last),
  });
}

export function list({ mails }: Pick<Box, "mails">, query: URLSearchParams): Reply {
  const q = query.get("q") ?? "";
  const bound = (name: string, otherwise: number) =>
    Number(new RegExp(`${name}:(\\d+)`).exec(q)?.[1] ?? otherwise);
  const [after, before] = [bound("after", 0) * 1000, bound("before", Infinity) * 1000];
  const labels = query.getAll("labelIds");
  const found = [...mails.values()]
    .filter(({ at, hidden }) => !hidden && at >= after && at < before)
    .filter(({ labelIds }) => labels.every((each) => labelIds.has(each)))
    .toSorted((left, right) => right.at - left.at);
  const size = Math.min(Number(query.get("maxResults") ?? 100), 500);
  const start = Number(query.get("pageToken") ?? 0);
  return ok({
    ...(found.length > 0 && {
      messages: found.slice(start, start + size).map(({ id, threadId }) => ({ id, threadId })),
    }),
    ...(start + size < found.length && { nextPageToken: String(start + size) }),
    resultSizeEstimate: found.length,
  });
}

const toRecord = ({ id, kind, mail, labels }: Change): Json => {
  const message = { id: mail.id, threadId: mail.threadId, labelIds: [...mail.labelIds] };
  const change = kind === "labelsAdded" ? { message, labelIds: labels } : { message };
  return { id: String(id), messages: [{ id: mail.id, threadId: mail.threadId }], [kind]: [change] };
};
