// The ladder that every hook request climbs, in the order of the contract; the first rung that fails responds. Not one
// byte of the body is read before token and name are good, and a 2xx is sent only after the commit.
import type { Clock } from "../core/clock.ts";
import { type ErrorCode, isRefusal, type Refusal, refuse, stopping } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { type Metrics, noMetrics } from "../core/metrics.ts";
import type { Acceptance, Stored } from "../core/request.ts";
import { carriedTrace, type Trace } from "../core/trace.ts";
import { headRefusal, readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import type { FailureCounter } from "../http/shared-throttle.ts";
import { noResults, type Results } from "../results/results.ts";
import { readIdempotency } from "./acceptance.ts";
import { answerAccepted, answerRepeated } from "./answer-runs.ts";
import { mappedBody } from "./body/decode.ts";
import { requestOf } from "./arrival.ts";
import { findHook, type Hook, type HookRequest, isNamedHook } from "./decide.ts";
import { createKeyQueues } from "./key-queues.ts";
import { createResponses, type Responses } from "./responses.ts";
import { climbToResult, resultRoute } from "./result-ladder.ts";
import { matchRoute } from "./route.ts";
import type { SenderParts } from "./senders/climb.ts";
import { climbAsSender } from "./senders/ladder.ts";
import { noteAccepted, startHookSpan } from "./span.ts";
import { take, type TakeDeps } from "./take.ts";
import { keepRefused } from "./unused.ts";
import { refuseToken } from "./token.ts";

export type LadderOptions = Pick<TakeDeps, "settings" | "store" | "admission" | "unused"> & {
  throttle: FailureCounter;
  clock: Clock;
  log: Log;
  stopping: () => boolean;
  /** Called after each acceptance that is new in the store. */
  onStored: (acceptance: Acceptance, stored: Stored) => void;
  senders: SenderParts;
  /** Without it, nobody waits for a result. */
  results?: Results;
  metrics?: Pick<Metrics, "requestEnded" | "requestStored" | "authFailed" | "proofFailed">;
  trace?: Trace;
};

export type Hooks = {
  handle(exchange: Exchange): void;
};

type Ladder = Required<LadderOptions> &
  TakeDeps & {
    responses: Responses;
    clientAddress: (exchange: Exchange) => string;
  };

const maxDiscardedBytes = 1_048_576;

export function createHooks(options: LadderOptions): Hooks {
  const { settings, results = noResults, metrics = noMetrics, trace = carriedTrace } = options;
  const clientAddress = ({ request: { socket, rawHeaders } }: Exchange): string =>
    settings().clientAddress(socket.remoteAddress, rawHeaders);
  const isNamed = (hook: string): boolean => isNamedHook(hook, settings());
  const responses = createResponses({ ...options, metrics, clientAddress, isNamed });
  const keyQueues = createKeyQueues();
  const ladder: Ladder = { ...options, results, metrics, trace, responses, keyQueues, clientAddress };
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
  const { responses, clientAddress } = ladder;
  const settings = ladder.settings();
  const refuseWith = (code: ErrorCode): void => responses.refuse(exchange, refuse(code));
  exchange.discardBytes = Math.min(settings.body.maxBytes, maxDiscardedBytes);

  const route = settings.enabled ? matchRoute(exchange.target, settings.path) : null;
  if (route === null) return refuseWith("not-found");
  exchange.name = route.name;
  if (route.hasTokenInQuery) return refuseWith("token-in-query");
  const sender = settings.senders.get(route.name);
  if (sender !== undefined) return climbAsSender(exchange, sender, ladder);
  if (request.method !== "POST") {
    const wanted = resultRoute(route.name, settings);
    return wanted === null ? refuseWith("method-not-allowed") : climbToResult(exchange, wanted, ladder);
  }

  const credential = settings.credentials.check(request.rawHeaders);
  if (typeof credential === "string") return refuseToken(exchange, credential, ladder);
  exchange.authenticated = true;
  const hook = credential.opens(route.name) ? findHook(route.name, settings) : undefined;
  const { target } = exchange;
  const { method, rawHeaders, headers } = request;
  const address = clientAddress(exchange);
  const { name, callback } = credential;
  const results = credential.results ?? settings.results.access;
  const arrived = { method, target, rawHeaders, address, credential: name, callback, results };
  const refuseKnown = (refusal: Refusal, body: Buffer | null = null): void => {
    responses.refuse(exchange, refusal);
    const bytes = Number(headers["content-length"] ?? 0);
    keepRefused(requestOf(route.name, { ...arrived, body, bytes }, settings), refusal, ladder);
  };
  if (hook === undefined) return refuseKnown(refuse("unknown-hook"));
  exchange.span = startHookSpan(ladder.trace, exchange);
  if (ladder.stopping()) return responses.refuse(exchange, stopping);

  const taken = hook.read === null ? mappedBody.types : undefined;
  const unreadable = headRefusal(headers, settings.body.maxBytes, taken);
  if (unreadable !== null) return refuseKnown(unreadable);
  const body = await readBody(exchange, settings.body);
  if (body === null) return responses.callerGone(exchange);
  if (isRefusal(body)) return refuseKnown(body);

  const idempotency = readIdempotency(rawHeaders, body);
  if (idempotency !== null && isRefusal(idempotency)) return refuseKnown(idempotency, body);
  const asked = { ...arrived, body, now: ladder.clock.now(), idempotency };
  return respond(exchange, hook, asked, ladder);
}

async function respond(exchange: Exchange, hook: Hook, request: HookRequest, ladder: Ladder): Promise<void> {
  const { responses } = ladder;
  const taken = await take(hook, request, exchange.span, ladder);
  switch (taken.kind) {
    case "repeated":
      return answerRepeated({ exchange, hook, request, ladder }, taken.first);
    case "refused":
      responses.refuse(exchange, taken.refusal);
      return keepRefused(taken.request, taken.refusal, ladder);
    case "nothing":
      return responses.noAction(exchange, taken.nothing.outcome);
    case "accepted":
      noteAccepted(exchange.span, taken.acceptance);
      return answerAccepted({ exchange, hook, request, ladder }, taken);
  }
}
