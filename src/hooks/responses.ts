// The only place that ends a hook request: the response's bytes, its metric, its span and its log line.
import type { Clock } from "../core/clock.ts";
import { faultKind, type Refusal, refuse, StoreUnavailable } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Metrics, RequestCode } from "../core/metrics.ts";
import type { NoAction, Repeated, StoredResponse } from "../core/request.ts";
import type { Exchange } from "../http/exchange.ts";
import { sendAnswer, sendEmpty, sendJson, sendRefusal } from "../http/respond.ts";
import { createRefusalLog } from "./refusal-log.ts";
import type { Answer } from "./senders/handshake.ts";
import { endHookSpan } from "./span.ts";

export type Responses = {
  refuse(exchange: Exchange, refusal: Refusal): void;
  accepted(exchange: Exchange, response: StoredResponse): void;
  /** A request with its Idempotency-Key was stored before. */
  repeated(exchange: Exchange, repeated: Repeated): void;
  noAction(exchange: Exchange, outcome: NoAction["outcome"]): void;
  /** A sender hears what it wants to hear; `code` says what came of it. */
  answer(exchange: Exchange, answer: Answer, code: RequestCode): void;
  fail(exchange: Exchange, fault: unknown): void;
  /** The caller closed the connection before its body was complete, so no response is sent. */
  callerGone(exchange: Exchange): void;
};

export type ResponsesOptions = {
  metrics: Pick<Metrics, "requestEnded">;
  log: Log;
  clock: Clock;
  clientAddress: (exchange: Exchange) => string;
  /** Whether the configuration names this hook; any other name comes from outside. */
  isNamed: (hook: string) => boolean;
};

const replayedHeaders = ["Idempotent-Replayed", "true"];
const storeUnavailable = refuse("store-unavailable", { retryAfterSeconds: 1 });

export function createResponses(options: ResponsesOptions): Responses {
  const { metrics, log, clock, clientAddress, isNamed } = options;
  const refusals = createRefusalLog(log, clock);

  const end = (exchange: Exchange, code: RequestCode): void => {
    metrics.requestEnded(exchange.name, code, (performance.now() - exchange.startedAt) / 1000);
    endHookSpan(exchange.span, code, exchange.response.statusCode);
  };
  const refuseWith = (exchange: Exchange, refusal: Refusal): void => {
    sendRefusal(exchange, refusal);
    end(exchange, refusal.refused);
    const [first] = refusal.details ?? [];
    refusals.note({
      address: clientAddress(exchange),
      code: refusal.refused,
      ...(isNamed(exchange.name) && { hook: exchange.name }),
      ...(first && { field: first.path || "payload" }),
    });
  };

  const succeed = (
    exchange: Exchange,
    { status, body }: StoredResponse,
    code: "accepted" | "replayed",
  ): void => {
    const headers = code === "replayed" ? replayedHeaders : undefined;
    if (status === 204) sendEmpty(exchange, status, headers);
    else sendJson(exchange, status, body, headers);
    end(exchange, code);
    log.debug("request accepted", {
      hook: exchange.name,
      status,
      outcome: code === "accepted" ? "stored" : code,
      durationMs: performance.now() - exchange.startedAt,
    });
  };

  return {
    refuse: refuseWith,
    accepted(exchange, response) {
      succeed(exchange, response, "accepted");
    },
    repeated(exchange, repeated) {
      if (repeated.kind === "mismatch") return refuseWith(exchange, refuse("idempotency-mismatch"));
      succeed(exchange, repeated.response, "replayed");
    },
    noAction(exchange, outcome) {
      if (outcome === "skipped") {
        sendEmpty(exchange, 204);
        end(exchange, "skipped");
      } else refuseWith(exchange, refuse("mapping-failed"));
      log.debug("request led to nothing", { hook: exchange.name, outcome });
    },
    answer(exchange, { status, type, headers = {}, body }, code) {
      sendAnswer(exchange, status, {
        ...(type !== undefined && { type }),
        ...(body !== undefined && { text: body }),
        headers: Object.entries(headers).flat(),
      });
      end(exchange, code);
      log.debug("sender answered", { hook: exchange.name, status, outcome: code });
    },
    fail(exchange, fault) {
      if (fault instanceof StoreUnavailable) return refuseWith(exchange, storeUnavailable);
      log.error("a hook request could not be handled", {
        kind: faultKind(fault),
        ...(isNamed(exchange.name) && { hook: exchange.name }),
      });
      sendRefusal(exchange, refuse("internal-error"));
      end(exchange, "internal-error");
    },
    callerGone: ({ span }) => span.end("caller-gone"),
  };
}
