// Puts together the bytes that a sender signs. The body is never turned into text.
import type { Part } from "./kind.ts";
import { malformed, queryText, readPlace, type SenderRequest } from "./request.ts";

export type SigningContext = {
  readonly publicUrl: string | null;
  /** As the request writes it; null where the scheme has no time. */
  readonly time: string | null;
};

/** Null: a part is missing, stands twice or is not of its pattern. An absent part is never an empty one. */
export function signedBytes(
  parts: readonly Part[],
  request: SenderRequest,
  context: SigningContext,
): readonly Buffer[] | null {
  const all: Buffer[] = [];
  for (const part of parts) {
    const bytes = part === "body" ? request.body : textBytes(textOf(part, request, context));
    if (bytes === null) return null;
    all.push(bytes);
  }
  return all;
}

/** Header values are Latin-1 as Node reads them: each unit is the byte that came. */
const textBytes = (text: string | null): Buffer | null =>
  text === null ? null : Buffer.from(text, "latin1");

function textOf(part: Exclude<Part, "body">, request: SenderRequest, context: SigningContext): string | null {
  if (part === "method") return request.method;
  if (part === "time") return context.time;
  if (part === "sorted-form") return sortedForm(request.form());
  if (part === "url" || part === "url-other-port" || part === "decoded-url") {
    const url = context.publicUrl === null ? null : calledUrl(context.publicUrl, request.target);
    return url === null ? null : written[part](url);
  }
  if ("text" in part) return part.text;
  const found = readPlace(part.value, request);
  const value = found === malformed || found.length !== 1 ? null : found[0]!;
  if (value === null || (part.pattern && !part.pattern.test(value))) return null;
  return "header" in part.value || "query" in part.value
    ? value
    : Buffer.from(value, "utf8").toString("latin1");
}

/** A repeated name has each of its values once, sorted. Null: a field could be the query of the address before it. */
function sortedForm(form: URLSearchParams): string | null {
  const names = [...new Set(form.keys())].toSorted();
  if (names[0]?.startsWith("?") === true) return null;
  const fields = names.flatMap((name) =>
    [...new Set(form.getAll(name))].toSorted().map((value) => name + value),
  );
  return Buffer.from(fields.join(""), "utf8").toString("latin1");
}

const undone = /%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi;

/** Undoes the escapes that HubSpot's documentation lists, and no others. */
const withoutEscapes = (url: string): string => url.replace(undone, (escape) => decodeURIComponent(escape));

const origin = /^(https?):\/\/(\[[^\]]*\]|[^/:?#]*)(:\d+)?/i;

const otherPort = (url: string): string =>
  url.replace(origin, (_, scheme: string, host: string, port?: string) => {
    const standard = scheme.toLowerCase() === "https" ? ":443" : ":80";
    return `${scheme}://${host}${port === undefined ? standard : ""}`;
  });

const written = {
  url: (url: string) => url,
  "url-other-port": otherPort,
  "decoded-url": withoutEscapes,
};

/** With these, the start of a JSON body could be moved into the query before it. */
const notInQueries = /[{"<\s]/;

/** The address as the sender called it: ours of the config, never one made from `Host`. Null: no sender writes it so. */
export function calledUrl(publicUrl: string, target: string): string | null {
  const query = queryText(target);
  if (notInQueries.test(query)) return null;
  return query === "" ? publicUrl : `${publicUrl}?${query}`;
}
