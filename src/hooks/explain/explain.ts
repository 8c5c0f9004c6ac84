// Explains what a request would do, as plain values: runs the gateway's own checks and mappings, and stores nothing.
import type { Config } from "../../config/config.ts";
import { nearest } from "../../core/nearest.ts";
import { catalogue, isRefusal, type Refusal, refuse } from "../../core/errors.ts";
import { isId } from "../../core/id.ts";
import type { Decision } from "../../core/request.ts";
import { readIdempotency } from "../acceptance.ts";
import {
  conclude,
  findHook,
  type HookRequest,
  mappedRequest,
  readPayload,
  requestedActions,
  type Sent,
} from "../decide.ts";
import { matchRefusal } from "../mapping/match.ts";
import type { Mappings } from "../mapping/prepare.ts";
import { type MappedRequest, visibleHeaders } from "../mapping/request.ts";
import { matchRoute } from "../route.ts";
import { noSenders, type Sender, type Senders } from "../senders/prepare.ts";
import { reasonOf } from "../senders/reason.ts";
import { senderRequest } from "../senders/request.ts";
import { describeRequest } from "../senders/verify.ts";
import { type HookSettings, hookSettings } from "../settings.ts";
import { headRefusal } from "../../http/body.ts";
import { refusalBody } from "../../http/respond.ts";
import { type ExplainedAction, explainActions } from "./action.ts";

export type TriedMapping = { id: string; takes: boolean; reason: string | null };

export type Explanation = {
  hook: string;
  /** In the order in which they are tried; empty for a built-in or unknown name. */
  mappings: TriedMapping[];
  outcome: "accepted" | "skipped" | "failed" | "refused";
  /** For the operator; it is not sent to the caller. */
  reason: string | null;
  /** The HTTP response. Ids are made when a request is stored, so here they are "…". */
  answer: { status: number; body: AcceptedBody | ReturnType<typeof refusalBody> | null };
  actions: ExplainedAction[];
  /** What transforms printed. */
  output: string;
};

type AcceptedBody = { ok: true };

export type ExplainedRequest = Omit<HookRequest, "idempotency" | "sent"> & {
  /** Of a sender's request, where it is not what headers and payload say. */
  event?: string | undefined;
  delivery?: string | undefined;
};

export async function explain(
  asked: ExplainedRequest,
  config: Config,
  { mappings, channels, senders = noSenders }: ExplainParts,
): Promise<Explanation> {
  const settings = hookSettings(config, { mappings, senders, channels });
  const route = matchRoute(asked.target, settings.path);
  if (route === null) return explanationOf("", refuse("not-found"));
  const { name } = route;
  if (route.hasTokenInQuery) return explanationOf(name, refuse("token-in-query"));
  const hook = findHook(name, settings);
  if (hook === undefined)
    return explanationOf(name, refuse("unknown-hook"), { reason: knownNames(name, mappings) });
  const sender = senders.get(name);
  const request = { ...asked, ...(sender && { sent: sentBy(sender, asked) }) };
  const refused = sender === undefined ? bodyRefusal(request, settings) : null;
  if (refused !== null) return explanationOf(name, refused);
  const idempotency = sender === undefined ? readIdempotency(request.rawHeaders, request.body) : null;
  if (idempotency !== null && isRefusal(idempotency)) return explanationOf(name, idempotency);
  const requested = await requestedActions(hook, { ...request, idempotency }, settings);
  const decision = conclude(hook, requested, idempotency, settings);
  const isUnknown = isRefusal(decision) && decision.refused === "unknown-hook";
  return explanationOf(name, decision, {
    sender,
    mappings: hook.read === null ? tryMappings(mappings, readMapped(name, request)) : [],
    actions:
      "actions" in requested
        ? await explainActions(name, requested, { settings, config, now: request.now })
        : [],
    reason: isUnknown ? knownNames(name, mappings) : null,
  });
}

function bodyRefusal(
  { rawHeaders, body }: Pick<HookRequest, "rawHeaders" | "body">,
  settings: HookSettings,
): Refusal | null {
  const headers = { ...visibleHeaders(rawHeaders), "content-length": String(body.length) };
  return headRefusal(headers, settings.body.maxBytes);
}

export type ExplainParts = { mappings: Mappings; channels: ReadonlySet<string>; senders?: Senders };

/** As if it were proven. */
function sentBy(sender: Sender, { target, rawHeaders, body, event, delivery }: ExplainedRequest): Sent {
  const request = senderRequest({ method: "POST", target, rawHeaders }, body);
  const said = describeRequest(sender.kind, request);
  const readJson = (): unknown => request.json();
  return { sender, event: event ?? said.event, delivery: delivery ?? said.delivery, readJson };
}

/** Null when the body is no payload: then no mapping is tried. */
function readMapped(name: string, request: Omit<HookRequest, "idempotency">): MappedRequest | null {
  const parsed = readPayload({ ...request, idempotency: null });
  return isRefusal(parsed) ? null : mappedRequest(name, parsed.value, request);
}

function tryMappings({ list }: Mappings, request: MappedRequest | null): TriedMapping[] {
  if (request === null) return [];
  let taker: string | null = null;
  return list.map(({ id, match }) => {
    if (taker !== null) return { id, takes: false, reason: `not tried: ${taker} took it` };
    const reason = matchRefusal(match, request);
    if (reason === null) taker = id;
    return { id, takes: reason === null, reason };
  });
}

type More = {
  mappings?: TriedMapping[];
  actions?: ExplainedAction[];
  reason?: string | null;
  sender?: Sender | undefined;
};

function explanationOf(hook: string, decision: Decision, more: More = {}): Explanation {
  const { mappings = [], actions = [], sender } = more;
  const found = outcomeOf(decision);
  const isHidden = sender !== undefined && found.answer.status < 500;
  const why = isHidden && isRefusal(decision) ? reasonOf(decision) : null;
  const reason = "reason" in decision ? decision.reason : (more.reason ?? why);
  const answer = isHidden ? senderAnswer(sender) : found.answer;
  return { hook, mappings, outcome: found.outcome, answer, reason, actions, output: "" };
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
