// Output as lines, each of a length that can be held. Empty lines are left out.
import type { Readable } from "node:stream";

/** Of what a program writes in one run where nothing of it is kept: lines, events, messages. */
export const mostOutputBytes = 1_073_741_824;

/** The object on a line; null for the remarks that programs write between their messages. */
export function objectOn(line: string): object | null {
  // Much cheaper than a fault of the parser.
  if (!/^\s*\{/.test(line)) return null;
  try {
    return JSON.parse(line) as object;
  } catch {
    return null;
  }
}

export type LineEvents = { onLine: (line: string) => void; onTooLong: () => void };

export type LineReader = {
  take(chunk: Buffer): void;
  /** The last line may lack its line break. */
  end(): void;
};

const lineBreak = 10;

export function createLineReader(longestBytes: number, { onLine, onTooLong }: LineEvents): LineReader {
  let parts: Buffer[] = [];
  let length = 0;

  const add = (part: Buffer) => {
    length += part.length;
    if (length <= longestBytes) parts.push(part);
    else if (length - part.length <= longestBytes) {
      parts = [];
      onTooLong();
    }
  };
  const finish = () => {
    if (length > 0 && length <= longestBytes) onLine(Buffer.concat(parts).toString("utf8"));
    parts = [];
    length = 0;
  };

  return {
    take(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(lineBreak); at !== -1; at = chunk.indexOf(lineBreak, from)) {
        add(chunk.subarray(from, at));
        finish();
        from = at + 1;
      }
      add(chunk.subarray(from));
    },
    end: finish,
  };
}

export function readLines(stream: Readable, longestBytes: number, events: LineEvents): void {
  const reader = createLineReader(longestBytes, events);
  stream.on("data", reader.take);
  stream.on("end", reader.end);
}

/** The same for a reader that sets the pace. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  longestBytes: number,
  onTooLong: () => void,
): AsyncGenerator<string> {
  const lines: string[] = [];
  const reader = createLineReader(longestBytes, { onLine: (line) => lines.push(line), onTooLong });
  for await (const chunk of chunks) {
    reader.take(chunk);
    yield* lines.splice(0);
  }
  reader.end();
  yield* lines;
}
