// Explains what a request would do, as plain values: runs the gateway's own checks and mappings, and stores nothing.
import type { Config } from "../../config/config.ts";
import { nearest } from "../../core/nearest.ts";
import { catalogue, isRefusal, reasonOf, type Refusal, refuse } from "../../core/errors.ts";
import { isId } from "../../core/id.ts";
import type { Decision, TriedMapping } from "../../core/request.ts";
import { readIdempotency } from "../acceptance.ts";
import {
  conclude,
  findHook,
  type Hook,
  type HookRequest,
  keyedByMapping,
  readMapped,
  type RequestedActions,
  requestedActions,
  type Sent,
} from "../decide.ts";
import { tryMapping } from "../mapping/match.ts";
import type { Mappings } from "../mapping/prepare.ts";
import { contentTypeOf, type MappedRequest } from "../mapping/request.ts";
import { matchRoute } from "../route.ts";
import { noSenders, type Sender, type Senders } from "../senders/prepare.ts";
import { senderRequest } from "../senders/request.ts";
import { describeRequest } from "../senders/verify.ts";
import { type HookSettings, hookSettings } from "../settings.ts";
import { headRefusal } from "../../http/body.ts";
import { listHeader } from "../../http/headers.ts";
import { mappedBody } from "../body/decode.ts";
import { refusalBody } from "../../http/respond.ts";
import type { RenderedDraft } from "../mapping/decide.ts";
import { type ExplainedAction, explainActions } from "./action.ts";
import { type EmptyReference, emptyReferences } from "./empty.ts";

export type Explanation = {
  hook: string;
  /** The caller's, or that of the mapping: a second request with it gets the response of the first. */
  idempotencyKey: string | null;
  /** In the order in which they are tried; empty for a built-in or unknown name. */
  mappings: TriedMapping[];
  outcome: "accepted" | "skipped" | "failed" | "refused";
  /** For the operator; it is not sent to the caller. */
  reason: string | null;
  /** The HTTP response. Ids are made when a request is stored, so here they are "…". */
  answer: { status: number; body: AcceptedBody | ReturnType<typeof refusalBody> | null };
  actions: ExplainedAction[];
  /** References in the mapping's templates that were missing, and so rendered empty. */
  empty: EmptyReference[];
  /** What transforms printed. */
  output: string;
};

type AcceptedBody = { ok: true };

export type ExplainedRequest = Omit<HookRequest, "method" | "address" | "idempotency" | "sent"> & {
  /** Of a sender's request, where it is not what headers and payload say. */
  event?: string | undefined;
  delivery?: string | undefined;
};

export type ExplainParts = { mappings: Mappings; channels: ReadonlySet<string>; senders?: Senders };

export async function explain(
  asked: ExplainedRequest,
  config: Config,
  { mappings, channels, senders = noSenders }: ExplainParts,
): Promise<Explanation> {
  let rendered: readonly RenderedDraft[] = [];
  const decide: Mappings["decide"] = (mapped) =>
    mappings.decide(mapped, { onDrafts: (drafts) => void (rendered = drafts) });
  const settings = hookSettings(config, { mappings: { ...mappings, decide }, senders, channels });
  const route = matchRoute(asked.target, settings.path);
  if (route === null) return explanationOf("", refuse("not-found"));
  const { name } = route;
  if (route.hasTokenInQuery) return explanationOf(name, refuse("token-in-query"));
  const hook = findHook(name, settings);
  if (hook === undefined)
    return explanationOf(name, refuse("unknown-hook"), { reason: knownNames(name, mappings) });
  const sender = senders.get(name);
  const request = { ...asked, ...(sender && { sent: sentBy(sender, asked) }) };
  const refused = sender === undefined ? bodyRefusal(request, hook, settings) : null;
  if (refused !== null) return explanationOf(name, refused);
  const idempotency = sender === undefined ? readIdempotency(request.rawHeaders, request.body) : null;
  if (idempotency !== null && isRefusal(idempotency)) return explanationOf(name, idempotency);
  const given: HookRequest = { ...request, idempotency, method: "POST", address: null };
  const isKeyed = hook.read !== null || idempotency !== null;
  const keyed = isKeyed ? given : await keyedByMapping(hook, given, settings);
  const requested = "outcome" in keyed ? keyed : await requestedActions(hook, keyed, settings);
  const decision = conclude(hook, requested, idempotency, settings);
  const code = isRefusal(decision) ? decision.refused : null;
  return explanationOf(name, decision, {
    sender,
    idempotencyKey: idempotency?.key ?? ("mapped" in keyed ? mappingKey(keyed, mappings) : null),
    mappings: hook.read === null ? tryMappings(mappings, readMapped(name, request)) : [],
    actions:
      "actions" in requested
        ? await explainActions(name, requested, { settings, config, now: request.now })
        : [],
    empty: emptyReferences(rendered),
    reason:
      code === "unknown-hook"
        ? knownNames(name, mappings)
        : code === "agent-unknown" && "actions" in requested
          ? unknownAgents(requested, settings)
          : null,
  });
}

