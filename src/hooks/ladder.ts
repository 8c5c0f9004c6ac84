// The ladder that every hook request climbs, in the order of the contract; the first rung that fails responds. Not one
// byte of the body is read before token and name are good, and a 2xx is sent only after the commit.
import type { Clock } from "../core/clock.ts";
import { type ErrorCode, isRefusal, type Refusal, refuse } from "../core/errors.ts";
import { newId } from "../core/id.ts";
import type { Log } from "../core/log.ts";
import { type Metrics, noMetrics } from "../core/metrics.ts";
import type { Acceptance, NoAction, Repeated, Stored } from "../core/request.ts";
import { carriedTrace, type Trace } from "../core/trace.ts";
import { headRefusal, readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import type { FailureCounter } from "../http/shared-throttle.ts";
import type { Store } from "../store/ports/store.ts";
import { withTrace } from "./acceptance.ts";
import { type Admission, queueFull } from "./admission.ts";
import { decide, findHook } from "./decide.ts";
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
  clientAddress: (exchange: Exchange) => string;
};

const maxDiscardedBytes = 1_048_576;
const stoppingRetrySeconds = 5;

export function createHooks(options: LadderOptions): Hooks {
  const { settings, metrics = noMetrics, trace = carriedTrace } = options;
  const clientAddress = ({ request: { socket, rawHeaders } }: Exchange): string =>
    settings().clientAddress(socket.remoteAddress, rawHeaders);
  const responses = createResponses({ ...options, metrics, clientAddress });
  const ladder: Ladder = { ...options, metrics, trace, responses, clientAddress };
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

  const unauthorized = tokenRefusal(exchange, settings, ladder);
  if (unauthorized instanceof Promise) return responses.refuse(exchange, await unauthorized);
  if (unauthorized !== null) return responses.refuse(exchange, unauthorized);
  exchange.authenticated = true;
  const hook = findHook(route.name, settings);
  if (hook === undefined) return refuseWith("unknown-hook");
  exchange.span = startHookSpan(ladder.trace, exchange);
  if (ladder.stopping()) return responses.refuse(exchange, stopping());

  const unreadable = headRefusal(request.headers, settings.body.maxBytes);
  if (unreadable !== null) return responses.refuse(exchange, unreadable);
  const body = await readBody(exchange, settings.body);
  if (body === null) return responses.callerGone(exchange);
  if (isRefusal(body)) return responses.refuse(exchange, body);

  const { target } = exchange;
  const { rawHeaders } = request;
  const now = ladder.clock.now();
  const decision = await decide(hook, { target, rawHeaders, body, now }, ladder.settings());
  if (isRefusal(decision)) return responses.refuse(exchange, decision);
  if ("outcome" in decision) return recordNoAction(exchange, decision, ladder);
  return accept(exchange, withTrace(decision, exchange.span.context), ladder);
}

const stopping = (): Refusal => refuse("stopping", { retryAfterSeconds: stoppingRetrySeconds });

/** Null when the token is right. For a wrong one, the failures may have to be counted over all nodes. */
function tokenRefusal(
  exchange: Exchange,
  settings: HookSettings,
  { metrics, throttle, clientAddress }: Ladder,
): Refusal | null | Promise<Refusal> {
  const verdict = settings.guard.check(exchange.request.rawHeaders);
  if (verdict === "ok") return null;
  if (verdict === "repeated") return refuse("repeated-header");
  metrics.authFailed();
  const retryAfter = throttle.fail(clientAddress(exchange));
  return retryAfter instanceof Promise ? retryAfter.then(wrongToken) : wrongToken(retryAfter);
}

const wrongToken = (retryAfterSeconds: number | null): Refusal =>
  retryAfterSeconds === null ? refuse("unauthorized") : refuse("too-many-failures", { retryAfterSeconds });

/** Recorded before the response: the operator can always see why nothing happened. */
async function recordNoAction(
  exchange: Exchange,
  { outcome, reason }: NoAction,
  { store, responses }: Ladder,
): Promise<void> {
  await store.recordRequest({ id: newId(), hook: exchange.name, outcome, reason });
  responses.noAction(exchange, outcome);
}

async function accept(exchange: Exchange, acceptance: Acceptance, ladder: Ladder): Promise<void> {
  const { store, responses, metrics, onStored } = ladder;
  if (!ladder.admission.admits(acceptance.runs.length)) {
    const full = await whenQueueLooksFull(acceptance, ladder);
    if (full !== null && isRefusal(full)) return responses.refuse(exchange, full);
    if (full !== null) return responses.accepted(exchange, acceptance, full);
  }
  const startedAt = performance.now();
  const accepted = await store.accept(acceptance);
  metrics.requestStored((performance.now() - startedAt) / 1000);
  noteAccepted(exchange.span, acceptance);
  responses.accepted(exchange, acceptance, accepted);
  if (accepted.kind === "stored") onStored(acceptance, accepted);
}

/** Replays a repeated request first, then counts again before refusing. Null: it may be stored after all. */
async function whenQueueLooksFull(
  { hook, idempotency, runs }: Acceptance,
  { store, admission }: Ladder,
): Promise<Repeated | Refusal | null> {
  const repeated = idempotency && (await store.findRepeated(hook, idempotency));
  if (repeated) return repeated;
  await admission.recount();
  return admission.admits(runs.length) ? null : queueFull();
}
