// Lists messages: the id of each, and when it came. The client returns nothing when its mailbox is no longer open; here
// that is a fault, so that a lost connection is never taken for an empty mailbox.
import type { FetchMessageObject, FetchQueryObject, ImapFlow, SearchObject } from "imapflow";
import { MailFault } from "../mailbox.ts";
import { identityHeaders, idOf } from "./identity.ts";

export type Listed = { readonly id: string; readonly uid: number; readonly date: number };

const listQuery: FetchQueryObject = { uid: true, internalDate: true, size: true, headers: identityHeaders };
const batchSize = 500;

const isOpen = ({ usable, mailbox }: ImapFlow): boolean => usable && mailbox !== false;

function assertOpen(client: ImapFlow): void {
  if (!isOpen(client)) throw new MailFault("retry", "the connection was lost");
}

/** Each message of a range of UIDs once, in the order of the UIDs. */
export async function list(client: ImapFlow, account: string, range: string): Promise<Listed[]> {
  const found = new Map<number, Listed>();
  for await (const message of client.fetch(range, listQuery, { uid: true })) {
    found.set(message.uid, toListed(account, message));
  }
  assertOpen(client);
  return [...found.values()].toSorted((left, right) => left.uid - right.uid);
}

function toListed(account: string, message: FetchMessageObject): Listed {
  const date = dateOf(message);
  const headers = message.headers?.toString("latin1") ?? "";
  const traits = { emailId: message.emailId ?? null, internalDate: date, size: message.size ?? 0, headers };
  return { id: idOf(account, traits), uid: message.uid, date };
}

export function dateOf({ internalDate }: FetchMessageObject): number {
  const time = new Date(internalDate ?? 0).getTime();
  return Number.isNaN(time) ? 0 : time;
}

export async function search(client: ImapFlow, query: SearchObject): Promise<number[]> {
  const found = await client.search(query, { uid: true });
  assertOpen(client);
  if (!found) throw new MailFault("retry", "the server refused a search");
  return found;
}

export async function listThese(
  client: ImapFlow,
  account: string,
  uids: readonly number[],
): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let at = 0; at < uids.length; at += batchSize) {
    const range = uids.slice(at, at + batchSize).join(",");
    for (const each of await list(client, account, range)) listed.push(each);
  }
  return listed;
}

/** Null when the message is gone. */
export async function fetchOne(
  client: ImapFlow,
  uid: number,
  query: FetchQueryObject,
): Promise<FetchMessageObject | null> {
  const found = await client.fetchOne(String(uid), query, { uid: true });
  if (found) return found;
  assertOpen(client);
  return null;
}
