// Reads a message of the Gmail API: the text of its readable parts, and a list of the others.
import { decodeWords } from "postal-mime";
import { cutWithMark, oneLine } from "../../core/text.ts";
import type { Mail } from "../mailbox.ts";
import { cutBody } from "../message.ts";
import { type Fields, fieldsIn, listIn, textIn, textsIn } from "./request.ts";

export type ReadOptions = {
  includeBody: boolean;
  maxBytes: number;
  /** Loads a text part that the message only refers to. */
  load: (attachmentId: string) => Promise<Buffer | null>;
  /** The text of HTML. */
  readHtml: (html: string) => Promise<string>;
};

const longest = { header: 1000, name: 200 };
const mostAttachments = 100;
const largestTextBytes = 5_000_000;

export async function readMessage(message: Fields, options: ReadOptions): Promise<Mail> {
  const payload = fieldsIn(message, "payload");
  const leaves = leavesOf(payload);
  const loaded = options.includeBody ? await loadTexts(leaves, options) : new Map<Fields, Buffer>();
  const text = options.includeBody
    ? (await textOf(payload, loaded, options.readHtml)).replace(/\r\n?/g, "\n").trim()
    : "";
  return {
    id: textIn(message, "id"),
    threadId: textIn(message, "threadId") || null,
    from: headerOf(payload, "from"),
    to: headerOf(payload, "to"),
    subject: headerOf(payload, "subject"),
    date: dateOf(textIn(message, "internalDate")),
    snippet: oneLine(await options.readHtml(textIn(message, "snippet"))),
    ...cutBody(text, options.maxBytes),
    labels: textsIn(message, "labelIds"),
    attachments: leaves.filter(isAttachment).slice(0, mostAttachments).map(attachmentOf),
  };
}

/** An impossible date becomes 1970: better a mail with a wrong date than none. */
function dateOf(written: string): string {
  const date = new Date(Number(written));
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString();
}

const typeOf = (part: Fields): string => textIn(part, "mimeType").toLowerCase();
const isText = (part: Fields): boolean =>
  /^text\/(?:plain|html)$/.test(typeOf(part)) && textIn(part, "filename") === "";
const isAttachment = (part: Fields): boolean =>
  !isText(part) && !typeOf(part).startsWith("multipart/") && typeOf(part) !== "";

/** A message inside the message counts as one leaf. */
function leavesOf(part: Fields): Fields[] {
  const inner = listIn(part, "parts");
  return typeOf(part).startsWith("multipart/") ? inner.flatMap(leavesOf) : [part];
}

function sizeOf(part: Fields): number {
  const { size } = fieldsIn(part, "body");
  return typeof size === "number" ? size : 0;
}

const attachmentOf = (part: Fields): Mail["attachments"][number] => ({
  name: shorten(textIn(part, "filename"), longest.name),
  type: shorten(typeOf(part), longest.name),
  bytes: sizeOf(part),
});

async function loadTexts(leaves: readonly Fields[], { load }: ReadOptions): Promise<Map<Fields, Buffer>> {
  const loaded = new Map<Fields, Buffer>();
  for (const part of leaves.filter(isText)) {
    const body = fieldsIn(part, "body");
    const data = textIn(body, "data");
    const id = textIn(body, "attachmentId");
    if (data !== "") loaded.set(part, Buffer.from(data, "base64url"));
    else if (id !== "" && sizeOf(part) <= largestTextBytes)
      loaded.set(part, (await load(id)) ?? Buffer.alloc(0));
  }
  return loaded;
}

/** Of alternatives the first that is not empty: MIME puts the plainest first. */
async function textOf(
  part: Fields,
  loaded: ReadonlyMap<Fields, Buffer>,
  readHtml: ReadOptions["readHtml"],
): Promise<string> {
  const type = typeOf(part);
  if (type.startsWith("multipart/")) {
    const texts: string[] = [];
    for (const inner of listIn(part, "parts")) texts.push(await textOf(inner, loaded, readHtml));
    const filled = texts.filter((text) => text.trim() !== "");
    return type === "multipart/alternative" ? (filled[0] ?? "") : filled.join("\n\n");
  }
  const bytes = loaded.get(part);
  if (!bytes) return "";
  const text = decodeText(bytes, charsetOf(part));
  return type === "text/html" ? readHtml(text) : text;
}

function charsetOf(part: Fields): string {
  const type = headerOf(part, "content-type");
  return /charset\s*=\s*"?([\w.:-]+)/i.exec(type)?.[1]?.toLowerCase() ?? "utf-8";
}

/** Gmail turns most texts into UTF-8 but leaves their charset headers as they were. */
function decodeText(bytes: Buffer, charset: string): string {
  const hasEscapes = charset.startsWith("iso-2022-") && bytes.includes(0x1b);
  for (const [name, fatal] of [
    [hasEscapes ? charset : "utf-8", true],
    [charset, false],
  ] as const) {
    try {
      return new TextDecoder(name, { fatal }).decode(bytes);
    } catch {
      continue;
    }
  }
  return bytes.toString("latin1");
}

function headerOf(part: Fields, name: string): string {
  const found = listIn(part, "headers").find((each) => textIn(each, "name").toLowerCase() === name);
  return found ? shorten(decodeWords(textIn(found, "value")), longest.header) : "";
}

const shorten = (text: string, limit: number): string => cutWithMark(oneLine(text), limit);
