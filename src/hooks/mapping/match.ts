// Finds the mapping that takes a request. Mappings are indexed by path and source, so that a lookup among ten thousand
// is as quick as among one; only those that share both are tried one after another.
import type { Condition, MatchConfig } from "../../config/config.ts";
import { readField, readFields } from "../../core/field-path.ts";
import { holds } from "./condition.ts";
import { createSearch, noPatterns, type Patterns, type Search, TooMuchSearching } from "./pattern.ts";
import type { MappedRequest } from "./request.ts";
import { shownConditions, shownValues } from "./shown.ts";

export type Matchable = { readonly id: string; readonly match: MatchConfig };

export type Found<T> =
  | { kind: "found"; mapping: T }
  /** Name and source matched, but the filters of every such mapping refused. */
  | { kind: "filtered"; reasons: readonly string[] }
  /** Whether its filters take the request would take too long to find out. */
  | { kind: "failed"; mapping: T; reason: string }
  | { kind: "unknown" };

export type Matcher<T> = {
  /** Whether some mapping could take a request of this name, whatever its payload. */
  couldTake(name: string): boolean;
  /** Whether some mapping has this path: then it is a word of the configuration. */
  isNamed(name: string): boolean;
  find(request: MappedRequest): Found<T>;
};

const longestName = 200;

export function createMatcher<T extends Matchable>(
  mappings: readonly T[],
  patterns: Patterns = noPatterns,
): Matcher<T> {
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
    isNamed: (name) => paths.has(name),
    couldTake: (name) => name !== "" && name.length <= longestName && (takesAnyPath || paths.has(name)),
    find(request) {
      const tried = candidates(request);
      const search = createSearch(patterns);
      for (const mapping of tried)
        try {
          if (refusingFilters(mapping.match, request, search).next().done) return { kind: "found", mapping };
        } catch (fault) {
          return { kind: "failed", mapping, reason: reasonOf(fault) };
        }
      return tried.length === 0
        ? { kind: "unknown" }
        : { kind: "filtered", reasons: reasonsOf(tried, request, patterns) };
    },
  };
}

/** These are in the record of a skipped request. */
const mostMappings = 5;
const mostFilters = 3;

function reasonsOf(tried: readonly Matchable[], request: MappedRequest, patterns: Patterns): string[] {
  const reasons = tried
    .slice(0, mostMappings)
    .map(({ id, match }) => `${id}: ${filterRefusal(match, request, patterns) ?? ""}`);
  const more = tried.length - reasons.length;
  return more > 0 ? [...reasons, `and ${more} more mappings`] : reasons;
}

/**
 * Why a mapping does not take a request; null when it does. Shows the values that its filters met, cut: they are for
 * the operator's eyes, and for no log.
 */
export function matchRefusal(
  match: MatchConfig,
  request: MappedRequest,
  patterns: Patterns = noPatterns,
): string | null {
  if (match.path !== null && match.path !== request.name) return `match.path is ${match.path}`;
  if (match.path === null && request.hook !== undefined)
    return "it has no match.path, and this is a sender's request";
  if (match.source !== null && match.source !== sourceOf(request.payload))
    return `the payload's source is not ${match.source}`;
  return filterRefusal(match, request, patterns);
}

function filterRefusal(match: MatchConfig, request: MappedRequest, patterns: Patterns): string | null {
  try {
    const refusing = [...refusingFilters(match, request, createSearch(patterns))];
    return refusing.length === 0 ? null : sentenceOf(refusing);
  } catch (fault) {
    return reasonOf(fault);
  }
}

function sentenceOf(refusing: readonly RefusingFilter[]): string {
  const said = refusing
    .slice(0, mostFilters)
    .map(({ name, values, wanted }) => `${name} ${shownValues(values)}, wanted ${shownConditions(wanted)}`);
  const more = refusing.length - said.length;
  return [...said, ...(more > 0 ? [`${more} more filters`] : [])].join(" and ");
}

function reasonOf(fault: unknown): string {
  if (fault instanceof TooMuchSearching) return fault.message;
  throw fault;
}

/** `values`: what the filter met. */
type RefusingFilter = { name: string; values: readonly unknown[]; wanted: readonly Condition[] };

function* refusingFilters(
  match: MatchConfig,
  { headers, payload, oneIsList, hook }: MappedRequest,
  search: Search,
): Generator<RefusingFilter, undefined> {
  const event = hook?.event ?? null;
  if (match.events !== null && (event === null || !match.events.includes(event)))
    yield { name: "event", values: event === null ? [] : [event], wanted: match.events };
  for (const { name, wanted } of match.headers) {
    const values = Object.hasOwn(headers, name) ? [headers[name]] : [];
    if (!holds(wanted, values, search)) yield { name: `header ${name}`, values, wanted };
  }
  for (const { written, path, wanted } of match.payload) {
    const values = readFields(payload, path, oneIsList);
    if (!holds(wanted, values, search))
      yield { name: `payload${written.startsWith("[") ? "" : "."}${written}`, values, wanted };
  }
  return undefined;
}

const keyOf = (path: string | null, source: string | null): string => JSON.stringify([path, source]);

function sourceOf(payload: unknown): string | null {
  const source = readField(payload, ["source"]);
  return typeof source === "string" ? source : null;
}
