// Reads server-sent events out of a response body, as the HTML standard frames them. Where the standard drops an event
// that the end of the stream cut short of its empty line, this keeps it: a service that ended in order meant it.

export type ServerEvent = { name: string; data: string };

export class EventTooLong extends Error {}

export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  longestEvent: number,
): AsyncGenerator<ServerEvent> {
  let name = "";
  let data: string[] = [];
  let length = 0;
  const taken = (): ServerEvent[] => {
    const event = { name: name === "" ? "message" : name, data: data.join("\n") };
    const any = data.length > 0;
    [name, data, length] = ["", [], 0];
    return any ? [event] : [];
  };

  for await (const line of readLines(chunks, longestEvent)) {
    if (line === "") yield* taken();
    const [field, value] = fieldOf(line);
    if (field === "event") name = value;
    if (field !== "data") continue;
    length += value.length + 1;
    if (length > longestEvent) throw new EventTooLong();
    data.push(value);
  }
  yield* taken();
}

function fieldOf(line: string): [field: string, value: string] {
  const colon = line.indexOf(":");
  if (colon === -1) return [line, ""];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(" ") ? value.slice(1) : value];
}

async function* readLines(chunks: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    // A carriage return at the end may be the first half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    yield* lines;
    if (rest.length > longest) throw new EventTooLong();
  }
  rest += decoder.decode();
  if (rest !== "") yield* rest.split(/\r\n|\n|\r/);
}
