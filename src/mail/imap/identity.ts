// The id of a message. It stays the same when a mailbox is renumbered, restored or moved to another server.
//
//   ACCOUNT:M.EMAILID       where the server names messages itself (X-GM-MSGID of Gmail, OBJECTID of RFC 8474)
//   ACCOUNT:SECONDS.HASH    else: INTERNALDATE, and a hash of it and the Message-ID
//
// The date is in the hash because a sender chooses the Message-ID: a sender who guesses the id of a mail to come could
// otherwise make it look like one that was read already. It also stands before the hash, for finding the message.
import { hash } from "node:crypto";

export type Traits = {
  readonly emailId: string | null;
  readonly internalDate: number;
  readonly size: number;
  /** Message-ID, Date, From and Subject as the message has them. */
  readonly headers: string;
};

export const identityHeaders = ["message-id", "date", "from", "subject"];

/** The key to search a message by. */
export type Key =
  | { readonly kind: "email-id"; readonly emailId: string }
  | { readonly kind: "date"; readonly date: number };

const goodEmailId = /^[A-Za-z0-9_-]{1,80}$/;

export function idOf(account: string, { emailId, internalDate, size, headers }: Traits): string {
  if (emailId !== null && goodEmailId.test(emailId)) return `${account}:M.${emailId}`;
  const seconds = Math.floor(internalDate / 1000);
  const messageId = messageIdIn(headers);
  const named = messageId === null ? ["headers", headers, size] : ["message-id", messageId];
  const digest = hash("sha256", JSON.stringify([seconds, ...named]), "base64url").slice(0, 22);
  return `${account}:${Math.max(seconds, 0).toString(36)}.${digest}`;
}

/** Null for an id that is not of this account. */
export function keyOf(account: string, id: string): Key | null {
  const dot = id.indexOf(".", account.length);
  if (!id.startsWith(`${account}:`) || dot === -1) return null;
  const first = id.slice(account.length + 1, dot);
  if (first === "M") return { kind: "email-id", emailId: id.slice(dot + 1) };
  const seconds = /^[0-9a-z]{1,8}$/.test(first) ? Number.parseInt(first, 36) : Number.NaN;
  return Number.isNaN(seconds) ? null : { kind: "date", date: seconds * 1000 };
}

function messageIdIn(headers: string): string | null {
  const unfolded = headers.replace(/\r?\n(?=[ \t])/g, "");
  const found = /^message-id[ \t]*:(.*)$/im.exec(unfolded)?.[1]?.trim();
  return found === undefined || found === "" ? null : found;
}
