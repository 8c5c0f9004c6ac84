// Decides a request to a mapped hook: finds its mapping, makes a draft for each element, runs the transform and checks
// each action. The result becomes one acceptance, stored together or not at all.
import type { Action } from "../../core/action.ts";
import { isRefusal, type Refusal, refuse } from "../../core/errors.ts";
import { readField, replaceField } from "../../core/field-path.ts";
import { TemplateFault } from "../template/template.ts";
import type { CallResult, TransformFault, Transforms } from "../../transforms/pool.ts";
import type { Mapping } from "./compile.ts";
import { type Draft, draftOf, faulty, overwrite, shown, toAction } from "./draft.ts";
import type { Matcher } from "./match.ts";
import type { MappedRequest } from "./request.ts";

export const mostElements = 1000;

export type MappingResult =
  | { kind: "actions"; actions: readonly Action[]; elements: readonly string[] | null }
  /** There is nothing to do: a 204. */
  | { kind: "skipped"; reason: string }
  /** The mapping or its transform broke: a 500. */
  | { kind: "failed"; reason: string };

const mostReasons = 5;

export async function decideMapped(
  request: MappedRequest,
  { matcher, transforms }: { matcher: Matcher<Mapping>; transforms: Transforms },
): Promise<MappingResult | Refusal> {
  const found = matcher.find(request);
  if (found.kind === "unknown") return refuse("unknown-hook");
  if (found.kind === "filtered")
    return {
      kind: "skipped",
      reason: `no mapping took it: ${found.reasons.slice(0, mostReasons).join("; ")}`,
    };
  try {
    return await applyMapping(found.mapping, request, transforms);
  } catch (fault) {
    if (fault instanceof TemplateFault) return failed(found.mapping, fault.message);
    throw fault;
  }
}

export async function applyMapping(
  mapping: Mapping,
  request: MappedRequest,
  transforms: Transforms,
): Promise<MappingResult | Refusal> {
  const requests = requestsOf(mapping, request);
  if (isRefusal(requests)) return requests;
  if (requests.length === 0) return skipped(mapping, `${mapping.forEach?.written ?? ""} is empty`);
  const drafts = await transformed(mapping, requests, transforms);
  if ("kind" in drafts) {
    if (drafts.kind === "busy") return refuse("queue-full", { retryAfterSeconds: 5 });
    return failed(mapping, drafts.reason);
  }
  const actions: Action[] = [];
  const elements: string[] = [];
  for (const [at, draft] of drafts.entries()) {
    if (draft === null) continue;
    const action = toAction(draft, mapping);
    const element = elementAt(mapping, at);
    if (isRefusal(action)) return element === null ? action : within(element, action);
    actions.push(action);
    if (element !== null) elements.push(element);
  }
  if (actions.length === 0) return skipped(mapping, "the transform returned null");
  return { kind: "actions", actions, elements: mapping.forEach === null ? null : elements };
}

/** One request for each element, in whose payload the array holds that element only. */
function requestsOf(mapping: Mapping, request: MappedRequest): MappedRequest[] | Refusal {
  const { forEach } = mapping;
  if (forEach === null) return [request];
  const list = readField(request.payload, forEach.path);
  const message = `must be an array of at most ${mostElements} elements`;
  if (!Array.isArray(list) || list.length > mostElements) return faulty([{ path: forEach.written, message }]);
  return list.map((element: unknown) => ({
    ...request,
    payload: replaceField(request.payload, forEach.path, [element]),
  }));
}

/** Null for an element for which the transform returned null. */
async function transformed(
  mapping: Mapping,
  requests: readonly MappedRequest[],
  transforms: Transforms,
): Promise<(Draft | null)[] | TransformFault> {
  const drafts = requests.map((request) => draftOf(mapping, request));
  if (mapping.transform === null) return drafts;
  const calls = requests.map(({ name, payload, headers, query }, at) => ({
    input: { name, path: name, payload, headers, query },
    action: shown(drafts[at]!),
  }));
  const results = await transforms.run(mapping.transform, calls);
  if (!Array.isArray(results)) return results;
  const changed: (Draft | null)[] = [];
  for (const [at, result] of results.entries()) {
    const draft = result.kind === "skip" ? null : changedDraft(mapping, requests[at]!, drafts[at]!, result);
    if (typeof draft === "string") return { kind: "failed", reason: draft };
    changed.push(draft);
  }
  return changed;
}

function changedDraft(
  mapping: Mapping,
  request: MappedRequest,
  draft: Draft,
  result: Exclude<CallResult, { kind: "skip" }>,
): Draft | string {
  if (result.kind === "kept") return draft;
  const { payload, ...keys } = result.value;
  return overwrite(payload === undefined ? draft : draftOf(mapping, { ...request, payload }), keys);
}

/** The element that an action is for, as an operator would write it: `items[3]`. */
const elementAt = ({ forEach }: Mapping, at: number): string | null =>
  forEach === null ? null : `${forEach.written}[${at}]`;

/** Names the element in the refusal's details. */
function within(element: string, refusal: Refusal): Refusal {
  const details = refusal.details?.map(({ path, message }) => ({ path: `${element}: ${path}`, message }));
  return details ? { ...refusal, details } : refusal;
}

const skipped = ({ id }: Mapping, reason: string): MappingResult => ({
  kind: "skipped",
  reason: `${id}: ${reason}`,
});
const failed = ({ id }: Mapping, reason: string): MappingResult => ({
  kind: "failed",
  reason: `${id}: ${reason}`,
});
