// Frames on the pipe between the gateway and a transform's process: a length, a key, and JSON. The length is looked at
// before anything is kept, because the other side chooses it. The key shows that our own code in the process wrote the
// frame, and not the transform.

/** The pipe, on the process's side. */
export const messageDescriptor = 3;

export const keyBytes = 16;
const headBytes = 4 + keyBytes;

/** The gateway's own frames need no key: nobody else has the other end of their pipe. */
export const noKey: Buffer = Buffer.alloc(keyBytes);

export function frameOf(key: Buffer, text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame.writeUInt32BE(length, 0);
  key.copy(frame, 4);
  frame.write(text, headBytes);
  return frame;
}

export type FrameEvents = {
  onText(text: string): void;
  /** Nothing is read after it. */
  onFault(fault: "too-long" | "wrong-key"): void;
};

/** Takes the pipe's chunks. `longestBytes` is asked for each frame. */
export function createFrameReader(
  key: Buffer,
  longestBytes: () => number,
  { onText, onFault }: FrameEvents,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let bytes = 0;
  /** Of the frame that has begun; null until its head is there. */
  let frameBytes: number | null = null;
  let isBroken = false;

  const join = (): Buffer => {
    const joined = parts.length === 1 ? parts[0]! : Buffer.concat(parts, bytes);
    parts = [joined];
    return joined;
  };
  const headFault = (head: Buffer): "too-long" | "wrong-key" | null => {
    if (!head.subarray(4, headBytes).equals(key)) return "wrong-key";
    return head.readUInt32BE(0) > longestBytes() ? "too-long" : null;
  };
  const readHead = (): void => {
    const head = join();
    const fault = headFault(head);
    if (fault === null) frameBytes = headBytes + head.readUInt32BE(0);
    else {
      isBroken = true;
      parts = [];
      onFault(fault);
    }
  };
  const takeFrame = (end: number): void => {
    const joined = join();
    parts = [joined.subarray(end)];
    bytes -= end;
    frameBytes = null;
    onText(joined.toString("utf8", headBytes, end));
  };

  return (chunk) => {
    if (isBroken) return;
    parts.push(chunk);
    bytes += chunk.length;
    for (;;) {
      if (frameBytes === null && bytes >= headBytes) readHead();
      if (isBroken || frameBytes === null || bytes < frameBytes) return;
      takeFrame(frameBytes);
    }
  };
}
