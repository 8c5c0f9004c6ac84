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
import type { Log } from "../core/log.ts";
import { readBody } from "../http/body.ts";
import type { Exchange } from "../http/exchange.ts";
import { sendJson, sendRefusal } from "../http/respond.ts";
import type { Throttle } from "../http/throttle.ts";
import type { Acceptance, Accepted, Store } from "../store/store.ts";
import { decide, findHook, type Hook } from "./decide.ts";
import { createRefusals } from "./refusals.ts";
import { isUnder, matchRoute } from "./route.ts";
import type { HookSettings } from "./settings.ts";

export type HooksDependencies = {
  settings: () => HookSettings;
  store: Pick<Store, "accept">;
  throttle: Pick<Throttle, "fail">;
  clock: Clock;
  log: Log;
  stopping: () => boolean;
  /** Whether this many more runs may wait. */
  hasRoom: (runs: number) => boolean;
  /** Called after each acceptance that is new in the store. */
  onStored: (acceptance: Acceptance) => void;
};

export type Hooks = {
  handles(target: string): boolean;
  handle(exchange: Exchange): void;
};

const mostDiscardedBytes = 1_048_576;
const retryAfterSeconds = { stopping: 5, storeUnavailable: 1 };
const replayedHeaders = ["Idempotent-Replayed", "true"];

export function createHooks(dependencies: HooksDependencies): Hooks {
  const { store, throttle, log, stopping, hasRoom, onStored } = dependencies;
  const refusals = createRefusals(log, dependencies.clock);

  function answerRefusal(exchange: Exchange, settings: HookSettings, refusal: Refusal): void {
    sendRefusal(exchange, refusal);
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
  }

  /** Rung 4: null when the token is right. */
  function tokenRefusal({ request }: Exchange, settings: HookSettings): Refusal | null {
    const verdict = settings.guard.check(request.rawHeaders);
    if (verdict === "ok") return null;
    if (verdict === "repeated") return refuse("repeated-header");
    const seconds = throttle.fail(settings.clientAddress(request.socket.remoteAddress, request.rawHeaders));
    return seconds === null
      ? refuse("unauthorized")
      : refuse("too-many-failures", { retryAfterSeconds: seconds });
  }

  function answerAccepted(
    exchange: Exchange,
    settings: HookSettings,
    acceptance: Acceptance,
    accepted: Accepted,
  ) {
    if (accepted.kind === "mismatch")
      return answerRefusal(exchange, settings, refuse("idempotency-mismatch"));
    const { status, body } = accepted.kind === "replayed" ? accepted.answer : acceptance.answer;
    sendJson(exchange, status, body, accepted.kind === "replayed" ? replayedHeaders : undefined);
    if (accepted.kind === "stored") onStored(acceptance);
    log.debug("request accepted", {
      hook: acceptance.hook,
      status,
      outcome: accepted.kind,
      durationMs: performance.now() - exchange.startedAt,
    });
  }

  function takeBody(exchange: Exchange, hook: Hook, settings: HookSettings, body: Buffer): void {
    const decision = decide(hook, { rawHeaders: exchange.request.rawHeaders, body }, settings, hasRoom);
    if (isRefusal(decision)) return answerRefusal(exchange, settings, decision);
    store
      .accept(decision)
      .then((accepted) => answerAccepted(exchange, settings, decision, accepted))
      .catch((fault: unknown) => answerFault(exchange, settings, fault));
  }

  function climb(exchange: Exchange, settings: HookSettings): void {
    const { request } = exchange;
    const refuseWith = (code: ErrorCode): void => answerRefusal(exchange, settings, refuse(code));
    const route = settings.enabled ? matchRoute(request.url ?? "", settings.path) : null;
    if (route === null) return refuseWith("not-found");
    if (route.hasTokenInQuery) return refuseWith("token-in-query");
    if (request.method !== "POST") return refuseWith("method-not-allowed");
    const unauthorized = tokenRefusal(exchange, settings);
    if (unauthorized !== null) return answerRefusal(exchange, settings, unauthorized);
    exchange.authenticated = true;
    const hook = findHook(route.name);
    if (hook === undefined) return refuseWith("unknown-hook");
    if (stopping()) {
      const more = { retryAfterSeconds: retryAfterSeconds.stopping };
      return answerRefusal(exchange, settings, refuse("stopping", more));
    }
    readBody(exchange, settings.body, (result) => {
      if (result === null) return;
      try {
        if (isRefusal(result)) answerRefusal(exchange, settings, result);
        else takeBody(exchange, hook, settings, result);
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
