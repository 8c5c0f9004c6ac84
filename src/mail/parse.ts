// Parses a MIME message: sender, recipients, subject and readable text. Attachments are listed, not kept.
import PostalMime, { addressParser, decodeWords, type Address, type Email } from "postal-mime";
import { cutWithMark, oneLine } from "../core/text.ts";
import { htmlToText } from "../html/to-text.ts";
import { type MimeMessage, nothingRead, unreadText } from "./message.ts";

const longest = { address: 1000, subject: 1000, name: 200, headers: 16_384 };
const mostAttachments = 100;

/** Lines cost most: a mail has some thousands, and one made to be slow has a line for each of its bytes. */
const mostLines = 50_000;
const deepestNesting = 50;
/** Forwarded mails beyond it stay attachments: each would be parsed anew. */
const mostForwarded = 10;

/** Never throws: of a message that cannot be parsed only the first headers are read. */
export async function readMime(raw: Uint8Array): Promise<MimeMessage> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const end = endOfLines(bytes, mostLines);
  try {
    const mail = await read(bytes.subarray(0, end));
    return end < bytes.length ? { ...mail, text: mail.text + cutMark } : mail;
  } catch {
    return { ...(await readHeaders(raw)), text: unreadText };
  }
}

/** Never throws. */
export async function readHeaders(raw: Uint8Array): Promise<MimeMessage> {
  try {
    return { ...(await read(firstHeaders(raw))), text: "", attachments: [] };
  } catch {
    return nothingRead;
  }
}

const cutMark = `\n\n… (cut: the mail has more than ${mostLines} lines)`;

/** The position behind so many lines, or the end. */
function endOfLines(bytes: Buffer, most: number): number {
  let at = 0;
  for (let line = 0; line < most; line += 1) {
    const found = bytes.indexOf(10, at);
    if (found === -1) return bytes.length;
    at = found + 1;
  }
  return at;
}

const hasManyForwarded = (bytes: Buffer): boolean =>
  bytes.toString("latin1").split(/message\/rfc822/i, mostForwarded + 2).length > mostForwarded + 1;

async function read(raw: Buffer): Promise<MimeMessage> {
  const parser = new PostalMime({
    maxNestingDepth: deepestNesting,
    forceRfc822Attachments: hasManyForwarded(raw),
  });
  const mail = await parser.parse(raw);
  return {
    from: addressesIn(mail, "from"),
    to: addressesIn(mail, "to"),
    subject: shorten(mail.subject ?? "", longest.subject),
    date: isoDate(mail.date),
    messageId: mail.messageId?.trim() || null,
    text: unifyLines(textOf(partsOf(parser))),
    attachments: attachmentsOf(mail),
  };
}

/** The headers of the message itself, up to a limit. */
function firstHeaders(raw: Uint8Array): Buffer {
  const head = Buffer.from(raw.subarray(0, longest.headers)).toString("latin1");
  const end = /\r?\n\r?\n/.exec(head)?.index ?? head.lastIndexOf("\n");
  return Buffer.from(`${head.slice(0, Math.max(end, 0))}\r\n\r\n`, "latin1");
}

const shorten = (text: string, limit: number): string => cutWithMark(oneLine(text), limit);

function addressesIn({ headers }: Email, key: string): string {
  const written = headers
    .filter((header) => header.key === key && header.value !== "")
    .map(({ value }) => value);
  const parsed = written.flatMap((value) => addressParser(value));
  const shown = parsed.map(showAddress).filter((address) => address !== "");
  return shorten(shown.length > 0 ? shown.join(", ") : written.map(decodeWords).join(", "), longest.address);
}

function showAddress({ name, address, group }: Address): string {
  const shownName = showName(oneLine(name));
  if (group !== undefined) return `${shownName}: ${group.map(showAddress).join(", ")};`;
  if (shownName === "" || name === address) return address;
  return address === "" ? shownName : `${shownName} <${address}>`;
}

/** In quotes where it could be taken for an address or for several. */
const showName = (name: string): string =>
  /[<>@,;:"()]/.test(name) ? `"${name.replaceAll('"', "'")}"` : name;

function isoDate(written: string | undefined): string | null {
  const time = Date.parse(written ?? "");
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

const attachmentsOf = ({ attachments }: Email): MimeMessage["attachments"] =>
  attachments.slice(0, mostAttachments).map(({ filename, mimeType, content }) => ({
    name: shorten(filename ?? "", longest.name),
    type: shorten(mimeType, longest.name),
    bytes: typeof content === "string" ? content.length : content.byteLength,
  }));

/**
 * The text parts as the parser keeps them: for each position in the mail, its plain and HTML forms. The parser's own
 * `text` would hold hidden text of HTML parts. `textMap` is not in its types; the tests pin it.
 */
type Part =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "subMessage"; readonly value: Email };
type Forms = { readonly plain?: readonly Part[]; readonly html?: readonly Part[] };

const partsOf = (parser: PostalMime): Forms[] => [
  ...(parser as unknown as { textMap: ReadonlyMap<unknown, Forms> }).textMap.values(),
];

const textOf = (all: readonly Forms[]): string =>
  all
    .map(({ plain, html }) => {
      const readable = plain?.some(hasText) || !html ? (plain ?? []) : html;
      return readable
        .map((part) => showPart(part, readable === html))
        .join("\n")
        .trim();
    })
    .filter((text) => text !== "")
    .join("\n\n");

const hasText = (part: Part): boolean => part.type === "subMessage" || part.value.trim() !== "";

function showPart(part: Part, isHtml: boolean): string {
  if (part.type === "subMessage") return forwardedHead(part.value);
  return isHtml ? htmlToText(part.value) : part.value;
}

const forwardedHead = (mail: Email): string =>
  [
    "---- Forwarded message ----",
    `From: ${addressesIn(mail, "from")}`,
    `To: ${addressesIn(mail, "to")}`,
    `Date: ${isoDate(mail.date) ?? ""}`,
    `Subject: ${shorten(mail.subject ?? "", longest.subject)}`,
  ].join("\n");

const unifyLines = (text: string): string => text.replace(/\r\n?/g, "\n").trim();
