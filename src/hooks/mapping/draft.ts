// A draft is an action before its checks: the templates make it, a transform may change it, and at the end it is
// checked as a request's payload is.
import type { CallbackTarget } from "../../core/callback.ts";
import { wakeModes, type Action, type WakeMode } from "../../core/action.ts";
import { isRefusal, type PayloadFault, type Refusal, refuse } from "../../core/errors.ts";
import { outsideMessage, plainText, type Message } from "../../core/message.ts";
import { longestRunSeconds } from "../../core/run.ts";
import type { TransformAction } from "../../sdk/transform.ts";
import { readAgent } from "../payload/agent.ts";
import { type Fields, readFields } from "../payload/fields.ts";
import type { Budget } from "../template/budget.ts";
import { createSeen } from "../template/seen.ts";
import { scopeOf } from "../template/scope.ts";
import type { Template } from "../template/template.ts";
import { readWake } from "../payload/wake.ts";
import type { Mapping } from "./compile.ts";
import { elementsOf } from "./elements.ts";
import type { MappedRequest } from "./request.ts";

export type Draft = {
  readonly action: "wake" | "agent";
  readonly wakeMode: WakeMode;
  readonly message: Message;
  readonly text: Message;
  readonly name: string | null;
  readonly agentId: string | null;
  /** Empty when the mapping's template for it rendered blank. */
  readonly sessionKey: string | null;
  readonly deliver: boolean;
  readonly channel: string | null;
  readonly to: string | null;
  readonly model: string | null;
  readonly thinking: string | null;
  readonly timeoutSeconds: number | null;
  /** References in its templates that were missing and rendered empty: each once, the first of them. */
  readonly empty: readonly string[];
};

const mostEmpty = 50;

/** One draft; with `forEach`, one for each element. Throws a TemplateFault. */
export function draftsOf(mapping: Mapping, request: MappedRequest, budget: Budget): Draft[] {
  if (mapping.forEach === null) return [draftOf(mapping, request, budget)];
  const { list, at, restore } = elementsOf(request.payload, mapping.forEach.path);
  try {
    return list.map((_, index) => draftOf(mapping, { ...request, payload: at(index) }, budget));
  } finally {
    restore();
  }
}

/** Throws a TemplateFault. */
export function draftOf(mapping: Mapping, request: MappedRequest, budget: Budget): Draft {
  const scope = scopeOf({ ...request, path: request.name });
  const { templates } = mapping;
  const seen = createSeen();
  const text = (template: Template | null): string | null =>
    template?.renderText(scope, budget, seen).trim() ?? null;
  const message = (template: Template | null): Message =>
    template === null ? [] : trimmed(template.renderMessage(scope, budget, seen));
  const rendered = {
    action: mapping.action,
    wakeMode: mapping.wakeMode,
    message: message(templates.messageTemplate),
    text: message(templates.textTemplate),
    name: text(templates.name) || null,
    agentId: mapping.agentId,
    sessionKey: text(templates.sessionKey),
    deliver: mapping.deliver,
    channel: mapping.channel,
    to: text(templates.to) || null,
    model: text(templates.model) || null,
    thinking: text(templates.thinking) || null,
    timeoutSeconds: mapping.timeoutSeconds,
  };
  return { ...rendered, empty: [...seen.missing.keys()].slice(0, mostEmpty) };
}

/** The draft as a transform sees it: with the mapping's names, without unset values. */
export function shown(draft: Draft): TransformAction {
  const { message, text, action, empty: _, ...rest } = draft;
  const content = action === "agent" ? { message: plainText(message) } : { text: plainText(text) };
  const set = Object.entries(rest).filter(([, value]) => value !== null);
  return { action, ...content, ...Object.fromEntries(set) };
}

/** The draft with a transform's values, or what is wrong with them. The transform's own text is outside text. */
export function overwrite(draft: Draft, returned: Record<string, unknown>): Draft | string {
  const fields = readFields(returned);
  if (isRefusal(fields)) return "the transform returned no object";
  const content = (name: "message" | "text"): Message => {
    const text = fields.text(name);
    return text === null ? draft[name] : outsideMessage(name, "transform", text);
  };
  const next: Draft = {
    action: chosen(fields, returned, "action", ["agent", "wake"], draft.action),
    wakeMode: chosen(fields, returned, "wakeMode", wakeModes, draft.wakeMode),
    message: content("message"),
    text: content("text"),
    name: fields.text("name") ?? draft.name,
    agentId: fields.text("agentId") ?? draft.agentId,
    sessionKey: fields.text("sessionKey") ?? draft.sessionKey,
    deliver: fields.flag("deliver", draft.deliver),
    channel: fields.text("channel") ?? draft.channel,
    to: fields.text("to") ?? draft.to,
    model: fields.text("model") ?? draft.model,
    thinking: fields.text("thinking") ?? draft.thinking,
    timeoutSeconds: fields.number("timeoutSeconds", 0, longestRunSeconds) ?? draft.timeoutSeconds,
    empty: draft.empty,
  };
  const faults = fields.refusal()?.details ?? [];
  if (faults.length === 0) return next;
  return `the transform returned ${faults.map(({ path, message }) => `${path}, which ${message}`).join("; ")}`;
}

const chosen = <const T extends string>(
  fields: Fields,
  returned: Record<string, unknown>,
  name: string,
  choices: readonly [T, ...T[]],
  otherwise: T,
): T => (Object.hasOwn(returned, name) ? fields.choice(name, choices) : otherwise);

/** Checks the draft like a request. */
export function toAction(
  draft: Draft,
  mapping: Pick<
    Mapping,
    "id" | "match" | "allowUnsafeExternalContent" | "tools" | "fallback" | "deliverFailures" | "results"
  >,
  callback: CallbackTarget | null = null,
): Action | Refusal {
  if (draft.action === "wake") {
    const read = readWake({ text: plainText(draft.text), mode: draft.wakeMode });
    return isRefusal(read) ? read : { ...read, text: draft.text };
  }
  if (draft.sessionKey === "") return faulty([{ path: "sessionKey", message: "came out blank" }]);
  const { action: _, text: __, empty: ___, message, ...rest } = draft;
  const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  const read = readAgent({ ...set, message: plainText(message) });
  if (isRefusal(read)) return read;
  const { allowUnsafeExternalContent: unsafe, tools, fallback, deliverFailures, results } = mapping;
  const budget = budgetOf(mapping);
  return {
    ...read,
    message,
    origin: "mapping",
    budget,
    unsafe,
    tools,
    fallback,
    deliverFailures,
    results,
    callback,
  };
}

/**
 * A mapping without `match.path` takes any name, so it has one budget for all of them. No hook has this name: a blank
 * cannot stand in a request target.
 */
const budgetOf = ({ id, match }: Pick<Mapping, "id" | "match">): string | null =>
  match.path === null ? `mapping ${id}` : null;

export const faulty = (details: PayloadFault[]): Refusal => refuse("invalid-payload", { details });

/** Trims the operator's text at both ends. */
function trimmed(message: Message): Message {
  const last = message.length - 1;
  const parts = message.map((part, at) => {
    if (typeof part !== "string") return part;
    const trimmedStart = at === 0 ? part.trimStart() : part;
    return at === last ? trimmedStart.trimEnd() : trimmedStart;
  });
  return parts.filter((part) => part !== "");
}
