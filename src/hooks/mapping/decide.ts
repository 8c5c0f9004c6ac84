// Decides a request to a mapped hook: finds its mapping, makes a draft for each element, runs the transform and checks
// each action. The result becomes one acceptance, stored together or not at all.
import type { Action } from "../../core/action.ts";
import type { CallbackTarget } from "../../core/callback.ts";
import { isRefusal, type Refusal, refuse, stopping } from "../../core/errors.ts";
import { withUsualNumbers } from "../../core/exact-number.ts";
import { readField } from "../../core/field-path.ts";
import type { TriedMapping } from "../../core/request.ts";
import { TemplateFault } from "../template/template.ts";
import type { CallResult, TransformCall, TransformFault, Transforms } from "../../transforms/pool.ts";
import { callbackOrigin } from "../callback-origin.ts";
import type { Mapping } from "./compile.ts";
import { type Draft, faulty, overwrite, shown, toAction } from "./draft.ts";
import { elementsOf } from "./elements.ts";
import type { Matcher } from "./match.ts";
import { createRendering, type RenderFault, type Rendering } from "./rendering.ts";
import type { RenderThread } from "./render-thread.ts";
import type { MappedRequest } from "./request.ts";

export const mostElements = 1000;

export type MappingResult =
  | { kind: "actions"; actions: readonly Action[]; elements: readonly string[] | null }
  /** There is nothing to do: a 204. */
  | { kind: "skipped"; reason: string }
  /** The mapping or its transform broke: a 500. */
  | { kind: "failed"; reason: string };

export type MappingDeps = {
  matcher: Matcher<Mapping>;
  /** In the order that the thread knows. */
  list: readonly Mapping[];
  transforms: Transforms;
  thread: RenderThread;
  listener?: DecisionListener;
};

/** Hears how a request is decided: for explanations, and for what is kept of it. */
export type DecisionListener = {
  onTried?(tried: readonly TriedMapping[], taker: string | null): void;
  /** Called with the drafts before they are checked. */
  onDrafts?(drafts: readonly RenderedDraft[]): void;
};

/** `element` is null without `forEach`; `empty` as in a draft. */
export type RenderedDraft = { element: string | null } & Pick<Draft, "empty">;

export async function decideMapped(
  request: MappedRequest,
  deps: MappingDeps,
): Promise<MappingResult | Refusal> {
  const { matcher, listener } = deps;
  let tried: readonly TriedMapping[] = [];
  const found = matcher.find(request, listener?.onTried && ((all) => void (tried = all)));
  listener?.onTried?.(tried, "mapping" in found ? found.mapping.id : null);
  if (found.kind === "unknown") return refuse("unknown-hook");
  if (found.kind === "filtered")
    return {
      kind: "skipped",
      reason: `no mapping took it: ${found.reasons.join("; ")}`,
    };
  if (found.kind === "failed") return failed(found.mapping, found.reason);
  try {
    return await applyMapping(found.mapping, request, deps);
  } catch (fault) {
    if (fault instanceof TemplateFault) return failed(found.mapping, fault.message);
    throw fault;
  }
}

async function applyMapping(
  mapping: Mapping,
  request: MappedRequest,
  { list, transforms, thread, listener }: MappingDeps,
): Promise<MappingResult | Refusal> {
  const count = countElements(mapping, request);
  if (typeof count !== "number") return count;
  if (count === 0) return skipped(mapping, `${mapping.forEach?.written ?? ""} is empty`);
  const rendering = createRendering({ mapping, index: list.indexOf(mapping), request, thread });
  const drafts = await transformed(mapping, request, rendering, transforms);
  if ("kind" in drafts) {
    if (drafts.kind === "stopping") return stopping;
    if (drafts.kind === "busy") return refuse("queue-full", { retryAfterSeconds: 5 });
    return failed(mapping, drafts.reason);
  }
  listener?.onDrafts?.(
    drafts.map((draft, at) => ({ element: elementAt(mapping, at), empty: draft?.empty ?? [] })),
  );
  const actions: Action[] = [];
  const elements: string[] = [];
  for (const [at, draft] of drafts.entries()) {
    if (draft === null) continue;
    const action = toAction(draft, mapping, callbackOf(mapping, request));
    const element = elementAt(mapping, at);
    if (isRefusal(action)) return element === null ? action : within(element, action);
    actions.push(action);
    if (element !== null) elements.push(element);
  }
  if (actions.length === 0) return skipped(mapping, "the transform returned null");
  return { kind: "actions", actions, elements: mapping.forEach === null ? null : elements };
}

const callbackOf = ({ callback }: Mapping, { payload }: MappedRequest): CallbackTarget | null =>
  callback && { name: callback.name, to: callbackOrigin(callback.format, payload) };

/** How many actions the request asks for. */
function countElements({ forEach }: Mapping, { payload, oneIsList }: MappedRequest): number | Refusal {
  if (forEach === null) return 1;
  const list = readField(payload, forEach.path);
  if (oneIsList && list !== undefined && !Array.isArray(list)) return 1;
  const message = `must be an array of at most ${mostElements} elements`;
  if (!Array.isArray(list) || list.length > mostElements) return faulty([{ path: forEach.written, message }]);
  return list.length;
}

/** Null for an element for which the transform returned null. */
async function transformed(
  mapping: Mapping,
  request: MappedRequest,
  rendering: Rendering,
  transforms: Transforms,
): Promise<(Draft | null)[] | TransformFault | RenderFault> {
  const drafts = await rendering.drafts();
  if (!Array.isArray(drafts) || mapping.transform === null) return drafts;
  const calls = callsOf(mapping, request, drafts);
  if (calls === null) return { kind: "failed", reason: tooLargeForTransform };
  const results = await transforms.run(mapping.transform, calls);
  if (!Array.isArray(results)) return results;
  const changed: (Draft | null)[] = [];
  for (const [at, result] of results.entries()) {
    const draft = await changedDraft(drafts[at]!, result, rendering);
    if (typeof draft === "string") return { kind: "failed", reason: draft };
    if (draft !== null && "kind" in draft) return draft;
    changed.push(draft);
  }
  return changed;
}

async function changedDraft(
  draft: Draft,
  result: CallResult,
  rendering: Rendering,
): Promise<Draft | RenderFault | string | null> {
  if (result.kind === "skip") return null;
  if (result.kind === "kept") return draft;
  const { payload, ...keys } = result.value;
  const rendered = payload === undefined ? draft : await rendering.again(payload);
  return "kind" in rendered ? rendered : overwrite(rendered, keys);
}

/** Each element is sent with all of the payload around it. */
const mostCallCharacters = 32_000_000;
const tooLargeForTransform = `with all that surrounds them, its elements are more than the ${mostCallCharacters.toLocaleString("en-US")} characters that a transform gets for a request`;

/** Null when they are too large together. A call's payload is written when the call is sent: there are no copies. */
function callsOf(
  { forEach }: Mapping,
  { name, payload: exact, headers, query, hook }: MappedRequest,
  drafts: readonly Draft[],
): TransformCall[] | null {
  const input = { name, path: name, headers, query, ...(hook && { hook }) };
  const payload = withUsualNumbers(exact);
  if (forEach === null) return [{ input: { ...input, payload }, action: shown(drafts[0]!) }];
  const { list, at } = elementsOf(payload, forEach.path);
  const around = JSON.stringify(payload).length - JSON.stringify(list).length;
  if (around * list.length > mostCallCharacters) return null;
  return drafts.map((draft, index) => ({
    input: { ...input, payload: { toJSON: () => at(index) } },
    action: shown(draft),
  }));
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
