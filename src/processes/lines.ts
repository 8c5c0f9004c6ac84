// Output as lines, each of a length that can be held.

export type LineReader = {
  take(chunk: Buffer): void;
  /** What came last may lack its line break. */
  end(): void;
};

const lineBreak = 10;

export function createLineReader(
  longestBytes: number,
  { onLine, onTooLong }: { onLine: (line: string) => void; onTooLong: () => void },
): LineReader {
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
