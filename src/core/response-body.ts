// Bodies of responses. The other side makes them as long as it likes, so nothing reads one whole without a limit; it
// counts what comes out of `fetch`, behind any compression.

/** More came than is taken. The connection is closed by then. */
export class TooLarge extends Error {
  override name = "TooLarge";
  constructor(what: string, most: number, unit = "bytes") {
    super(`${what} has more than ${most} ${unit}`);
  }
}

export type BodyLimits = {
  mostBytes: number;
  /** Instead, where the body is an event stream. */
  events?: { mostBytes: number; mostEventBytes: number };
};

/** A `fetch` whose bodies fail with TooLarge. */
export const boundedFetch =
  (limits: BodyLimits, request: typeof fetch = fetch): typeof fetch =>
  async (input, init) =>
    bounded(await request(input, init), limits);

export const readText = (response: Response, mostBytes: number): Promise<string> =>
  bounded(response, { mostBytes }).text();

/** `onTooLarge` is for a library that keeps the fault to itself. */
export function bounded(
  response: Response,
  { mostBytes, events }: BodyLimits,
  onTooLarge = (_fault: TooLarge): void => {},
): Response {
  if (response.body === null) return response;
  const isEvents = /^\s*text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  const counts =
    events && isEvents
      ? [bytesUpTo(events.mostBytes), eventsUpTo(events.mostEventBytes)]
      : [bytesUpTo(mostBytes)];
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      try {
        for (const count of counts) count(chunk);
      } catch (fault) {
        if (fault instanceof TooLarge) onTooLarge(fault);
        throw fault;
      }
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counted), response);
}

/** The TooLarge that a library has wrapped in faults of its own. */
export function tooLargeIn(fault: unknown): TooLarge | null {
  for (let at = fault, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    if (at instanceof TooLarge) return at;
  return null;
}

/** Throws a TooLarge. */
type Count = (chunk: Uint8Array) => void;

export function bytesUpTo(mostBytes: number, what = "the response"): Count {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) throw new TooLarge(what, mostBytes);
  };
}

const blankLines = ["\n\n", "\n\r\n", "\r\r"];

/** A parser keeps an event until its blank line comes. */
function eventsUpTo(mostBytes: number): Count {
  let unfinished = 0;
  let before: Uint8Array = new Uint8Array();
  return (chunk) => {
    const seen = Buffer.concat([before, chunk]);
    const end = blankLines.reduce((last, blank) => Math.max(last, seen.lastIndexOf(blank)), -1);
    unfinished = end === -1 ? unfinished + chunk.byteLength : seen.length - end;
    if (unfinished > mostBytes) throw new TooLarge("an event of the response", mostBytes);
    before = seen.subarray(-2);
  };
}
