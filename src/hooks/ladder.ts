// The ladder every hook request climbs, rung by rung in the order of the contract; the first rung that fails
// answers. Not one byte of the body is read before the token and the name are good, and nothing is answered with
// a 2xx before it is stored.
import type { Clock } from "../core/clock.ts";
import {
  type ErrorCode,
  faultKind,
  isRefusal,
  type Refusal,
  refuse,
  StoreUnavailable,
} from "../core/errors.ts";
import { newId } from "../core/id.ts";
import type { Log } from "../core/log.ts";
import { type Metrics, noMetrics, type RequestCode } from "../core/metrics.ts";
import { carriedTrace, type Trace } from "../core/trace.ts";
import { readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { sendEmpty, sendJson, sendRefusal } from "../http/respond.ts";
import type { FailureCounter } from "../http/shared-throttle.ts";
import type { Acceptance, Accepted, Stored, Decision, NoAction } from "../core/request.ts";
import type { Store } from "../store/ports/store.ts";
import { decide, findHook, type Full, type Hook, queueFull, type QueueRoom } from "./decide.ts";
import { withTrace } from "./acceptance.ts";
import { createRefusals } from "./refusals.ts";
import { isUnder, matchRoute } from "./route.ts";
import type { HookSettings } from "./settings.ts";
import { endHookSpan, noteAccepted, startHookSpan } from "./span.ts";

export type HooksDependencies = {
  settings: () => HookSettings;
  store: Pick<Store, "accept" | "findRepeated" | "recordRequest">;
  throttle: FailureCounter;
  clock: Clock;
  log: Log;
  stopping: () => boolean;
  room: QueueRoom;
  /** Called after each acceptance that is new in the store. */
  onStored: (acceptance: Acceptance, accepted: Stored) => void;
  metrics?: Pick<Metrics, "requestAnswered" | "requestStored" | "authFailed">;
  trace?: Trace;
};

export type Hooks = {
  handles(target: string): boolean;
  handle(exchange: Exchange): void;
};

const mostDiscardedBytes = 1_048_576;
const retryAfterSeconds = { stopping: 5, storeUnavailable: 1 };
const replayedHeaders = ["Idempotent-Replayed", "true"];

export function createHooks(dependencies: HooksDependencies): Hooks {
  const { store, throttle, clock, log, stopping, room, onStored } = dependencies;
  const { metrics = noMetrics, trace = carriedTrace } = dependencies;
  const refusals = createRefusals(log, clock);

  function answered(exchange: Exchange, code: RequestCode): void {
    metrics.requestAnswered(exchange.name, code, (performance.now() - exchange.startedAt) / 1000);
    endHookSpan(exchange.span, code, exchange.response.statusCode);
  }

  function answerRefusal(exchange: Exchange, settings: HookSettings, refusal: Refusal): void {
    sendRefusal(exchange, refusal);
    answered(exchange, refusal.refused);
    const { socket, rawHeaders } = exchange.request;
    refusals.note(settings.clientAddress(socket.remoteAddress, rawHeaders), refusal.refused);
  }

  function answerFault(exchange: Exchange, settings: HookSettings, fault: unknown): void {
    if (fault instanceof StoreUnavailable) {
      const more = { retryAfterSeconds: retryAfterSeconds.storeUnavailable };
      return answerRefusal(exchange, settings, refuse("store-unavailable", more));
    }
    log.error("a hook request could not be handled", { kind: faultKind(fault) });
    sendRefusal(exchange, refuse("internal-error"));
    answered(exchange, "internal-error");
  }

  /** Rung 4: null when the token is right. Only a wrong one may have to wait for the count of all nodes. */
  function tokenRefusal({ request }: Exchange, settings: HookSettings): Refusal | null | Promise<Refusal> {
    const verdict = settings.guard.check(request.rawHeaders);
    if (verdict === "ok") return null;
    if (verdict === "repeated") return refuse("repeated-header");
    metrics.authFailed();
    const waits = throttle.fail(settings.clientAddress(request.socket.remoteAddress, request.rawHeaders));
    return waits instanceof Promise ? waits.then(wrongToken) : wrongToken(waits);
  }

  function answerAccepted(
    exchange: Exchange,
    settings: HookSettings,
    acceptance: Acceptance,
    accepted: Accepted,
  ) {
    if (accepted.kind === "mismatch")
      return answerRefusal(exchange, settings, refuse("idempotency-mismatch"));
    const { status, body } = accepted.kind === "replayed" ? accepted.response : acceptance.response;
    sendJson(exchange, status, body, accepted.kind === "replayed" ? replayedHeaders : undefined);
    answered(exchange, accepted.kind === "replayed" ? "replayed" : "accepted");
    if (accepted.kind === "stored") onStored(acceptance, accepted);
    log.debug("request accepted", {
      hook: acceptance.hook,
      status,
      outcome: accepted.kind,
      durationMs: performance.now() - exchange.startedAt,
    });
  }

  /** The record comes first: the operator can always see why nothing happened. */
  async function answerNothing(exchange: Exchange, settings: HookSettings, hook: Hook, nothing: NoAction) {
    const { outcome, reason } = nothing;
    await store.recordRequest({ id: newId(), hook: hook.name, outcome, reason });
    if (outcome === "skipped") {
      sendEmpty(exchange, 204);
      answered(exchange, "skipped");
    } else answerRefusal(exchange, settings, refuse("mapping-failed"));
    log.debug("request led to nothing", { hook: hook.name, outcome });
  }

  async function answerFull(exchange: Exchange, settings: HookSettings, acceptance: Acceptance) {
    const { hook, idempotency, runs } = acceptance;
    const repeated = idempotency && (await store.findRepeated(hook, idempotency));
    if (repeated) return answerAccepted(exchange, settings, acceptance, repeated);
    if (await room.find(runs.length)) return accept(exchange, settings, acceptance);
    answerRefusal(exchange, settings, queueFull());
  }

  async function accept(exchange: Exchange, settings: HookSettings, decided: Acceptance): Promise<void> {
    const acceptance = withTrace(decided, exchange.span.context);
    const startedAt = performance.now();
    const accepted = await store.accept(acceptance);
    noteAccepted(exchange.span, acceptance);
    metrics.requestStored((performance.now() - startedAt) / 1000);
    answerAccepted(exchange, settings, acceptance, accepted);
  }

  function answerDecision(
    exchange: Exchange,
    settings: HookSettings,
    hook: Hook,
    decision: Decision | Full,
  ): Promise<void> | void {
    if (isRefusal(decision)) return answerRefusal(exchange, settings, decision);
    if ("outcome" in decision) return answerNothing(exchange, settings, hook, decision);
    return "full" in decision
      ? answerFull(exchange, settings, decision.full)
      : accept(exchange, settings, decision);
  }

  function takeBody(exchange: Exchange, hook: Hook, settings: HookSettings, body: Buffer): void {
    const { rawHeaders, url = "" } = exchange.request;
    const request = { rawHeaders, target: url, body, now: clock.now() };
    const decision = decide(hook, request, settings, room);
    const answered =
      decision instanceof Promise
        ? decision.then((made) => answerDecision(exchange, settings, hook, made))
        : answerDecision(exchange, settings, hook, decision);
    answered?.catch((fault: unknown) => answerFault(exchange, settings, fault));
  }

  function climb(exchange: Exchange, settings: HookSettings): void {
    const { request } = exchange;
    const refuseWith = (code: ErrorCode): void => answerRefusal(exchange, settings, refuse(code));
    const route = settings.enabled ? matchRoute(request.url ?? "", settings.path) : null;
    if (route === null) return refuseWith("not-found");
    exchange.name = route.name;
    if (route.hasTokenInQuery) return refuseWith("token-in-query");
    if (request.method !== "POST") return refuseWith("method-not-allowed");
    const unauthorized = tokenRefusal(exchange, settings);
    if (unauthorized instanceof Promise) {
      unauthorized
        .then((refusal) => answerRefusal(exchange, settings, refusal))
        .catch((fault: unknown) => answerFault(exchange, settings, fault));
      return;
    }
    if (unauthorized !== null) return answerRefusal(exchange, settings, unauthorized);
    exchange.authenticated = true;
    const hook = findHook(route.name, settings);
    if (hook === undefined) return refuseWith("unknown-hook");
    exchange.span = startHookSpan(trace, exchange);
    if (stopping()) {
      const more = { retryAfterSeconds: retryAfterSeconds.stopping };
      return answerRefusal(exchange, settings, refuse("stopping", more));
    }
    readBody(exchange, settings.body, (result) => {
      if (result === null) return exchange.span.end("caller-gone");
      try {
        if (isRefusal(result)) answerRefusal(exchange, settings, result);
        else takeBody(exchange, hook, dependencies.settings(), result);
      } catch (fault) {
        answerFault(exchange, settings, fault);
      }
    });
  }

  return {
    handles(target) {
      const { enabled, path } = dependencies.settings();
      return enabled && isUnder(target, path);
    },
    handle(exchange) {
      const settings = dependencies.settings();
      exchange.discardBytes = Math.min(settings.body.maxBytes, mostDiscardedBytes);
      try {
        climb(exchange, settings);
      } catch (fault) {
        answerFault(exchange, settings, fault);
      }
    },
  };
}

const wrongToken = (seconds: number | null): Refusal =>
  seconds === null ? refuse("unauthorized") : refuse("too-many-failures", { retryAfterSeconds: seconds });
