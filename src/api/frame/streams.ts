// Streams of events that go on until their caller or the gateway ends them.
import type { Clock } from "../../core/clock.ts";
import { type EventStream, openEventStream } from "../../http/event-stream.ts";
import type { Exchange } from "../../http/exchange.ts";

export type Streams = {
  /** `begin` gets the stream and returns what ends its source. */
  open(exchange: Exchange, headers: readonly string[], begin: (stream: EventStream) => () => void): void;
  isFull(): boolean;
  stop(): void;
};

const mostStreams = 100;

export function createStreams(clock: Pick<Clock, "after" | "monotonic">): Streams {
  const open = new Set<EventStream>();
  return {
    isFull: () => open.size >= mostStreams,
    open(exchange, headers, begin) {
      let endSource = (): void => {};
      const stream = openEventStream(exchange, {
        clock,
        headers,
        onClose() {
          open.delete(stream);
          endSource();
        },
      });
      open.add(stream);
      endSource = begin(stream);
    },
    stop() {
      for (const stream of open) stream.end();
    },
  };
}
