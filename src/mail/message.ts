// Parses a MIME message: sender, recipients, subject and readable text. Attachments are listed, not kept.
import PostalMime, { addressParser, decodeWords, type Address, type Email } from "postal-mime";
import { cutWithMark, oneLine } from "../core/text.ts";
import { htmlToText } from "../html/to-text.ts";

export type MimeMessage = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  /** The Date header in ISO 8601; null when it is missing or unreadable. */
  readonly date: string | null;
  readonly messageId: string | null;
  readonly text: string;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly bytes: number }[];
};

const longest = { address: 1000, subject: 1000, name: 200, headers: 65_536 };
const mostAttachments = 100;

/** Never throws: of a message that cannot be parsed only the first headers are read. */
export async function readMime(raw: Uint8Array): Promise<MimeMessage> {
  try {
    return await read(raw);
  } catch {
    return { ...(await read(firstHeaders(raw)).catch(() => nothing)), text: "", attachments: [] };
  }
}

const nothing = { from: "", to: "", subject: "", date: null, messageId: null };

async function read(raw: Uint8Array): Promise<MimeMessage> {
  const parser = new PostalMime();
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
function firstHeaders(raw: Uint8Array): Uint8Array {
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

/** Cuts to `maxBytes` of UTF-8 with the mark included, and never inside a character. */
export function cutBody(text: string, maxBytes: number): { body: string; bodyTruncated: boolean } {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { body: text, bodyTruncated: false };
  const mark = `… (cut: ${bytes.length} bytes in all)`;
  const remaining = maxBytes - Buffer.byteLength(mark);
  const body = remaining < 0 ? firstBytes(bytes, maxBytes) : firstBytes(bytes, remaining) + mark;
  return { body, bodyTruncated: true };
}

function firstBytes(bytes: Buffer, count: number): string {
  let end = count;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString("utf8", 0, end);
}

export const snippetOf = (text: string): string => cutWithMark(oneLine(text.slice(0, 2000)), 200);
