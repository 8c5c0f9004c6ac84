// Server-sent events out of a stream of bytes, as the HTML standard has them.

export type ServerEvent = { readonly event: string; readonly id: string | null; readonly data: string };

export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let event = "";
  let id: string | null = null;
  let data: string[] = [];
  for await (const line of readLines(body)) {
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", id, data: data.join("\n") };
      event = "";
      id = null;
      data = [];
      continue;
    }
    const at = line.indexOf(":");
    if (at === 0) continue;
    const name = at === -1 ? line : line.slice(0, at);
    const value = at === -1 ? "" : line.slice(line[at + 1] === " " ? at + 2 : at + 1);
    if (name === "event") event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
    else if (name === "data") data.push(value);
  }
}

/** A line may end with CR, LF or both; what follows the last end is no line. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  // A long line comes in many pieces: they are joined once.
  let pieces: string[] = [];
  let endedWithReturn = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      let text = decoder.decode(value, { stream: true });
      if (text === "") continue;
      if (endedWithReturn && text.startsWith("\n")) text = text.slice(1);
      endedWithReturn = text.endsWith("\r");
      const [first = "", ...rest] = text.split(/\r\n|\r|\n/);
      pieces.push(first);
      for (const piece of rest) {
        yield pieces.join("");
        pieces = [piece];
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
