// The only place that ends a hook request: the response's bytes, its metric, its span and its log line.
import type { Clock } from "../core/clock.ts";
import { faultKind, type Refusal, refuse, StoreUnavailable } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Metrics, RequestCode } from "../core/metrics.ts";
import type { NoAction, Repeated, StoredResponse } from "../core/request.ts";
import type { Exchange } from "../http/exchange.ts";
import { sendAnswer, sendEmpty, sendJson, sendRefusal } from "../http/respond.ts";
import { createRefusalLog } from "./refusal-log.ts";
import type { ResultAnswer } from "../results/answers.ts";
import type { Answer } from "./senders/handshake.ts";
import { endHookSpan } from "./span.ts";

export type Responses = {
  refuse(exchange: Exchange, refusal: Refusal): void;
  /** `headers`: names and values in turn. */
  accepted(exchange: Exchange, response: StoredResponse, headers?: readonly string[]): void;
  /** A request with its Idempotency-Key was stored before. */
  repeated(exchange: Exchange, repeated: Repeated, headers?: readonly string[]): void;
  /** What is due is done, and counts from now on; its response comes later, by `result` or as a stream. */
  later(exchange: Exchange, code: LaterCode): void;
  /** The headers of such a response. */
  headersOf(code: LaterCode): readonly string[];
  result(exchange: Exchange, answer: ResultAnswer): void;
  /** A stream has ended. */
  streamed(exchange: Exchange): void;
  /** A result was asked for. */
  read(exchange: Exchange, answer: ResultAnswer): void;
  noAction(exchange: Exchange, outcome: NoAction["outcome"]): void;
  /** A sender hears what it wants to hear; `code` says what came of it. */
  answer(exchange: Exchange, answer: Answer, code: RequestCode): void;
  fail(exchange: Exchange, fault: unknown): void;
  /** The caller closed the connection before its body was complete, so no response is sent. */
  callerGone(exchange: Exchange): void;
};

export type LaterCode = "accepted" | "replayed" | "read";

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

  const count = (exchange: Exchange, code: RequestCode): void =>
    metrics.requestEnded(exchange.name, code, (performance.now() - exchange.startedAt) / 1000);
  const end = (exchange: Exchange, code: RequestCode): void => {
    count(exchange, code);
    endHookSpan(exchange.span, code, exchange.response.statusCode);
  };
  const sendResult = (exchange: Exchange, { status, body, headers }: ResultAnswer): void => {
    if (body === null) sendEmpty(exchange, status, headers);
    else sendJson(exchange, status, body, headers);
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
    more?: readonly string[],
  ): void => {
    const headers = code === "replayed" ? [...replayedHeaders, ...(more ?? [])] : more;
    if (status === 204) sendEmpty(exchange, status, headers);
    else sendJson(exchange, status, body, headers);
    end(exchange, code);
    logAccepted(exchange, status, code);
  };
  const logAccepted = (exchange: Exchange, status: number, code: "accepted" | "replayed"): void =>
    log.debug("request accepted", {
      hook: exchange.name,
      status,
      outcome: code === "accepted" ? "stored" : code,
      durationMs: performance.now() - exchange.startedAt,
    });

  return {
    refuse: refuseWith,
    accepted(exchange, response, headers) {
      succeed(exchange, response, "accepted", headers);
    },
    repeated(exchange, repeated, headers) {
      if (repeated.kind === "mismatch") return refuseWith(exchange, refuse("idempotency-mismatch"));
      succeed(exchange, repeated.response, "replayed", headers);
    },
    later(exchange, code) {
      count(exchange, code);
      if (code !== "read") logAccepted(exchange, 202, code);
    },
    headersOf: (code) => (code === "replayed" ? replayedHeaders : []),
    result(exchange, answer) {
      sendResult(exchange, answer);
      endHookSpan(exchange.span, "accepted", answer.status);
    },
    streamed: ({ span, response }) => endHookSpan(span, "accepted", response.statusCode),
    read(exchange, answer) {
      sendResult(exchange, answer);
      end(exchange, "read");
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
