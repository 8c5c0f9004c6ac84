// The trace port, and W3C Trace Context. What goes on elsewhere (a stored run, a delivery, another service) is told
// where its trace goes on by one text: the `traceparent`, then a blank and the `tracestate` where there is one.

export type SpanKind = "server" | "consumer" | "producer" | "client" | "internal";
/** Ids, names and outcomes. Payload text, headers, tokens and recipients have no place here. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export type SpanStart = {
  kind: SpanKind;
  /** A span's `context`; null begins a trace. */
  parent: string | null;
  attributes?: SpanAttributes;
  /** Milliseconds since the epoch, where it began before this call. */
  startedAt?: number;
};

export type Span = {
  /** What its children are told; null when there is no trace. */
  readonly context: string | null;
  /** Does this work as part of the span, so that what libraries record in it belongs there. */
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

/** Records nothing, and passes on what came. */
export const carriedTrace: Trace = {
  start: (_name, { parent }) => (parent === null ? noSpan : emptySpan(parent)),
};

const traceparentShape = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?$/;
const longestTracestate = 512;
const visible = /^[\x20-\x7e]+$/;

/**
 * What two headers say, null when they say nothing usable. A version from the future is read as far as ours goes, as
 * the standard asks; a `tracestate` that cannot be passed on whole is left out.
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

/** The headers that tell another service. */
export function traceHeaders(context: string | null): Record<string, string> {
  if (context === null) return {};
  const [traceparent, tracestate] = partsOf(context);
  return { traceparent, ...(tracestate !== "" && { tracestate }) };
}

export function partsOf(context: string): [traceparent: string, tracestate: string] {
  const gap = context.indexOf(" ");
  return gap === -1 ? [context, ""] : [context.slice(0, gap), context.slice(gap + 1)];
}
