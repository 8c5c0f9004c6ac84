// Decides what a body asks for and whether that is allowed: the rungs between the body's last byte and the store.
import type { Action, ResultAccess } from "../core/action.ts";
import { isRefusal, reasonOf, type Refusal, refuse } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import { isEncoded, parseJson } from "../http/body.ts";
import { repeated, singleHeader } from "../http/headers.ts";
import {
  type Acceptance,
  type Decided,
  type Decision,
  type Idempotency,
  type NewRequest,
  newRequest,
  noArrival,
  type NoAction,
  type TriedMapping,
} from "../core/request.ts";
import { type Admission, queueFull } from "./admission.ts";
import { acceptAll, acceptOne, type AccessRule, withRequest } from "./acceptance.ts";
import { readAgent } from "./payload/agent.ts";
import { type DecodedBody, decodeBody, mappedBody } from "./body/decode.ts";
import { readMediaType } from "../http/media-type.ts";
import type { DecisionListener } from "./mapping/decide.ts";
import { contentTypeOf, type MappedRequest, queryOf, visibleHeaders } from "./mapping/request.ts";
import { allow, type Allowed } from "./policy.ts";
import type { Sender } from "./senders/prepare.ts";
import type { HookSettings } from "./settings.ts";
import { readWake } from "./payload/wake.ts";

/** A hook without `read` is mapped: its mappings decide. */
export type Hook = {
  readonly name: string;
  readonly read: ((payload: unknown) => Action | Refusal) | null;
};

export type HookRequest = {
  /** That it is kept under; left out: a new one. */
  id?: string;
  /** Null: it came by no request. */
  method: string | null;
  target: string;
  rawHeaders: readonly string[];
  /** Its caller's. */
  address: string | null;
  body: Buffer;
  now: number;
  /** Of its Idempotency-Key; null when it has none. */
  idempotency: Idempotency | null;
  /** Its body as a mapping sees it, where that was read before. */
  mapped?: MappedRequest | Refusal;
  /** The name of its token; null for `hooks.token`, and where it came with none. */
  credential?: string | null;
  /** Where its token wants the results of its runs. */
  callback?: string | null;
  /** What its token may read of the runs that it starts. Without one, nothing can be read. */
  results?: ResultAccess;
  /** Of a sender's request: who sent it, and what it is about. */
  sent?: Sent;
  /** The id of the kept request that this one repeats. */
  replayOf?: string;
};

export type Sent = {
  readonly sender: Sender;
  readonly event: string | null;
  readonly delivery: string | null;
  /** The body's JSON, parsed once, with its sender's digits; undefined where it is none. */
  readJson(): unknown;
};

const builtIn: ReadonlyMap<string, Hook> = new Map([
  ["wake", { name: "wake", read: readWake }],
  ["agent", { name: "agent", read: readAgent }],
]);

export const findHook = (name: string, { mappings }: Pick<HookSettings, "mappings">): Hook | undefined =>
  builtIn.get(name) ??
  (name.length <= longestName && mappings.couldTake(name) ? { name, read: null } : undefined);

/** Whether the name is a word of the configuration or ours: such a name may be logged. */
export const isNamedHook = (name: string, { mappings }: Pick<HookSettings, "mappings">): boolean =>
  builtIn.has(name) || mappings.isNamed(name);

/** The name is part of keys in the store, and PostgreSQL indexes no long ones. */
const longestName = 200;

/** The actions a body asks for, before the policy has allowed them. */
export type RequestedActions = {
  readonly actions: readonly Action[];
  /** With `forEach`, the element that each action is for. The response is then a list, however many there are. */
  readonly elements: readonly string[] | null;
};

/** A decision, and how it came about. */
export type ExplainedDecision = { decision: Decision; how: Pick<NewRequest, "mapping" | "decision"> };

export async function decide(
  hook: Hook,
  request: HookRequest,
  settings: HookSettings,
): Promise<ExplainedDecision> {
  const notes = createNotes();
  const requested = await requestedActions(hook, request, settings, notes);
  const decision = conclude(hook, requested, request.idempotency, settings, accessRule(request));
  const how = notes.conclude(requested, decision);
  return { decision: "runs" in decision && request.sent ? fromSender(decision) : decision, how };
}

