// Finds the mapping that takes a request. Mappings are indexed by path and source, so that a lookup among ten thousand
// is as quick as among one; only those that share both are tried one after another.
import type { MatchConfig, PlainValue } from "../../config/config.ts";
import { ExactNumber, isBeyondNumbers } from "../../core/exact-number.ts";
import { readField } from "../../core/field-path.ts";
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
  function candidates({ name, payload, hook }: MappedRequest): T[] {
    const source = sourceOf(payload);
    // A mapping without a path never takes a sender's request: it was not written for what strangers may send.
    const paths = hook === undefined ? [name, null] : [name];
    const sources = source === null ? [null] : [null, source];
    const keys = paths.flatMap((path) => sources.map((each) => keyOf(path, each)));
    const found = keys.flatMap((key) => indexes.get(key) ?? []);
    return found.toSorted((left, right) => left - right).map((at) => mappings[at]!);
  }

  return {
    couldTake: (name) => name !== "" && name.length <= longestName && (takesAnyPath || paths.has(name)),
    find(request) {
      const reasons: string[] = [];
      for (const mapping of candidates(request)) {
        const reason = filterRefusal(mapping.match, request);
        if (reason === null) return { kind: "found", mapping };
        reasons.push(`${mapping.id}: ${reason}`);
      }
      return reasons.length === 0 ? { kind: "unknown" } : { kind: "filtered", reasons };
    },
  };
}

/** Why a mapping does not take a request; null when it does. Names configured values, never those of the request. */
export function matchRefusal(match: MatchConfig, request: MappedRequest): string | null {
  if (match.path !== null && match.path !== request.name) return `match.path is ${match.path}`;
  if (match.path === null && request.hook !== undefined)
    return "it has no match.path, and this is a sender's request";
  if (match.source !== null && match.source !== sourceOf(request.payload))
    return `the payload's source is not ${match.source}`;
  return filterRefusal(match, request);
}

function filterRefusal(match: MatchConfig, { headers, payload, hook }: MappedRequest): string | null {
  if (match.events !== null) {
    const event = hook?.event ?? null;
    if (event === null) return "the request names no event";
    if (!match.events.includes(event)) return `the event is not ${listed(match.events)}`;
  }
  for (const { name, values } of match.headers) {
    const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
    if (value === undefined) return `there is no header ${name}`;
    if (!values.includes(value)) return `the header ${name} is not ${listed(values)}`;
  }
  for (const { written, path, values } of match.payload) {
    const value = readField(payload, path);
    if (value === undefined) return `the payload has no ${written}`;
    if (!values.some((each) => isSame(each, value)))
      return `the payload's ${written} is not ${listed(values)}`;
  }
  return null;
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

const listed = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(" or ");
