// Finds the mapping that takes a request. Mappings are indexed by path and source, so that a lookup among ten thousand
// is as quick as among one; only those that share both are tried one after another.
import type { MatchConfig, PlainValue } from "../../config/config.ts";
import { ExactNumber, isBeyondNumbers } from "../../core/exact-number.ts";
import { readField } from "../../core/field-path.ts";
import { cutWithMark } from "../../core/text.ts";
import type { MappedRequest } from "./request.ts";

export type Matchable = { readonly id: string; readonly match: MatchConfig };

export type Found<T> =
  | { kind: "found"; mapping: T }
  /** Name and source matched, but the filters of every such mapping refused. */
  | { kind: "filtered"; reasons: readonly string[] }
  | { kind: "unknown" };

export type Matcher<T> = {
  /** Whether some mapping could take a request of this name, whatever its payload. */
  couldTake(name: string): boolean;
  /** Whether some mapping has this path: then it is a word of the configuration. */
  isNamed(name: string): boolean;
  find(request: MappedRequest): Found<T>;
};

const longestName = 200;

export function createMatcher<T extends Matchable>(mappings: readonly T[]): Matcher<T> {
  const indexes = new Map<string, number[]>();
  const paths = new Set<string>();
  let takesAnyPath = false;
  for (const [at, { match }] of mappings.entries()) {
    const key = keyOf(match.path, match.source);
    const listed = indexes.get(key);
    if (listed) listed.push(at);
    else indexes.set(key, [at]);
    if (match.path === null) takesAnyPath = true;
    else paths.add(match.path);
  }

  /** In the order of the configuration. */
  function candidates(name: string, source: string | null): T[] {
    const keys = [keyOf(name, null), keyOf(null, null)];
    if (source !== null) keys.push(keyOf(name, source), keyOf(null, source));
    const found = keys.flatMap((key) => indexes.get(key) ?? []);
    return found.toSorted((left, right) => left - right).map((at) => mappings[at]!);
  }

  return {
    isNamed: (name) => paths.has(name),
    couldTake: (name) => name !== "" && name.length <= longestName && (takesAnyPath || paths.has(name)),
    find(request) {
      const tried = candidates(request.name, sourceOf(request.payload));
      const mapping = tried.find(({ match }) => refusingFilters(match, request).next().done);
      if (mapping) return { kind: "found", mapping };
      return tried.length === 0
        ? { kind: "unknown" }
        : { kind: "filtered", reasons: reasonsOf(tried, request) };
    },
  };
}

/** These are in the record of a skipped request. */
const mostMappings = 5;
const mostFilters = 3;
const mostWanted = 5;
const longestValue = 200;

function reasonsOf(tried: readonly Matchable[], request: MappedRequest): string[] {
  const reasons = tried
    .slice(0, mostMappings)
    .map(({ id, match }) => `${id}: ${filterRefusal(match, request) ?? ""}`);
  const more = tried.length - reasons.length;
  return more > 0 ? [...reasons, `and ${more} more mappings`] : reasons;
}

/**
 * Why a mapping does not take a request; null when it does. Shows the values that its filters met, cut: they are for
 * the operator's eyes, and for no log.
 */
export function matchRefusal(match: MatchConfig, request: MappedRequest): string | null {
  if (match.path !== null && match.path !== request.name) return `match.path is ${match.path}`;
  if (match.source !== null && match.source !== sourceOf(request.payload))
    return `the payload's source is not ${match.source}`;
  return filterRefusal(match, request);
}

function filterRefusal(match: MatchConfig, request: MappedRequest): string | null {
  const refusing = [...refusingFilters(match, request)];
  if (refusing.length === 0) return null;
  const said = refusing
    .slice(0, mostFilters)
    .map(
      ({ name, value, wanted }) =>
        `${name} ${value === undefined ? "is missing" : `was ${shownValue(value)}`}, wanted ${listed(wanted)}`,
    );
  const more = refusing.length - said.length;
  return [...said, ...(more > 0 ? [`${more} more filters`] : [])].join(" and ");
}

/** `value`: what the filter met; undefined where there is none. */
type RefusingFilter = { name: string; value: unknown; wanted: readonly PlainValue[] };

function* refusingFilters(
  match: MatchConfig,
  { headers, payload }: MappedRequest,
): Generator<RefusingFilter, undefined> {
  for (const { name, values } of match.headers) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (value === undefined || !values.includes(value))
      yield { name: `header ${name}`, value, wanted: values };
  }
  for (const { written, path, values } of match.payload) {
    const value = readField(payload, path);
    if (value === undefined || !values.some((each) => isSame(each, value)))
      yield { name: `payload${written.startsWith("[") ? "" : "."}${written}`, value, wanted: values };
  }
  return undefined;
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (value instanceof ExactNumber) return cutWithMark(value.toString(), longestValue);
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? JSON.stringify(cutWithMark(value, longestValue)) : String(value);
}

/** A number that JavaScript cannot hold is given as text. */
const isSame = (wanted: PlainValue, value: unknown): boolean =>
  value instanceof ExactNumber ? value.equals(wanted) || isUnsafe(value, wanted) : value === wanted;

const isUnsafe = (value: ExactNumber, wanted: PlainValue): boolean =>
  typeof wanted === "string" && isBeyondNumbers(value) && value.toString() === wanted;

const keyOf = (path: string | null, source: string | null): string => JSON.stringify([path, source]);

function sourceOf(payload: unknown): string | null {
  const source = readField(payload, ["source"]);
  return typeof source === "string" ? source : null;
}

function listed(values: readonly PlainValue[]): string {
  const shown = values.slice(0, mostWanted).map((value) => shownValue(value));
  const more = values.length - shown.length;
  return [...shown, ...(more > 0 ? [`one of ${more} more`] : [])].join(" or ");
}
