// How much a server may send, and for how long, until one request to the mailbox is done. The client's own limits are
// for one line and one response; a server can send any number of them that nobody asked for.
import type { ImapFlow, ImapFlowOptions } from "imapflow";
import { MailFault } from "../mailbox.ts";

const mebibyte = 1_048_576;
const mostBytes = 256 * mebibyte;
const mostMs = 10 * 60_000;
/** The client counts, so it is only asked now and then. */
const betweenMs = 250;

export const imapLimits = {
  connectionTimeout: 30_000,
  socketTimeout: 2 * 60_000,
  /** A search in a large mailbox is answered on one line. */
  maxLineLength: 32 * mebibyte,
  maxLiteralSize: 32 * mebibyte,
  maxResponseSize: 64 * mebibyte,
} as const satisfies Partial<ImapFlowOptions>;

/** Rejects with a MailFault when the server goes on for too long. The caller then closes the connection. */
export async function withinLimits<T>(client: Pick<ImapFlow, "stats">, work: Promise<T>): Promise<T> {
  const before = client.stats().received;
  const over = Promise.withResolvers<never>();
  const give = (reason: string) => over.reject(new MailFault("retry", `the server ${reason}`));
  const late = setTimeout(() => give(`took longer than ${mostMs / 60_000} minutes`), mostMs);
  const count = setInterval(() => {
    if (client.stats().received - before > mostBytes) give(`sent more than ${mostBytes} bytes`);
  }, betweenMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(late);
    clearInterval(count);
  }
}
