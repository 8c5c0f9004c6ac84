// Reads one message. Of a large one, only the headers and the start of each text are loaded.
import type { FetchMessageObject, ImapFlow } from "imapflow";
import type { MailAccountConfig } from "../../config/config.ts";
import { cutBody, type MimeMessage, snippetOf } from "../message.ts";
import type { MailReader } from "../reader.ts";
import { type Fetched, MailFault } from "../mailbox.ts";
import { dateOf, fetchOne } from "./listing.ts";
import { attachmentsIn, textParts } from "./structure.ts";

/** Parsing blocks the process, and most of a large mail is attachments. */
const largestSource = 300_000;
const mostTextParts = 5;
const excluded = ["\\draft", "\\deleted"];

const textMark = "\n\n… (cut: the text is longer than this)";

/** `isCut`: not all of its text was loaded. */
type ReadMime = MimeMessage & { readonly isCut?: boolean };
type Wanted = Pick<MailAccountConfig, "mailbox" | "includeBody" | "maxBytes">;

/** The connection, and what parses a mail. */
type Reading = { readonly client: ImapFlow; readonly reader: Pick<MailReader, "mime"> };

export async function readMessage(
  reading: Reading,
  id: string,
  uid: number,
  wanted: Wanted,
): Promise<Fetched> {
  const about = { flags: true, internalDate: true, size: true, threadId: true, labels: true };
  const message = await fetchOne(reading.client, uid, about);
  if (message === null) return { kind: "gone" };
  if ([...(message.flags ?? [])].some((flag) => excluded.includes(flag.toLowerCase())))
    return { kind: "excluded" };
  const isLarge = (message.size ?? 0) > largestSource;
  const textLimit = Math.max(largestSource, wanted.maxBytes);
  const mime: ReadMime | null = await (isLarge
    ? readParts(reading, uid, textLimit)
    : readWhole(reading, uid));
  return mime === null ? { kind: "gone" } : { kind: "mail", mail: toMail(id, message, mime, wanted) };
}

function toMail(id: string, message: FetchMessageObject, mime: ReadMime, wanted: Wanted) {
  const { from, to, subject, text, attachments, isCut = false } = mime;
  const { body, bodyTruncated } = cutBody(wanted.includeBody ? text : "", wanted.maxBytes);
  const labels = message.labels && message.labels.size > 0 ? [...message.labels] : [wanted.mailbox];
  return {
    id,
    threadId: message.threadId ?? null,
    from,
    to,
    subject,
    date: new Date(dateOf(message)).toISOString(),
    snippet: snippetOf(text),
    body,
    bodyTruncated: bodyTruncated || (wanted.includeBody && isCut),
    labels,
    attachments,
  };
}

async function readWhole({ client, reader }: Reading, uid: number): Promise<MimeMessage | null> {
  const found = await fetchOne(client, uid, { source: { maxLength: largestSource } });
  return found && reader.mime(present(found.source));
}

async function readParts(reading: Reading, uid: number, limit: number): Promise<ReadMime | null> {
  const { client, reader } = reading;
  const found = await fetchOne(client, uid, { bodyStructure: true, headers: true });
  if (found === null) return null;
  const head = await reader.mime(present(found.headers));
  const texts: string[] = [];
  const parts = textParts(found.bodyStructure);
  for (const { part } of parts.slice(0, mostTextParts)) {
    const text = await startOfPart(reading, uid, part, limit);
    if (text !== "") texts.push(text);
  }
  const isCut = parts.length > mostTextParts || parts.some(({ size = 0 }) => size > limit);
  const attachments = attachmentsIn(found.bodyStructure);
  return { ...head, text: texts.join("\n\n") + (isCut ? textMark : ""), attachments, isCut };
}

/** Reads a part as if it were a message, with the part's own headers. */
async function startOfPart(
  { client, reader }: Reading,
  uid: number,
  part = "",
  maxLength: number,
): Promise<string> {
  const limit = { start: 0, maxLength };
  const query = part === "" ? { source: limit } : { bodyParts: [`${part}.mime`, { key: part, ...limit }] };
  const found = await fetchOne(client, uid, query);
  const keys = [`${part}.mime`, part];
  const bytes = part === "" ? [found?.source] : keys.map((key) => found?.bodyParts?.get(key));
  return (await reader.mime(Buffer.concat(bytes.map(present)))).text;
}

/** The server may leave parts out of a message that is being removed; the next sync finds it gone. */
function present(bytes: Buffer | undefined): Buffer {
  if (bytes === undefined) throw new MailFault("retry", "the server left out a part of a message");
  return bytes;
}
