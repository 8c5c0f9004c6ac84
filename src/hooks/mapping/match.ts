// Finds the mapping that takes a request. Mappings are indexed by path and source, so that a lookup among ten thousand
// is as quick as among one; only those that share both are tried one after another.
import type { Condition, MatchConfig } from "../../config/config.ts";
import { readField, readFields } from "../../core/field-path.ts";
import type { TriedFilter, TriedMapping } from "../../core/request.ts";
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
  /** `onTried` gets the mappings that were tried, the first of very many. */
  find(request: MappedRequest, onTried?: (tried: readonly TriedMapping[]) => void): Found<T>;
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
    find(request, onTried) {
      const list = candidates(request);
      const search = createSearch(patterns);
      const tried: Try[] = [];
      for (const mapping of list) {
        const each = meet(mapping, request, search);
        const end = endOf(mapping, each);
        if (end === null && tried.length >= mostTried) continue;
        tried.push(each);
        if (end === null) continue;
        onTried?.(tried.map((one) => shownTry(completed(one, request, patterns))));
        return end;
      }
      if (list.length === 0) return { kind: "unknown" };
      const shown = onTried ? tried : tried.slice(0, mostMappings);
      const all = shown.map((one) => completed(one, request, patterns));
      onTried?.(all.map(shownTry));
      return { kind: "filtered", reasons: reasonsOf(all, list.length) };
    },
  };
}

/** A filter that was asked, and the values it met. */
type Met = Readonly<{
  field: string;
  values: readonly unknown[];
  wanted: readonly Condition[];
  holds: boolean;
}>;

/** A mapping that was tried, and its filters as far as they were asked. `fault`: why one could not be. */
type Try = Readonly<{ mapping: Matchable; met: readonly Met[]; fault: string | null }>;

/** Asks until one refuses. */
function meet(mapping: Matchable, request: MappedRequest, search: Search): Try {
  const met: Met[] = [];
  try {
    for (const each of filtersOf(mapping.match, request, search)) {
      met.push(each);
      if (!each.holds) break;
    }
    return { mapping, met, fault: null };
  } catch (fault) {
    return { mapping, met, fault: reasonOf(fault) };
  }
}

/** With the filters behind one that refused, which are asked for the operator's eyes alone. */
function completed({ mapping, met, fault }: Try, request: MappedRequest, patterns: Patterns): Try {
  if (fault !== null || met.at(-1)?.holds !== false) return { mapping, met, fault };
  try {
    const rest = filtersOf(mapping.match, request, createSearch(patterns), met.length);
    return { mapping, met: [...met, ...rest], fault: null };
  } catch (later) {
    return { mapping, met, fault: reasonOf(later) };
  }
}

const isTaking = ({ met, fault }: Try): boolean => fault === null && met.every((each) => each.holds);

/** Null: the next mapping is tried. */
function endOf<T extends Matchable>(mapping: T, tried: Try): Found<T> | null {
  if (tried.fault !== null) return { kind: "failed", mapping, reason: tried.fault };
  return isTaking(tried) ? { kind: "found", mapping } : null;
}

/** These are kept with a request. */
const mostTried = 20;
const mostShown = 20;
/** These are in the reason of a skipped request. */
const mostMappings = 5;
const mostFilters = 3;

function shownTry(tried: Try): TriedMapping {
  const { mapping, met, fault } = tried;
  return {
    id: mapping.id,
    takes: isTaking(tried),
    reason: fault,
    filters: mostTelling(met).map(shownFilter),
  };
}

/** Of very many filters, those that refuse go first. */
const mostTelling = (met: readonly Met[]): readonly Met[] =>
  met.length <= mostShown
    ? met
    : met.toSorted((one, other) => Number(one.holds) - Number(other.holds)).slice(0, mostShown);

const shownFilter = ({ field, values, wanted, holds: isHeld }: Met): TriedFilter => ({
  field,
  wanted: shownConditions(wanted),
  met: shownValues(values),
  holds: isHeld,
});

function reasonsOf(tried: readonly Try[], count: number): string[] {
  const reasons = tried
    .slice(0, mostMappings)
    .map((each) => `${each.mapping.id}: ${each.fault ?? sentenceOf(each.met)}`);
  const more = count - reasons.length;
  return more > 0 ? [...reasons, `and ${more} more mappings`] : reasons;
}

/**
 * Tries one mapping, whatever its path. Its reason also says in one sentence what its filters say. Shows the values that
 * they met, cut: they are for the operator's eyes, and for no log.
 */
export function tryMapping(
  mapping: Matchable,
  request: MappedRequest,
  patterns: Patterns = noPatterns,
): TriedMapping {
  const { id, match } = mapping;
  const elsewhere = nameRefusal(match, request);
  if (elsewhere !== null) return { id, takes: false, reason: elsewhere, filters: [] };
  const tried = completed(meet(mapping, request, createSearch(patterns)), request, patterns);
  const shown = shownTry(tried);
  return shown.takes ? shown : { ...shown, reason: tried.fault ?? sentenceOf(tried.met) };
}

/** Why a mapping does not take a request; null when it does. */
export const matchRefusal = (
  match: MatchConfig,
  request: MappedRequest,
  patterns: Patterns = noPatterns,
): string | null => tryMapping({ id: "", match }, request, patterns).reason;

function nameRefusal(match: MatchConfig, request: MappedRequest): string | null {
  if (match.path !== null && match.path !== request.name) return `match.path is ${match.path}`;
  if (match.path === null && request.hook !== undefined)
    return "it has no match.path, and this is a sender's request";
  if (match.source !== null && match.source !== sourceOf(request.payload))
    return `the payload's source is not ${match.source}`;
  return null;
}

function sentenceOf(met: readonly Met[]): string {
  const refusing = met.filter((each) => !each.holds);
  const said = refusing.slice(0, mostFilters).map((each) => {
    const { field, met: shown, wanted } = shownFilter(each);
    return `${field} ${each.values.length === 0 ? "is" : "was"} ${shown}, wanted ${wanted}`;
  });
  const more = refusing.length - said.length;
  return [...said, ...(more > 0 ? [`${more} more filters`] : [])].join(" and ");
}

function reasonOf(fault: unknown): string {
  if (fault instanceof TooMuchSearching) return fault.message;
  throw fault;
}

/** The filters of a mapping in their order, without the first `from`. */
function* filtersOf(
  match: MatchConfig,
  { headers, payload, oneIsList, hook }: MappedRequest,
  search: Search,
  from = 0,
): Generator<Met, undefined> {
  let at = 0;
  if (match.events !== null && at++ >= from) {
    const event = hook?.event ?? null;
    const holdsEvent = event !== null && match.events.includes(event);
    yield { field: "event", values: event === null ? [] : [event], wanted: match.events, holds: holdsEvent };
  }
  for (const { name, wanted } of match.headers) {
    if (at++ < from) continue;
    const values = Object.hasOwn(headers, name) ? [headers[name]] : [];
    yield { field: `header ${name}`, values, wanted, holds: holds(wanted, values, search) };
  }
  for (const { written, path, wanted } of match.payload) {
    if (at++ < from) continue;
    const values = readFields(payload, path, oneIsList);
    const field = `payload${written.startsWith("[") ? "" : "."}${written}`;
    yield { field, values, wanted, holds: holds(wanted, values, search) };
  }
  return undefined;
}

const keyOf = (path: string | null, source: string | null): string => JSON.stringify([path, source]);

function sourceOf(payload: unknown): string | null {
  const source = readField(payload, ["source"]);
  return typeof source === "string" ? source : null;
}
