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
  type Hook,
  type HookRequest,
  keyedByMapping,
  readMapped,
  type RequestedActions,
  requestedActions,
} from "../decide.ts";
import { matchRefusal } from "../mapping/match.ts";
import type { Mappings } from "../mapping/prepare.ts";
import { contentTypeOf, type MappedRequest } from "../mapping/request.ts";
import { matchRoute } from "../route.ts";
import { noSenders } from "../senders/prepare.ts";
import { type HookSettings, hookSettings } from "../settings.ts";
import { headRefusal } from "../../http/body.ts";
import { listHeader } from "../../http/headers.ts";
import { mappedBody } from "../body/decode.ts";
import { refusalBody } from "../../http/respond.ts";
import type { RenderedDraft } from "../mapping/decide.ts";
import { type ExplainedAction, explainActions } from "./action.ts";
import { type EmptyReference, emptyReferences } from "./empty.ts";

export type TriedMapping = { id: string; takes: boolean; reason: string | null };

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

export type ExplainedRequest = Omit<HookRequest, "idempotency">;

export async function explain(
  request: ExplainedRequest,
  config: Config,
  mappings: Mappings,
  channels: ReadonlySet<string>,
): Promise<Explanation> {
  let rendered: readonly RenderedDraft[] = [];
  const decide: Mappings["decide"] = (asked) => mappings.decide(asked, (drafts) => void (rendered = drafts));
  const settings = hookSettings(config, { mappings: { ...mappings, decide }, senders: noSenders, channels });
  const route = matchRoute(request.target, settings.path);
  if (route === null) return explanationOf("", refuse("not-found"));
  const { name } = route;
  if (route.hasTokenInQuery) return explanationOf(name, refuse("token-in-query"));
  const hook = findHook(name, settings);
  if (hook === undefined)
    return explanationOf(name, refuse("unknown-hook"), { reason: knownNames(name, mappings) });
  const refused = bodyRefusal(request, hook, settings);
  if (refused !== null) return explanationOf(name, refused);
  const idempotency = readIdempotency(request.rawHeaders, request.body);
  if (idempotency !== null && isRefusal(idempotency)) return explanationOf(name, idempotency);
  const given: HookRequest = { ...request, idempotency };
  const isKeyed = hook.read !== null || idempotency !== null;
  const keyed = isKeyed ? given : await keyedByMapping(hook, given, settings);
  const requested = "outcome" in keyed ? keyed : await requestedActions(hook, keyed, settings);
  const decision = conclude(hook, requested, idempotency, settings);
  const code = isRefusal(decision) ? decision.refused : null;
  return explanationOf(name, decision, {
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
  return list.map(({ id, match }) => {
    if (taker !== null) return { id, takes: false, reason: `not tried: ${taker} took it` };
    const reason = matchRefusal(match, request, patterns);
    if (reason === null) taker = id;
    return { id, takes: reason === null, reason };
  });
}

function mappingKey({ mapped }: HookRequest, mappings: Mappings): string | null {
  const key = mapped === undefined || isRefusal(mapped) ? null : mappings.keyOf(mapped);
  return key !== null && "written" in key ? key.written : null;
}

type More = Partial<Pick<Explanation, "idempotencyKey" | "mappings" | "actions" | "empty" | "reason">>;

function explanationOf(hook: string, decision: Decision, more: More = {}): Explanation {
  const { idempotencyKey = null, mappings = [], actions = [], empty = [] } = more;
  const reason = "reason" in decision ? decision.reason : (more.reason ?? null);
  return { hook, idempotencyKey, mappings, ...outcomeOf(decision), reason, actions, empty, output: "" };
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
