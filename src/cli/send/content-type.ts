// The Content-Type of a body from a file: as it is given, or by the file's extension.
import { extname } from "node:path";
import { WrongUsage } from "../command.ts";
import type { Pair } from "./request-options.ts";

export const contentTypeFlag = { "content-type": { type: "string" } } as const;

type Given = { headers: readonly Pair[]; contentType: string | undefined; file: string; body: Buffer };

/** The headers with a Content-Type. */
export function withContentType({ headers, contentType, file, body }: Given): Pair[] {
  const hasType = headers.some(([name]) => name.toLowerCase() === "content-type");
  if (hasType && contentType !== undefined)
    throw new WrongUsage("--content-type and a header Content-Type cannot both be given.");
  if (hasType) return [...headers];
  return [["content-type", withBoundary(contentType ?? typeOf(file), body)], ...headers];
}

const types: ReadonlyMap<string, string> = new Map([
  [".xml", "application/xml"],
  [".form", "application/x-www-form-urlencoded"],
  [".urlencoded", "application/x-www-form-urlencoded"],
  [".multipart", "multipart/form-data"],
]);

const typeOf = (file: string): string => types.get(extname(file).toLowerCase()) ?? "application/json";

/** The first line of a multipart body is its boundary. */
function withBoundary(type: string, body: Buffer): string {
  if (type.trim().toLowerCase() !== "multipart/form-data") return type;
  const end = body.indexOf("\r\n");
  const line = body.subarray(0, Math.max(0, end)).toString("latin1");
  const written = /^--([\x21-\x7e]{1,70})$/.exec(line);
  if (written === null)
    throw new WrongUsage(
      "The first line of a multipart body must be -- and its boundary, and end with CRLF.",
    );
  return `multipart/form-data; boundary="${written[1]}"`;
}
