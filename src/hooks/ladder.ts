// The ladder that every hook request climbs, in the order of the contract; the first rung that fails responds. Not one
// byte of the body is read before token and name are good, and a 2xx is sent only after the commit.
import type { Clock } from "../core/clock.ts";
import { type ErrorCode, isRefusal, type Refusal, refuse, stopping } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import type { Log } from "../core/log.ts";
import { type Metrics, noMetrics } from "../core/metrics.ts";
import type { Acceptance, NoAction, Stored, StoredResponse } from "../core/request.ts";
import { carriedTrace, type Trace } from "../core/trace.ts";
import { headRefusal, readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import type { FailureCounter } from "../http/shared-throttle.ts";
import type { Store } from "../store/ports/store.ts";
import { readIdempotency, withCredential, withTrace } from "./acceptance.ts";
import { type Admission, queueFull } from "./admission.ts";
import { mappedBody } from "./body/decode.ts";
import { decide, findHook, type Hook, type HookRequest, isNamedHook, keyedByMapping } from "./decide.ts";
import { createKeyQueues, type KeyQueues } from "./key-queues.ts";
import { createResponses, type Responses } from "./responses.ts";
import { matchRoute } from "./route.ts";
import type { HookSettings } from "./settings.ts";
import { noteAccepted, startHookSpan } from "./span.ts";

export type LadderOptions = {
  settings: () => HookSettings;
  store: Pick<Store, "accept" | "findRepeated" | "recordRequest">;
  throttle: FailureCounter;
  clock: Clock;
  log: Log;
  stopping: () => boolean;
  admission: Pick<Admission, "admits" | "recount">;
  /** Called after each acceptance that is new in the store. */
  onStored: (acceptance: Acceptance, stored: Stored) => void;
  metrics?: Pick<Metrics, "requestEnded" | "requestStored" | "authFailed">;
  trace?: Trace;
};

export type Hooks = {
  handle(exchange: Exchange): void;
};

type Ladder = Required<LadderOptions> & {
  responses: Responses;
  keyQueues: KeyQueues;
  clientAddress: (exchange: Exchange) => string;
};

/** `credential`: the name of its token; null for `hooks.token`. */
type Asked = HookRequest & { credential: string | null };

const maxDiscardedBytes = 1_048_576;

export function createHooks(options: LadderOptions): Hooks {
  const { settings, metrics = noMetrics, trace = carriedTrace } = options;
  const clientAddress = ({ request: { socket, rawHeaders } }: Exchange): string =>
    settings().clientAddress(socket.remoteAddress, rawHeaders);
  const isNamed = (hook: string): boolean => isNamedHook(hook, settings());
  const responses = createResponses({ ...options, metrics, clientAddress, isNamed });
  const keyQueues = createKeyQueues();
  const ladder: Ladder = { ...options, metrics, trace, responses, keyQueues, clientAddress };
  return {
    handle: (exchange) =>
      void climb(exchange, ladder).catch((fault: unknown) => responses.fail(exchange, fault)),
  };
}

/**
 * Up to the body, a rung waits for nothing unless it must: when the rest of the packet is not valid HTTP, Node closes
 * the connection as soon as this function yields, and the caller would never see why it was refused.
 */
async function climb(exchange: Exchange, ladder: Ladder): Promise<void> {
  const { request } = exchange;
  const { responses } = ladder;
  const settings = ladder.settings();
  const refuseWith = (code: ErrorCode): void => responses.refuse(exchange, refuse(code));
  exchange.discardBytes = Math.min(settings.body.maxBytes, maxDiscardedBytes);

  const route = settings.enabled ? matchRoute(exchange.target, settings.path) : null;
  if (route === null) return refuseWith("not-found");
  exchange.name = route.name;
  if (route.hasTokenInQuery) return refuseWith("token-in-query");
  if (request.method !== "POST") return refuseWith("method-not-allowed");

  const credential = settings.credentials.check(request.rawHeaders);
  if (typeof credential === "string") {
    const refusal = tokenRefusal(exchange, credential, ladder);
    return responses.refuse(exchange, refusal instanceof Promise ? await refusal : refusal);
  }
  exchange.authenticated = true;
  const hook = credential.opens(route.name) ? findHook(route.name, settings) : undefined;
  if (hook === undefined) return refuseWith("unknown-hook");
  exchange.span = startHookSpan(ladder.trace, exchange);
  if (ladder.stopping()) return responses.refuse(exchange, stopping);

  const taken = hook.read === null ? mappedBody.types : undefined;
  const unreadable = headRefusal(request.headers, settings.body.maxBytes, taken);
  if (unreadable !== null) return responses.refuse(exchange, unreadable);
  const body = await readBody(exchange, settings.body);
  if (body === null) return responses.callerGone(exchange);
  if (isRefusal(body)) return responses.refuse(exchange, body);

  const { target } = exchange;
  const { rawHeaders } = request;
  const idempotency = readIdempotency(rawHeaders, body);
  if (idempotency !== null && isRefusal(idempotency)) return responses.refuse(exchange, idempotency);
  const now = ladder.clock.now();
  const asked = { target, rawHeaders, body, now, idempotency, credential: credential.name };
  if (hook.read !== null) return respond(exchange, hook, asked, ladder);
  const keyed = idempotency === null ? await keyedByMapping(hook, asked, settings) : asked;
  if ("outcome" in keyed)
    return recordNoAction(
      exchange,
      keyed,
      { hook: hook.name, idempotency: null, credential: credential.name },
      ladder,
    );
  if (keyed.idempotency === null) return respond(exchange, hook, keyed, ladder);
  return ladder.keyQueues.add(`${hook.name} ${keyed.idempotency.key}`, () =>
    respond(exchange, hook, keyed, ladder),
  );
}

/**
 * A repeated request gets its first response, whatever would come of it now. Its key is looked up before a mapping runs,
 * since a transform may act. A built-in hook only reads the payload: there the key is checked by the transaction that
 * stores the request, and looked up when nothing is to be stored. Another node may have stored the request meanwhile, so
 * a mapped one is looked up then, too.
 */
async function respond(exchange: Exchange, hook: Hook, request: Asked, ladder: Ladder): Promise<void> {
  const { responses, store } = ladder;
  const { idempotency, credential } = request;
  const findRepeated = async () => idempotency && store.findRepeated(hook.name, idempotency);
  const before = hook.read === null ? await findRepeated() : null;
  if (before) return responses.repeated(exchange, before);
  const decision = await decide(hook, request, ladder.settings());
  const admitted = "runs" in decision ? await admit(decision, ladder) : decision;
  if ("runs" in admitted) {
    const traced = withTrace(admitted, exchange.span.context);
    return accept(exchange, withCredential(traced, credential), ladder);
  }
  const meanwhile = await findRepeated();
  if (meanwhile) return responses.repeated(exchange, meanwhile);
  if (isRefusal(admitted)) return responses.refuse(exchange, admitted);
  return recordNoAction(exchange, admitted, { hook: hook.name, idempotency, credential }, ladder);
}

/** For a wrong token, the failures may have to be counted over all nodes. */
function tokenRefusal(
  exchange: Exchange,
  verdict: "wrong" | "repeated",
  { metrics, throttle, clientAddress }: Ladder,
): Refusal | Promise<Refusal> {
  if (verdict === "repeated") return refuse("repeated-header");
  metrics.authFailed();
  const retryAfter = throttle.fail(clientAddress(exchange));
  return retryAfter instanceof Promise ? retryAfter.then(wrongToken) : wrongToken(retryAfter);
}

const wrongToken = (retryAfterSeconds: number | null): Refusal =>
  retryAfterSeconds === null ? refuse("unauthorized") : refuse("too-many-failures", { retryAfterSeconds });

const nothingToDo: StoredResponse = { status: 204, body: {} };

/**
 * Recorded before the response: the operator can always see why nothing happened. A 204 is kept with its key like any
 * 2xx, so that a repeated request does not run a transform that would now do something.
 */
async function recordNoAction(
  exchange: Exchange,
  { outcome, reason }: NoAction,
  { hook, idempotency, credential }: Pick<Acceptance, "hook" | "idempotency"> & Pick<Asked, "credential">,
  { store, responses }: Ladder,
): Promise<void> {
  await store.recordRequest({ id: newId(), hook: exchange.name, outcome, reason, credential });
  if (outcome === "skipped" && idempotency) {
    const nothing = { id: newId(), hook, events: [], runs: [], heartbeat: null, idempotency };
    const accepted = await store.accept({ ...nothing, response: nothingToDo });
    if (accepted.kind !== "stored") return responses.repeated(exchange, accepted);
  }
  responses.noAction(exchange, outcome);
}

async function accept(exchange: Exchange, acceptance: Acceptance, ladder: Ladder): Promise<void> {
  const { store, responses, metrics, onStored } = ladder;
  const startedAt = performance.now();
  const accepted = await store.accept(acceptance);
  metrics.requestStored((performance.now() - startedAt) / 1000);
  if (accepted.kind !== "stored") return responses.repeated(exchange, accepted);
  noteAccepted(exchange.span, acceptance);
  responses.accepted(exchange, acceptance.response);
  onStored(acceptance, accepted);
}

/** Counts again before it refuses. */
async function admit(acceptance: Acceptance, { admission }: Ladder): Promise<Acceptance | Refusal> {
  if (admission.admits(acceptance)) return acceptance;
  await admission.recount(acceptance);
  return admission.admits(acceptance) ? acceptance : queueFull();
}
