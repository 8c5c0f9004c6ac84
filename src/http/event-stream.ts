// A response that is a stream of events (`text/event-stream`). A reader that is too slow gets what is due in larger
// pieces, and if even those become too many, its stream is ended: it can connect again.
import type { Clock } from "../core/clock.ts";
import type { Exchange } from "./exchange.ts";
import { onHangUp } from "./hang-up.ts";

export type ServerEvent = { event: string; data: unknown; id?: number };

export type EventStream = {
  send(event: ServerEvent): void;
  /** The last event, if any, and the end. */
  end(last?: ServerEvent): void;
};

export type EventStreamOptions = {
  clock: Pick<Clock, "after" | "monotonic">;
  /** Names and values in turn. */
  headers?: readonly string[];
  /** Called once, when nothing more can be sent, for whatever reason. */
  onClose: () => void;
};

/** After how long a client connects again. */
const retryMs = 2000;
/** Proxies close what is silent for longer. */
const commentEveryMs = 15_000;
/** How much may wait behind what the connection has not taken yet. */
const mostPending = 1_048_576;
/** How long a connection may take nothing at all. */
const longestStallMs = 60_000;

const streamHeaders = (headers: readonly string[] = []): string[] => [
  "Content-Type",
  "text/event-stream",
  "Cache-Control",
  "no-store",
  "X-Accel-Buffering",
  "no",
  ...headers,
];

/** As a response to HEAD. */
export function sendStreamHead({ response, mustClose }: Exchange): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(200, [...streamHeaders(), ...(mustClose ? ["Connection", "close"] : [])]);
  response.end();
}

export function openEventStream(exchange: Exchange, options: EventStreamOptions): EventStream {
  const { clock, headers, onClose } = options;
  const { request, response, mustClose } = exchange;
  let pending = "";
  let stalledSince: number | null = null;
  let isEnded = false;
  let isClosed = false;
  let cancelTimer = (): void => {};

  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    cancelTimer();
    stopHearing();
    onClose();
  };
  const write = (text: string): void => {
    if (isEnded || isClosed || response.destroyed) return;
    if (stalledSince === null) stalledSince = response.write(text) ? null : clock.monotonic();
    else if ((pending += text).length > mostPending) response.destroy();
  };
  const finish = (text: string): void => {
    if (isEnded || response.destroyed) return;
    isEnded = true;
    stalledSince ??= clock.monotonic();
    response.end(pending + text);
    pending = "";
  };
  const beat = (): void => {
    if (stalledSince !== null && clock.monotonic() - stalledSince >= longestStallMs) response.destroy();
    else write(":\n\n");
    if (!isClosed) cancelTimer = clock.after(commentEveryMs, beat);
  };

  response.on("drain", () => {
    stalledSince = null;
    const text = pending;
    pending = "";
    if (text !== "") write(text);
  });
  response.on("close", close);
  const stopHearing = onHangUp(exchange, () => finish(""));
  if (response.destroyed) {
    setImmediate(close);
    return { send() {}, end() {} };
  }
  request.resume();
  response.writeHead(200, [...streamHeaders(headers), ...(mustClose ? ["Connection", "close"] : [])]);
  write(`retry: ${retryMs}\n\n`);
  cancelTimer = clock.after(commentEveryMs, beat);
  return {
    send: (event) => write(textOf(event)),
    end: (last) => finish(last === undefined ? "" : textOf(last)),
  };
}

/** JSON has no line breaks outside of its strings, and inside they are escaped. */
const textOf = ({ event, data, id }: ServerEvent): string =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
