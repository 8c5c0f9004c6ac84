// A request of a sender before anything of it is believed: raw headers, raw bytes, and readers of the places where proofs
// stand. The body is parsed at its first use, and only where a row says that something stands in it.
import { ExactNumber } from "../../core/exact-number.ts";
import { parseFieldPath, readField } from "../../core/field-path.ts";
import { parseExactJson } from "../../core/exact-json.ts";
import { repeated, singleHeader } from "../../http/headers.ts";
import { parseJson } from "../../http/body.ts";
import { isRefusal } from "../../core/errors.ts";
import type { Place, TaggedList } from "./place.ts";

export type SenderHead = {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly rawHeaders: readonly string[];
};

export type SenderRequest = SenderHead & {
  readonly body: Buffer;
  /** Undefined where the body is no JSON. */
  json(): unknown;
  form(): URLSearchParams;
};

export function senderRequest(head: SenderHead, body: Buffer): SenderRequest {
  let json: { value: unknown } | undefined;
  let form: URLSearchParams | undefined;
  const parse = (): { value: unknown } => {
    const parsed = parseJson(body, parseExactJson);
    return isRefusal(parsed) ? { value: undefined } : parsed;
  };
  return {
    ...head,
    body,
    json: () => (json ??= parse()).value,
    form: () => (form ??= new URLSearchParams(body.toString("utf8"))),
  };
}

export const malformed = Symbol("malformed value");

/** All values at a place, as text; empty: there is none. A repeated header or field is malformed. */
export function readPlace(place: Place, request: SenderRequest): readonly string[] | typeof malformed {
  if ("header" in place) return readHeader(place, request.rawHeaders);
  if ("json" in place) return textOf(readField(request.json(), parseFieldPath(place.json) ?? []));
  const values =
    "form" in place
      ? request.form().getAll(place.form)
      : new URLSearchParams(queryText(request.target)).getAll(place.query);
  return values.length > 1 ? malformed : values;
}

export function readHeader(
  { header, prefix = "", list }: Extract<Place, { header: string }>,
  rawHeaders: readonly string[],
): readonly string[] | typeof malformed {
  const written = singleHeader(rawHeaders, header);
  if (written === undefined) return [];
  if (written === repeated || !written.startsWith(prefix)) return malformed;
  const value = written.slice(prefix.length).trim();
  return list === undefined ? [value] : tagged(value, list);
}

const mostItems = 32;

function tagged(value: string, { split, by, tag }: TaggedList): readonly string[] | typeof malformed {
  const items = value.split(split, mostItems + 1);
  if (items.length > mostItems) return malformed;
  const start = tag + by;
  return items
    .map((item) => item.trim())
    .flatMap((item) => (item.startsWith(start) ? [item.slice(start.length)] : []));
}

/** A JSON value as it is written, where that is one word. */
function textOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  return value instanceof ExactNumber ? [value.toString()] : [];
}

/** The query without its question mark. */
export function queryText(target: string): string {
  const at = target.indexOf("?");
  return at === -1 ? "" : target.slice(at + 1);
}
