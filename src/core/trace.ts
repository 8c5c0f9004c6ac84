// The trace port, and W3C Trace Context. A stored run, a delivery or another service gets the context of its parent span
// as one text: the `traceparent`, then a blank and the `tracestate` if there is one.

export type SpanKind = "server" | "consumer" | "producer" | "client" | "internal";
/** Ids, names and outcomes. Payload text, headers, tokens and recipients must not appear. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanStart = {
  kind: SpanKind;
  /** A span's `context`; null begins a trace. */
  parent: string | null;
  attributes?: SpanAttributes;
  /** Milliseconds since the epoch, if the span started before this call. */
  startedAt?: number;
};

export type Span = {
  /** The parent of its children; null when there is no trace. */
  readonly context: string | null;
  /** Does the work inside the span, so that spans of libraries become its children. */
  during<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  /** With a fault (a short code, never a message) it ends in error. */
  end(fault?: string | null): void;
};

export type Trace = { start(name: string, start: SpanStart): Span };

const emptySpan = (context: string | null): Span => ({
  context,
  during: (work) => work(),
  set() {},
  end() {},
});

export const noSpan: Span = emptySpan(null);

/** Records nothing, and passes on the parent's context. */
export const carriedTrace: Trace = {
  start: (_name, { parent }) => (parent === null ? noSpan : emptySpan(parent)),
};

const traceparentShape = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
const longestTracestate = 512;
const visible = /^[\x20-\x7e]+$/;

/**
 * The context in two headers, or null. Of a later version only the known fields are read, as the standard asks; a
 * `tracestate` that is too long or unreadable is dropped.
 */
export function readTraceHeaders(
  traceparent: string | undefined,
  tracestate: string | undefined,
): string | null {
  const written = traceparent?.trim() ?? "";
  if (!traceparentShape.test(written)) return null;
  const [version = "", traceId = "", spanId = "", flags = ""] = written.split("-");
  if (version === "ff" || (version === "00" && written.length !== 55)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  const state = tracestate?.trim() ?? "";
  const isGood = state.length <= longestTracestate && visible.test(state);
  return `00-${traceId}-${spanId}-${flags}${isGood ? ` ${state}` : ""}`;
}

/** The headers for a request to another service. */
export function traceHeaders(context: string | null): Record<string, string> {
  if (context === null) return {};
  const [traceparent, tracestate] = partsOf(context);
  return { traceparent, ...(tracestate !== "" && { tracestate }) };
}

export function partsOf(context: string): [traceparent: string, tracestate: string] {
  const gap = context.indexOf(" ");
  return gap === -1 ? [context, ""] : [context.slice(0, gap), context.slice(gap + 1)];
}
