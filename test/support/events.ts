// Reads a stream of events as a client does.
import { createParser, type EventSourceMessage } from "eventsource-parser";

export type StreamedEvent = { event: string; id: string | undefined; data: Record<string, unknown> };

export type EventReader = {
  status: number;
  headers: Headers;
  comments: string[];
  /** Null once the stream has ended. */
  next(): Promise<StreamedEvent | null>;
  /** All that come until the stream ends. */
  rest(): Promise<StreamedEvent[]>;
  close(): void;
};

export async function readEvents(url: string, init: RequestInit = {}): Promise<EventReader> {
  const leaving = new AbortController();
  const response = await fetch(url, { ...init, signal: leaving.signal });
  const events: StreamedEvent[] = [];
  const comments: string[] = [];
  const parser = createParser({
    onEvent: ({ event = "", id, data }: EventSourceMessage) =>
      void events.push({ event, id, data: JSON.parse(data) as Record<string, unknown> }),
    onComment: (comment) => void comments.push(comment),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (): Promise<StreamedEvent | null> => {
    for (;;) {
      const event = events.shift();
      if (event !== undefined) return event;
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) return null;
      parser.feed(value ?? "");
    }
  };
  return {
    status: response.status,
    headers: response.headers,
    comments,
    next,
    async rest() {
      const all: StreamedEvent[] = [];
      for (let event = await next(); event !== null; event = await next()) all.push(event);
      return all;
    },
    close: () => leaving.abort(),
  };
}