/** What the sender hears is said by its kind; the ids are for a repeated delivery. */
const fromSender = (acceptance: Acceptance): Acceptance => ({
  ...acceptance,
  response: { status: 200, body: acceptance.response.body },
});

const allowed = { allowed: true, reason: null } as const;

/** Listens to a decision. */
function createNotes(): DecisionListener & {
  conclude(requested: RequestedActions | Refusal | NoAction, decision: Decision): ExplainedDecision["how"];
} {
  let mappings: readonly TriedMapping[] = [];
  let mapping: string | null = null;
  return {
    onTried(tried, taker) {
      mappings = tried;
      mapping = taker;
    },
    conclude(requested, decision) {
      const isRefused = isRefusal(decision);
      const verdict = isRefused ? { allowed: false, reason: reasonOf(decision) } : allowed;
      const policy = "actions" in requested ? verdict : null;
      return { mapping, decision: policy || mappings.length > 0 ? { mappings, policy } : null };
    },
  };
}

export async function requestedActions(
  hook: Hook,
  request: HookRequest,
  settings: HookSettings,
  listener?: DecisionListener,
): Promise<RequestedActions | Refusal | NoAction> {
  if (hook.read === null) {
    const mapped = request.mapped ?? readMapped(hook.name, request);
    if (isRefusal(mapped)) return mapped;
    // Parsing has held the event loop for a while. Rendering may hold it for as long again.
    if (request.body.length > quickBytes) await nextTurn();
    return mappedActions(mapped, settings, listener);
  }
  const parsed = parseJson(request.body);
  if (isRefusal(parsed)) return parsed;
  const action = hook.read(parsed.value);
  return isRefusal(action) ? action : { actions: [action], elements: null };
}

const quickBytes = 65_536;
const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** A request to a mapped hook, with its body decoded. */
export function readMapped(
  name: string,
  request: Pick<HookRequest, "body" | "rawHeaders" | "target" | "now" | "sent">,
): MappedRequest | Refusal {
  const decoded = readPayload(request);
  if (isRefusal(decoded)) return decoded;
  const { value, json } = decoded;
  return { ...mappedRequest(name, value, request), ...(json ? { body: json } : { oneIsList: true }) };
}

function readPayload({
  body,
  rawHeaders,
  sent,
}: Pick<HookRequest, "body" | "rawHeaders" | "sent">): DecodedBody | Refusal {
  const type = contentTypeOf(rawHeaders);
  if (sent === undefined) return decodeBody(body, type, mappedBody);
  if (isEncoded(oneHeader(rawHeaders, "content-encoding"))) return refuse("unsupported-encoding");
  const { body: taken } = sent.sender.kind;
  if (readMediaType(type)?.body !== "json" || !taken.types.includes("json"))
    return decodeBody(body, type, taken);
  // Its event and id may stand in it, so that it is parsed already.
  const value = sent.readJson();
  return value === undefined ? refuse("invalid-json") : { value, json: body };
}

function oneHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const value = singleHeader(rawHeaders, name);
  return value === repeated ? "repeated" : value;
}

/**
 * The request with the idempotency key that its mapping gives it. To know its mapping, its body has to be read; that is
 * done only where some mapping has a key.
 */
export async function keyedByMapping<R extends HookRequest>(
  { name }: Hook,
  request: R,
  { mappings }: Pick<HookSettings, "mappings">,
): Promise<R | NoAction> {
  if (!mappings.haveKeys) return request;
  const mapped = readMapped(name, request);
  if (isRefusal(mapped)) return { ...request, mapped };
  if (request.body.length > quickBytes) await nextTurn();
  const key = mappings.keyOf(mapped);
  if (key === null) return { ...request, mapped };
  if ("reason" in key) return { outcome: "failed", reason: key.reason };
  return { ...request, mapped, idempotency: withMappingKey(request, key.idempotency) };
}

