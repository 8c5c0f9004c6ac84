// The only place that writes the errors of the admin API: the fields that every error of Rouse has, and those of
// RFC 9457.
import { catalogue, type ErrorCode, type Refusal } from "../../core/errors.ts";
import type { Exchange } from "../../http/exchange.ts";
import { refusalBody, refusalHeaders, sendAnswer } from "../../http/respond.ts";

export const problemType = "application/problem+json";

/** Where the documentation explains an error, as a path in the repository. */
export const typeOf = (code: ErrorCode): string => `/docs/errors.md#${code}`;

export function problemBody(refusal: Refusal) {
  const { status, text } = catalogue[refusal.refused];
  const detail = refusal.detail ?? text;
  const type = typeOf(refusal.refused);
  return { ...refusalBody(refusal), error: detail, type, title: text, status, detail };
}

export function sendProblem(exchange: Exchange, refusal: Refusal, headers: readonly string[]): void {
  const { status } = catalogue[refusal.refused];
  sendAnswer(exchange, status, {
    type: problemType,
    text: JSON.stringify(problemBody(refusal)),
    headers: [...(refusalHeaders(status, refusal) ?? []), ...(refusal.headers ?? []), ...headers],
  });
}

/** One that was kept under an Idempotency-Key. */
export function sendStoredProblem(
  exchange: Exchange,
  { status, body }: { status: number; body: unknown },
  headers: readonly string[],
): void {
  sendAnswer(exchange, status, { type: problemType, text: JSON.stringify(body), headers });
}
