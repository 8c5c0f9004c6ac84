// Responses that go on: server-sent events. A reader that does not keep up is ended, as are all when the gateway stops.
import type { Clock } from "../../core/clock.ts";
import type { Exchange } from "../../http/exchange.ts";

export type Stream = {
  /** Null data: a comment, which keeps the connection open. */
  send(event: { event?: string; data: unknown } | null): void;
};

export type Streams = {
  /** `begin` gets the stream and returns what ends its source. False: too many are open. */
  open(exchange: Exchange, headers: readonly string[], begin: (stream: Stream) => () => void): void;
  isFull(): boolean;
  /** Ends all of them. */
  stop(): void;
};

const mostStreams = 100;
const mostUnreadBytes = 262_144;
const commentEveryMs = 15_000;

export function createStreams(clock: Pick<Clock, "after">): Streams {
  const open = new Set<() => void>();
  return {
    isFull: () => open.size >= mostStreams,
    open({ request, response }, headers, begin) {
      response.writeHead(200, [
        "Content-Type",
        "text/event-stream; charset=utf-8",
        "X-Accel-Buffering",
        "no",
        ...headers,
      ]);
      response.flushHeaders();
      if (request.method === "HEAD") return void response.end();
      let endSource = (): void => {};
      let cancelTimer = (): void => {};
      const end = (): void => {
        if (!open.delete(end)) return;
        endSource();
        cancelTimer();
        if (response.writableLength > mostUnreadBytes) response.destroy();
        else response.end();
      };
      open.add(end);
      const write = (text: string): void => {
        if (!open.has(end)) return;
        response.write(text);
        if (response.writableLength > mostUnreadBytes) end();
      };
      const commentLater = (): void => {
        cancelTimer = clock.after(commentEveryMs, () => {
          write(": waiting\n\n");
          if (open.has(end)) commentLater();
        });
      };
      response.once("close", end);
      commentLater();
      endSource = begin({ send: (event) => write(event === null ? ": \n\n" : textOf(event)) });
      if (!open.has(end)) endSource();
    },
    stop() {
      for (const end of open) end();
    },
  };
}

const textOf = ({ event, data }: { event?: string; data: unknown }): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