/** The id of a sender's delivery counts as well: it is the same when the sender tries again. */
const withMappingKey = ({ sent, idempotency }: HookRequest, own: Idempotency): Idempotency =>
  sent === undefined || idempotency === null ? own : { ...idempotency, secondKey: own.key };

async function mappedActions(
  request: MappedRequest,
  settings: HookSettings,
  listener?: DecisionListener,
): Promise<RequestedActions | Refusal | NoAction> {
  const mapped = await settings.mappings.decide(request, listener);
  if (isRefusal(mapped)) return mapped;
  if (mapped.kind !== "actions") return { outcome: mapped.kind, reason: mapped.reason };
  return { actions: mapped.actions, elements: mapped.elements };
}

/** Decides a mail as if it had been sent to this mapped hook. */
export async function decideMail(
  name: string,
  { payload, delivery }: { payload: unknown; /** The mail's id. */ delivery: string },
  options: { settings: HookSettings; admission: Pick<Admission, "admits" | "recount">; now: number },
): Promise<Decided> {
  const { settings, admission, now } = options;
  const notes = createNotes();
  const requested = await mappedActions(
    mappedRequest(name, payload, { rawHeaders: [], target: "", now }),
    settings,
    notes,
  );
  const decision = conclude({ name, read: null }, requested, null, settings);
  const how = notes.conclude(requested, decision);
  const request = { ...mailRequest(name, payload, delivery, settings), ...how };
  if (!("runs" in decision)) return { decision, request };
  if (!admission.admits(decision)) await admission.recount(decision);
  if (!admission.admits(decision)) return { decision: queueFull(), request };
  return { decision: settings.keep.accepted ? withRequest(decision, request) : decision, request };
}

function mailRequest(
  hook: string,
  payload: unknown,
  delivery: string,
  { keep }: Pick<HookSettings, "keep">,
): NewRequest {
  const body = Buffer.from(JSON.stringify(payload));
  const isBodyKept = keep.accepted && body.length <= keep.largestBody;
  const arrival = { ...noArrival, bytes: body.length, delivery };
  return newRequest({ id: newId(), hook, origin: "mail", arrival, body: isBodyKept ? body : null });
}

export const mappedRequest = (
  name: string,
  payload: unknown,
  { rawHeaders, target, now, sent }: Pick<HookRequest, "rawHeaders" | "target" | "now" | "sent">,
): MappedRequest => ({
  name,
  payload,
  headers: visibleHeaders(rawHeaders, sent?.sender.hidden.headers),
  query: queryOf(target, sent?.sender.hidden.query),
  now: new Date(now).toISOString(),
  ...(sent && { hook: { event: sent.event, delivery: sent.delivery, sender: sent.sender.name } }),
});

/** Where the request came with a token of ours, the mapping's word counts before the token's. */
const accessRule = ({ results }: Pick<HookRequest, "results">): AccessRule | undefined =>
  results === undefined ? undefined : (ofMapping) => ofMapping ?? results;

/** All actions are accepted or none is. */
export function conclude(
  { name }: Hook,
  requested: RequestedActions | Refusal | NoAction,
  idempotency: Idempotency | null,
  settings: HookSettings,
  accessOf?: AccessRule,
): Decision {
  if (isRefusal(requested) || "outcome" in requested) return requested;
  const actions: Allowed[] = [];
  for (const [at, action] of requested.actions.entries()) {
    const each = allow(action, settings);
    if (isRefusal(each)) return requested.elements === null ? each : refusedAt(requested.elements[at]!, each);
    actions.push(each);
  }
  const [only] = actions;
  return requested.elements !== null || only === undefined
    ? acceptAll(name, actions, settings, idempotency, accessOf)
    : acceptOne(name, only, settings, idempotency, accessOf);
}

/** Names the element whose refusal refuses all actions. */
const refusedAt = (path: string, refusal: Refusal): Refusal => ({
  ...refusal,
  details: [{ path, message: "is refused, and all the others with it" }],
});
