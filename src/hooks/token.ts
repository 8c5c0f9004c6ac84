// A wrong token is refused, and counted by the address that it came from.
import { type Refusal, refuse } from "../core/errors.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Exchange } from "../http/exchange.ts";
import type { FailureCounter } from "../http/shared-throttle.ts";
import type { Responses } from "./responses.ts";

export type TokenDeps = {
  metrics: Pick<Metrics, "authFailed">;
  throttle: Pick<FailureCounter, "fail">;
  clientAddress: (exchange: Exchange) => string;
  responses: Pick<Responses, "refuse">;
};

/** Waits only where failures are counted over all nodes: see `climb`. */
export function refuseToken(
  exchange: Exchange,
  verdict: "wrong" | "repeated",
  deps: TokenDeps,
): void | Promise<void> {
  const { responses } = deps;
  const refusal = tokenRefusal(exchange, verdict, deps);
  return refusal instanceof Promise
    ? refusal.then((late) => responses.refuse(exchange, late))
    : responses.refuse(exchange, refusal);
}

function tokenRefusal(
  exchange: Exchange,
  verdict: "wrong" | "repeated",
  { metrics, throttle, clientAddress }: TokenDeps,
): Refusal | Promise<Refusal> {
  if (verdict === "repeated") return refuse("repeated-header");
  metrics.authFailed();
  const retryAfter = throttle.fail(clientAddress(exchange));
  return retryAfter instanceof Promise ? retryAfter.then(wrongToken) : wrongToken(retryAfter);
}

const wrongToken = (retryAfterSeconds: number | null): Refusal =>
  retryAfterSeconds === null ? refuse("unauthorized") : refuse("too-many-failures", { retryAfterSeconds });
