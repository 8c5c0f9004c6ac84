// A request to a mapped hook as templates, filters and transforms see it: plain data without secrets.
import type { Refusal } from "../../core/errors.ts";
import { parseExactJson } from "../../core/exact-json.ts";
import { parseJson } from "../../http/body.ts";
import { secretHeaders } from "../../config/schema/mapping.ts";

export type MappedRequest = {
  /** The hook's name: the path under `hooks.path`. */
  readonly name: string;
  readonly payload: unknown;
  /** The JSON that the payload was read from; left out where there is none. */
  readonly body?: Uint8Array;
  /** Of a form or XML, which have lists only where a name is repeated: a value that is no list counts as a list of one. */
  readonly oneIsList?: true;
  /** Names in lower case; repeated ones joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly now: string;
  /** Of a sender's request. */
  readonly hook?: HookWords;
};

/** What templates and transforms see of a sender's request, beside what they see of every request. */
export type HookWords = {
  readonly event: string | null;
  readonly delivery: string | null;
  readonly sender: string;
};

/** Numbers keep their sender's digits. */
export const parseMapped = (bytes: Buffer): { value: unknown } | Refusal => parseJson(bytes, parseExactJson);

/** The first, as Node has it. */
export function contentTypeOf(rawHeaders: readonly string[]): string | undefined {
  const at = rawHeaders.findIndex((each, index) => index % 2 === 0 && each.toLowerCase() === "content-type");
  return at === -1 ? undefined : rawHeaders[at + 1];
}

const secret: ReadonlySet<string> = new Set(secretHeaders);

const nothingHidden: ReadonlySet<string> = new Set();

export function visibleHeaders(
  rawHeaders: readonly string[],
  hidden: ReadonlySet<string> = nothingHidden,
): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase();
    if (secret.has(name) || hidden.has(name)) continue;
    const value = rawHeaders[at + 1]!;
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

/** Of a request target; the last of a repeated parameter counts. */
export function queryOf(target: string, hidden: ReadonlySet<string> = nothingHidden): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  const at = target.indexOf("?");
  if (at === -1) return query;
  for (const [name, value] of new URLSearchParams(target.slice(at + 1)))
    if (!hidden.has(name)) query[name] = value;
  return query;
}
