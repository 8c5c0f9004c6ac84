// Spans for OpenTelemetry. Only its API is used, and only when an SDK has registered itself in this process (with
// `node --import`, before anything of ours): otherwise nothing of it is loaded, and traces are only passed on.
import type { Context, Span as ApiSpan, SpanKind as ApiKind } from "@opentelemetry/api";
import {
  carriedTrace,
  partsOf,
  type Span,
  type SpanKind,
  type SpanStart,
  type Trace,
} from "../core/trace.ts";

type Api = typeof import("@opentelemetry/api");

/** Where the API keeps what an SDK has registered. */
const registered = Symbol.for("opentelemetry.js.api.1");

export async function openTrace(): Promise<Trace> {
  return registered in globalThis ? createTrace(await import("@opentelemetry/api")) : carriedTrace;
}

function createTrace(api: Api): Trace {
  const tracer = api.trace.getTracer("rouse");
  return {
    start(name, { kind, parent, attributes, startedAt }: SpanStart) {
      // Another instrumentation has started a span for this request already: ours becomes its child.
      const active = kind === "server" && api.trace.getActiveSpan() !== undefined;
      const before = active ? api.context.active() : contextOf(api, parent);
      const options = {
        kind: kindOf(api, active ? "internal" : kind),
        ...(attributes && { attributes }),
        ...(startedAt !== undefined && { startTime: startedAt }),
      };
      return spanOver(api, tracer.startSpan(name, options, before), before, parent);
    },
  };
}

function spanOver(api: Api, span: ApiSpan, before: Context, parent: string | null): Span {
  const within = api.trace.setSpan(before, span);
  return {
    context: textOf(api, span) ?? parent,
    during: (work) => api.context.with(within, work),
    set: (attributes) => void span.setAttributes(attributes),
    end(fault) {
      if (fault != null) span.setAttribute("error.type", fault).setStatus({ code: api.SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** Never the active context: a loop that claims work was last woken by an unrelated request. */
function contextOf(api: Api, parent: string | null): Context {
  if (parent === null) return api.ROOT_CONTEXT;
  const [traceparent, state] = partsOf(parent);
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-");
  return api.trace.setSpanContext(api.ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state !== "" && { traceState: api.createTraceState(state) }),
  });
}

function textOf(api: Api, span: ApiSpan): string | null {
  const context = span.spanContext();
  if (!api.isSpanContextValid(context)) return null;
  const flags = context.traceFlags.toString(16).padStart(2, "0");
  const state = context.traceState?.serialize() ?? "";
  return `00-${context.traceId}-${context.spanId}-${flags}${state === "" ? "" : ` ${state}`}`;
}

const kindOf = ({ SpanKind: kinds }: Api, kind: SpanKind): ApiKind =>
  ({
    server: kinds.SERVER,
    consumer: kinds.CONSUMER,
    producer: kinds.PRODUCER,
    client: kinds.CLIENT,
    internal: kinds.INTERNAL,
  })[kind];
