// Compares a mapping with its example payloads: would it take one of them, and do its templates find in them what they
// refer to?
import { type Condition, type MatchConfig, type TemplateName, templateNames } from "../../config/config.ts";
import type { Finding, Path } from "../../config/problem.ts";
import { type FilterPath, readField, readFields } from "../../core/field-path.ts";
import { createBudget, requestLimits } from "../template/budget.ts";
import { scopeOf } from "../template/scope.ts";
import { createSeen, type Seen } from "../template/seen.ts";
import { type Template, TemplateFault } from "../template/template.ts";
import type { Mapping } from "./compile.ts";
import { holds } from "./condition.ts";
import { elementsOf } from "./elements.ts";
import { matchRefusal } from "./match.ts";
import { createSearch, noPatterns, type Patterns } from "./pattern.ts";
import type { MappedRequest } from "./request.ts";

/** `hasHeaders`: the example comes with its headers; otherwise nothing is said about any. */
export type Example = { readonly request: MappedRequest; readonly hasHeaders: boolean };

export function exampleFindings(
  mapping: Mapping,
  examples: readonly Example[],
  patterns: Patterns = noPatterns,
): Finding[] {
  if (examples.length === 0) return [];
  const settings = [
    ...filterFindings(mapping, examples, patterns),
    ...listFindings(mapping, examples),
    ...templateNames.flatMap((name) => templateFindings(mapping, name, examples)),
  ];
  return settings.map(({ path, message }) => ({
    path: ["hooks", "mappings", mapping.origin, ...path],
    message,
  }));
}

const hasFile = ({ hasHeaders }: Example): boolean => hasHeaders;
const noExample = "none of the example payloads has";

/** Names each filter that met nothing in any example. Where all met something, one example has to be taken. */
function filterFindings({ match }: Mapping, examples: readonly Example[], patterns: Patterns): Finding[] {
  const withHeaders = examples.filter(hasFile);
  const needsValue = ({ wanted }: { wanted: readonly Condition[] }): boolean =>
    !holds(wanted, [], createSearch(patterns));
  const headers = withHeaders.length === 0 ? [] : match.headers.filter(needsValue);
  const absent = [
    ...headers
      .filter(({ name }) => !withHeaders.some(({ request }) => Object.hasOwn(request.headers, name)))
      .map(({ name }) => ({ path: ["match", "headers"], message: `${noExample} the header ${name}` })),
    ...match.payload
      .filter(needsValue)
      .filter(({ path }) => examples.every(({ request }) => valuesAt(request, path).length === 0))
      .map(({ written }) => ({ path: ["match", "payload", written], message: `${noExample} this field` })),
  ];
  if (absent.length > 0) return absent;
  const reasons = examples.map(({ request, hasHeaders }) =>
    matchRefusal(hasHeaders ? match : withoutHeaders(match, request), request, patterns),
  );
  const [first] = reasons;
  if (first === undefined || first === null || reasons.includes(null)) return [];
  return [{ path: ["examples"], message: `none of them would be taken by this mapping: ${first}` }];
}

/** A sender's event may stand in a header. */
const withoutHeaders = (match: MatchConfig, { hook }: MappedRequest): MatchConfig => ({
  ...match,
  headers: [],
  events: hook?.event == null ? null : match.events,
});

const valuesAt = ({ payload, oneIsList }: MappedRequest, path: FilterPath): unknown[] =>
  readFields(payload, path, oneIsList);

function hasListAt({ forEach }: Mapping, { payload, oneIsList }: MappedRequest): boolean {
  const list = forEach === null ? undefined : readField(payload, forEach.path);
  return Array.isArray(list) || (oneIsList === true && list !== undefined);
}

function listFindings(mapping: Mapping, examples: readonly Example[]): Finding[] {
  const hasList = ({ request }: Example): boolean => hasListAt(mapping, request);
  if (mapping.forEach === null || examples.some(hasList)) return [];
  return [{ path: ["forEach"], message: `${noExample} a list here` }];
}

/** A transform may give the templates another payload, so with one nothing is known about any but the key's. */
function templateFindings(mapping: Mapping, name: TemplateName, examples: readonly Example[]): Finding[] {
  const template = mapping.templates[name];
  const isKey = name === "idempotencyKey";
  if (template === null || (mapping.transform !== null && !isKey)) return [];
  const rendered = isKey ? { ...mapping, forEach: null } : mapping;
  const path: Path = [name];
  const seen = createSeen();
  try {
    for (const { request } of examples) renderExample(rendered, template, request, seen);
  } catch (fault) {
    if (fault instanceof TemplateFault)
      return [{ path, message: `cannot be rendered for an example payload: ${fault.message}` }];
    throw fault;
  }
  const unchecked = examples.some(hasFile) ? /^query\b/ : /^(?:query|headers)\b/;
  return [...seen.missing]
    .filter(([label, isRequired]) => isRequired && !seen.met.has(label) && !unchecked.test(label))
    .map(([label]) => ({ path, message: `${noExample} ${label}` }));
}

/** Once; with `forEach`, for each element. */
export function renderExample(
  mapping: Mapping,
  template: Template,
  request: MappedRequest,
  seen: Seen,
): void {
  const render = (payload: unknown): void => {
    const budget = createBudget(requestLimits(request.body?.length ?? 0));
    template.renderMessage(scopeOf({ ...request, payload, path: request.name }), budget, seen);
  };
  if (mapping.forEach === null) return render(request.payload);
  if (!hasListAt(mapping, request)) return;
  const { list, at, restore } = elementsOf(request.payload, mapping.forEach.path);
  try {
    for (const index of list.keys()) render(at(index));
  } finally {
    restore();
  }
}
