// The span of a hook request. It starts once the token is checked, so that only callers with a token can add to our
// traces or, by a `traceparent`, to those of others.
import { catalogue, isRefusal } from "../core/errors.ts";
import type { RequestCode } from "../core/metrics.ts";
import { carriedTrace, noSpan, readTraceHeaders, type Span, type Trace } from "../core/trace.ts";
import type { Exchange } from "../http/exchange.ts";
import { listHeader, singleHeader } from "../http/headers.ts";
import type { Acceptance } from "../core/request.ts";
import { withTrace } from "./acceptance.ts";
import type { Decided, Decision } from "../core/request.ts";

export function startHookSpan(trace: Trace, { request, name, startedAt }: Exchange): Span {
  const { rawHeaders } = request;
  const traceparent = singleHeader(rawHeaders, "traceparent");
  const parent =
    typeof traceparent === "string"
      ? readTraceHeaders(traceparent, listHeader(rawHeaders, "tracestate"))
      : null;
  if (parent === null && trace === carriedTrace) return noSpan;
  return trace.start(`hook ${name}`, {
    kind: "server",
    parent,
    attributes: { "http.request.method": request.method ?? "POST", "rouse.hook": name },
    startedAt: performance.timeOrigin + startedAt,
  });
}

export function noteAccepted(span: Span, { runs, events }: Pick<Acceptance, "runs" | "events">): void {
  if (span === noSpan) return;
  const [run] = runs;
  const [event] = events;
  span.set({
    "rouse.runs": runs.length,
    "rouse.events": events.length,
    ...(run && { "rouse.run.id": run.id, "rouse.agent": run.agentId }),
    ...(event && { "rouse.event.id": event.id }),
  });
}

/** Only 5xx is an error of the span: a refused request is no fault of ours. */
export function endHookSpan(span: Span, code: RequestCode, status: number): void {
  if (span === noSpan) return;
  span.set({ "http.response.status_code": status });
  endWith(span, code);
}

function endWith(span: Span, code: RequestCode): void {
  span.set({ "rouse.code": code });
  const isFault = code in catalogue && catalogue[code as keyof typeof catalogue].status >= 500;
  span.end(isFault ? code : null);
}

/** Fetched mail carries no trace: a new one starts with its decision. */
export async function inFetchedSpan(
  trace: Trace,
  hook: string,
  decide: () => Promise<Decided>,
): Promise<Decided> {
  const span = trace.start(`hook ${hook}`, {
    kind: "consumer",
    parent: null,
    attributes: { "rouse.hook": hook },
  });
  try {
    const decided = await span.during(decide);
    const { decision } = decided;
    if ("runs" in decision) noteAccepted(span, decision);
    endWith(span, codeOf(decision));
    return "runs" in decision ? { ...decided, decision: withTrace(decision, span.context) } : decided;
  } catch (fault) {
    endWith(span, "internal-error");
    throw fault;
  }
}

function codeOf(decision: Decision): RequestCode {
  if (isRefusal(decision)) return decision.refused;
  if ("runs" in decision) return "accepted";
  return decision.outcome === "skipped" ? "skipped" : "mapping-failed";
}
