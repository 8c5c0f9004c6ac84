// Server-sent events out of a response body. The parser follows the HTML standard; where that drops an event that the
// end of the stream cut short of its empty line, this keeps it: a service that closed the stream in order meant it.
import { createParser } from "eventsource-parser";

export type ServerEvent = { name: string; data: string };

export class EventTooLong extends Error {}

export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  longestEvent: number,
): AsyncGenerator<ServerEvent> {
  let events: ServerEvent[] = [];
  let isTooLong = false;
  const parser = createParser({
    maxBufferSize: longestEvent,
    onEvent({ event, data }) {
      // An event that came in one chunk has never been in the parser's buffer.
      if (data.length > longestEvent) isTooLong = true;
      if (!isTooLong) events.push({ name: event ?? "message", data });
    },
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") isTooLong = true;
    },
  });
  let lineLength = 0;
  function* feed(text: string): Generator<ServerEvent> {
    parser.feed(text);
    // The parser holds back only what may become data, and skips any other line, however long it is.
    const lastBreak = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
    lineLength = text.length - lastBreak - 1 + (lastBreak === -1 ? lineLength : 0);
    if (lineLength > longestEvent) isTooLong = true;
    const complete = events;
    events = [];
    yield* complete;
    if (isTooLong) throw new EventTooLong();
  }

  // The byte order mark is the parser's to remove.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for await (const chunk of chunks) yield* feed(decoder.decode(chunk, { stream: true }));
  yield* feed(`${decoder.decode()}\n\n`);
}