/** What is said of a sender's request, as if it were proven. */
export function sentBy(
  sender: Sender,
  { target, rawHeaders, body, event, delivery }: Omit<ExplainedRequest, "now">,
): Sent {
  const request = senderRequest({ method: "POST", target, rawHeaders }, body);
  const said = describeRequest(sender.kind, request);
  const readJson = (): unknown => request.json();
  return { sender, event: event ?? said.event, delivery: delivery ?? said.delivery, readJson };
}

function bodyRefusal(
  { rawHeaders, body }: ExplainedRequest,
  { read }: Hook,
  settings: HookSettings,
): Refusal | null {
  const type = contentTypeOf(rawHeaders);
  const encoding = listHeader(rawHeaders, "content-encoding");
  const headers = {
    ...(type !== undefined && { "content-type": type }),
    ...(encoding !== "" && { "content-encoding": encoding }),
    "content-length": String(body.length),
  };
  return headRefusal(headers, settings.body.maxBytes, read === null ? mappedBody.types : undefined);
}

/** When the body cannot be read, no mapping is tried. */
function tryMappings({ list, patterns }: Mappings, request: MappedRequest | Refusal): TriedMapping[] {
  if (isRefusal(request)) return [];
  let taker: string | null = null;
  return list.map((mapping) => {
    const { id } = mapping;
    if (taker !== null) return { id, takes: false, reason: `not tried: ${taker} took it`, filters: [] };
    const tried = tryMapping(mapping, request, patterns);
    if (tried.takes) taker = id;
    return tried;
  });
}

function mappingKey({ mapped }: HookRequest, mappings: Mappings): string | null {
  const key = mapped === undefined || isRefusal(mapped) ? null : mappings.keyOf(mapped);
  return key !== null && "written" in key ? key.written : null;
}

type More = Partial<Pick<Explanation, "idempotencyKey" | "mappings" | "actions" | "empty" | "reason">> & {
  sender?: Sender | undefined;
};

function explanationOf(hook: string, decision: Decision, more: More = {}): Explanation {
  const { idempotencyKey = null, mappings = [], actions = [], empty = [], sender } = more;
  const found = outcomeOf(decision);
  const isHidden = sender !== undefined && found.answer.status < 500;
  const why = isHidden && isRefusal(decision) ? reasonOf(decision) : null;
  const reason = "reason" in decision ? decision.reason : (more.reason ?? why);
  const answer = isHidden ? senderAnswer(sender) : found.answer;
  const { outcome } = found;
  return { hook, idempotencyKey, mappings, outcome, answer, reason, actions, empty, output: "" };
}

/** A sender hears the same, whatever comes of its request. */
function senderAnswer({ kind: { answer } }: Sender): Explanation["answer"] {
  if (answer === undefined) return { status: 200, body: { ok: true } };
  return { status: answer.status, body: null };
}

function outcomeOf(decision: Decision): Pick<Explanation, "outcome" | "answer"> {
  if (isRefusal(decision)) return { outcome: "refused", answer: refusalResponse(decision) };
  if (!("outcome" in decision)) {
    const { status, body } = decision.response;
    return { outcome: "accepted", answer: { status, body: withoutIds(body) } };
  }
  const { outcome } = decision;
  if (outcome === "skipped") return { outcome, answer: { status: 204, body: null } };
  return { outcome, answer: refusalResponse(refuse("mapping-failed")) };
}

const refusalResponse = (refusal: Refusal) => ({
  status: catalogue[refusal.refused].status,
  body: refusalBody(refusal),
});

const withoutIds = (body: unknown): AcceptedBody =>
  JSON.parse(JSON.stringify(body), (_, value: unknown) =>
    typeof value === "string" && isId(value) ? "…" : value,
  ) as AcceptedBody;

function unknownAgents({ actions }: RequestedActions, { agentIds }: HookSettings): string {
  const asked = actions.flatMap((action) => (action.kind === "agent" ? (action.agentId ?? []) : []));
  const wrong = asked.find((id) => !agentIds.has(id.toLowerCase())) ?? "";
  const near = nearest(wrong, [...agentIds]);
  return `There is no agent ${wrong}.${near === null ? "" : ` Did you mean ${near}?`}`;
}

const mostNames = 50;

function knownNames(name: string, { list }: Mappings): string {
  const paths = list.flatMap(({ match }) => (match.path === null ? [] : [match.path]));
  const names = ["wake", "agent", ...new Set(paths)];
  const sources = list.flatMap(({ match: { path, source } }) => (path === null && source ? [source] : []));
  const near = nearest(name, names);
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
  return [
    `The names there are: ${names.slice(0, mostNames).join(", ")}${more}.`,
    ...(sources.length > 0
      ? [`Any name, when the payload's source is ${[...new Set(sources)].join(" or ")}.`]
      : []),
    ...(near === null ? [] : [`Did you mean ${near}?`]),
  ].join(" ");
}
