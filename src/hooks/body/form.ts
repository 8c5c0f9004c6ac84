// `application/x-www-form-urlencoded`.
import { isUtf8 } from "node:buffer";
import { BodyFault } from "./fault.ts";

const mostFields = 10_000;
const separator = 0x26;

/** Throws a BodyFault. */
export function readForm(bytes: Buffer): [string, string][] {
  let fields = 1;
  for (let at = bytes.indexOf(separator); at !== -1; at = bytes.indexOf(separator, at + 1)) fields++;
  if (fields > mostFields) throw new BodyFault(`has more than ${mostFields.toLocaleString("en-US")} fields`);
  if (!isUtf8(bytes) || !isUtf8(unescaped(bytes))) throw new BodyFault("is not in UTF-8");
  // It drops a question mark at the start.
  return [...new URLSearchParams(`&${bytes.toString("utf8")}`)];
}

const percent = 0x25;

/** The bytes that the escapes stand for. URLSearchParams would silently replace those that are not UTF-8. */
function unescaped(bytes: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    const escaped = byte === percent ? 16 * hexDigit(bytes[at + 1]) + hexDigit(bytes[at + 2]) : NaN;
    if (!Number.isNaN(escaped)) at += 2;
    plain[length++] = Number.isNaN(escaped) ? byte : escaped;
  }
  return plain.subarray(0, length);
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return NaN;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : NaN;
}
