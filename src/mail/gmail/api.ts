// The calls of the Gmail API for reading new mail. Ids are 64-bit numbers and stay text.
import { MailFault } from "../mailbox.ts";
import type { Caller } from "./call.ts";
import { type Fields, fieldsIn, listIn, textIn, textsIn } from "./request.ts";

export type HistoryPage = { ids: string[]; historyId: string; nextPage: string };
export type MessagePage = { ids: string[]; nextPage: string };

export type GmailApi = {
  profile(signal: AbortSignal): Promise<{ emailAddress: string; historyId: string }>;
  /** What came under the label after `start`; null when Google no longer knows it. */
  history(start: string, labelId: string, page: string, signal: AbortSignal): Promise<HistoryPage | null>;
  /** Newest first. */
  list(about: { labelId: string; query: string; page: string }, signal: AbortSignal): Promise<MessagePage>;
  /** Null when it is gone. */
  message(id: string, format: "full" | "metadata", signal: AbortSignal): Promise<Fields | null>;
  /** The content of a part that was left out of the message. */
  attachment(messageId: string, id: string, signal: AbortSignal): Promise<Buffer | null>;
  labels(signal: AbortSignal): Promise<{ id: string; name: string }[]>;
  /** Asks for hints. Resolves with the time until which they will come, in epoch milliseconds. */
  watch(topic: string, labelId: string, signal: AbortSignal): Promise<number>;
  stop(signal: AbortSignal): Promise<void>;
};

/** Units of Google's quota. */
const cost = {
  profile: 1,
  labels: 1,
  history: 2,
  list: 5,
  attachment: 20,
  message: 20,
  stop: 50,
  watch: 100,
};
const pageSize = "500";
/** Gmail gives the texts of a message with it, and keeps attachments apart. */
const mostMessageBytes = 16_777_216;
const shownHeaders = ["From", "To", "Subject", "Date"];

export function createGmailApi({ call, endpoint }: { call: Caller; endpoint: string }): GmailApi {
  const me = `${endpoint}/gmail/v1/users/me`;
  const urlOf = (path: string, query: readonly (readonly [string, string])[] = []): string => {
    const set = query
      .filter(([, value]) => value !== "")
      .map(([name, value]): [string, string] => [name, value]);
    return `${me}${path}${set.length > 0 ? `?${new URLSearchParams(set).toString()}` : ""}`;
  };
  const found = async (response: Promise<Fields | null>): Promise<Fields> => {
    const body = await response;
    if (body === null) throw new MailFault("broken", "Google knows no such mailbox (404)");
    return body;
  };

  return {
    async profile(signal) {
      const body = await found(call({ url: urlOf("/profile"), cost: cost.profile }, signal));
      return { emailAddress: textIn(body, "emailAddress"), historyId: idIn(body, "historyId") };
    },
    async history(start, labelId, page, signal) {
      const url = urlOf("/history", [
        ["startHistoryId", start],
        ["labelId", labelId],
        ["historyTypes", "messageAdded"],
        ["historyTypes", "labelAdded"],
        ["maxResults", pageSize],
        ["pageToken", page],
      ]);
      const body = await call({ url, cost: cost.history }, signal);
      if (body === null) return null;
      const ids = listIn(body, "history").flatMap((record) => idsIn(record, labelId));
      return { ids, historyId: idIn(body, "historyId"), nextPage: textIn(body, "nextPageToken") };
    },
    async list({ labelId, query, page }, signal) {
      const url = urlOf("/messages", [
        ["labelIds", labelId],
        ["q", query],
        ["maxResults", pageSize],
        ["pageToken", page],
      ]);
      const body = await found(call({ url, cost: cost.list }, signal));
      const ids = listIn(body, "messages")
        .map((message) => textIn(message, "id"))
        .filter((id) => goodId.test(id));
      return { ids, nextPage: textIn(body, "nextPageToken") };
    },
    message(id, format, signal) {
      const headers =
        format === "metadata" ? shownHeaders.map((name) => ["metadataHeaders", name] as const) : [];
      const url = urlOf(`/messages/${encodeURIComponent(id)}`, [["format", format], ...headers]);
      return call({ url, cost: cost.message, mostBytes: mostMessageBytes }, signal);
    },
    async attachment(messageId, id, signal) {
      const path = `/messages/${encodeURIComponent(messageId)}/attachments/${encodeURIComponent(id)}`;
      const body = await call(
        { url: urlOf(path), cost: cost.attachment, mostBytes: mostMessageBytes },
        signal,
      );
      return body && Buffer.from(textIn(body, "data"), "base64url");
    },
    async labels(signal) {
      const body = await found(call({ url: urlOf("/labels"), cost: cost.labels }, signal));
      return listIn(body, "labels").map((each) => ({ id: textIn(each, "id"), name: textIn(each, "name") }));
    },
    async watch(topicName, labelId, signal) {
      const body = { topicName, labelIds: [labelId], labelFilterBehavior: "INCLUDE" };
      const response = await call({ method: "POST", url: urlOf("/watch"), body, cost: cost.watch }, signal);
      if (response === null) throw new MailFault("broken", "Google knows no such topic (404)");
      return timeIn(response, "expiration");
    },
    async stop(signal) {
      await call({ method: "POST", url: urlOf("/stop"), cost: cost.stop }, signal);
    },
  };
}

/** New under the label: added with it, or given it now. Another label on a mail that already has ours is not new. */
function idsIn(record: Fields, labelId: string): string[] {
  const labelled = listIn(record, "labelsAdded").filter((each) =>
    textsIn(each, "labelIds").includes(labelId),
  );
  const changes = [...listIn(record, "messagesAdded"), ...labelled];
  return changes.map((each) => textIn(fieldsIn(each, "message"), "id")).filter((id) => goodId.test(id));
}

/** Ids of messages are hexadecimal numbers. Anything else could not be stored, or not be asked for, and comes from no Gmail. */
const goodId = /^[\w-]{1,100}$/;

/** The latest time that is a date. */
const latest = 8_640_000_000_000_000;

function timeIn(body: Fields, name: string): number {
  const written = textIn(body, name);
  if (!/^\d{1,20}$/.test(written)) throw new MailFault("retry", `Google's response has no ${name}`);
  return Math.min(Number(written), latest);
}

function idIn(body: Fields, name: string): string {
  const id = textIn(body, name);
  if (!/^\d{1,20}$/.test(id)) throw new MailFault("retry", "Google's response has no history id");
  return id;
}
