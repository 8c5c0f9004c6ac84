// `multipart/form-data`, read from the bytes as they are. Node's own reader (`Response.formData`) has no limit for the
// number of parts, copies every file, and takes longer than a request may hold the event loop.
import { isUtf8 } from "node:buffer";
import { readParameters } from "../../http/media-type.ts";
import { BodyFault } from "./fault.ts";

/** A file is listed; its content is not kept. */
export type ListedFile = { readonly name: string; readonly type: string; readonly size: number };
export type Part = readonly [name: string, value: string | ListedFile];

const mostParts = 1_000;
const mostHeadBytes = 8_192;
const lineEnd = Buffer.from("\r\n");
const blankLine = Buffer.from("\r\n\r\n");

/** Throws a BodyFault. What stands before the first boundary and behind the last one does not count. */
export function readMultipart(bytes: Buffer, boundary: string): Part[] {
  const mark = Buffer.from(`--${boundary}`);
  const parts: Part[] = [];
  let delimiter = firstDelimiter(bytes, mark);
  while (!delimiter.isLast) {
    if (parts.length === mostParts)
      throw new BodyFault(`has more than ${mostParts.toLocaleString("en-US")} parts`);
    const headEnd = bytes.subarray(delimiter.end, delimiter.end + mostHeadBytes).indexOf(blankLine);
    if (headEnd === -1)
      throw new BodyFault(`has a part whose headers do not end within ${mostHeadBytes} bytes`);
    const head = bytes.subarray(delimiter.end, delimiter.end + headEnd);
    const begin = delimiter.end + headEnd + blankLine.length;
    // The line that ends an empty content may be the one that ends the headers.
    const next = nextDelimiter(bytes, mark, begin - lineEnd.length);
    parts.push(partOf(head, bytes.subarray(begin, Math.max(begin, next.begin))));
    delimiter = next;
  }
  return parts;
}

/** `begin`: of its own line end. `end`: of its line. */
type Delimiter = { begin: number; end: number; isLast: boolean };

const firstDelimiter = (bytes: Buffer, mark: Buffer): Delimiter =>
  (bytes.subarray(0, mark.length).equals(mark) ? delimiterAt(bytes, 0, mark.length) : null) ??
  nextDelimiter(bytes, mark, 0);

function nextDelimiter(bytes: Buffer, mark: Buffer, from: number): Delimiter {
  const line = Buffer.concat([lineEnd, mark]);
  for (let at = bytes.indexOf(line, from); at !== -1; at = bytes.indexOf(line, at + line.length)) {
    const delimiter = delimiterAt(bytes, at, at + line.length);
    if (delimiter !== null) return delimiter;
  }
  throw new BodyFault("does not end with its boundary: it is cut off, or the boundary is another one");
}

/** Null: the line goes on, so it is no delimiter. */
function delimiterAt(bytes: Buffer, begin: number, markEnd: number): Delimiter | null {
  if (bytes[markEnd] === hyphen && bytes[markEnd + 1] === hyphen)
    return { begin, end: bytes.length, isLast: true };
  let at = markEnd;
  while (bytes[at] === space || bytes[at] === tab) at++;
  const isEnded = bytes[at] === lineEnd[0] && bytes[at + 1] === lineEnd[1];
  return isEnded ? { begin, end: at + lineEnd.length, isLast: false } : null;
}

const [hyphen, space, tab] = [0x2d, 0x20, 0x09];

function partOf(head: Buffer, content: Buffer): Part {
  const headers = readHead(head);
  const disposition = /^form-data[ \t]*(?=;)/i.exec(headers.get("content-disposition") ?? "");
  const parameters = disposition && readParameters(disposition.input.slice(disposition[0].length));
  const name = parameters?.get("name");
  if (!parameters || name === undefined)
    throw new BodyFault("has a part without the name of its field (Content-Disposition)");
  const fileName = parameters.get("filename");
  const type = headers.get("content-type");
  if (fileName !== undefined || parameters.has("filename*"))
    return [
      plain(name),
      {
        name: plain(fileName ?? ""),
        type: type ?? "application/octet-stream",
        size: content.length,
      },
    ];
  const coding = headers.get("content-transfer-encoding")?.toLowerCase();
  if (coding !== undefined && !["7bit", "8bit", "binary"].includes(coding))
    throw new BodyFault("has a field with a transfer encoding");
  if (!isUtf8(content)) throw new BodyFault("has a field that is not in UTF-8");
  return [plain(name), content.toString("utf8")];
}

function readHead(head: Buffer): ReadonlyMap<string, string> {
  if (!isUtf8(head)) throw new BodyFault("has a part whose headers are not in UTF-8");
  const headers = new Map<string, string>();
  for (const line of head.toString("utf8").split("\r\n")) {
    const [, name, value = ""] = headerLine.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key === undefined || headers.has(key)) throw new BodyFault("has a part whose headers cannot be read");
    headers.set(key, value.trim());
  }
  return headers;
}

const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)$/;

/** Browsers write these three so. */
const plain = (written: string): string =>
  written.replaceAll("%22", '"').replaceAll("%0D", "\r").replaceAll("%0A", "\n");
