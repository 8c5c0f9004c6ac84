// A client for tests that sends exactly the bytes it is given and sees exactly what comes back.
import { connect, type Socket } from "node:net";

export type RawAnswer = {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** The body as JSON. */
  json: Record<string, unknown>;
};

export type RawClient = {
  socket: Socket;
  send(bytes: string | Buffer): void;
  /** The next answer, interim ones included; rejects when the connection ends without one. */
  next(): Promise<RawAnswer>;
  /** Resolves when the other side has ended or reset the connection. */
  closed: Promise<void>;
};

export function rawClient(port: number): RawClient {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let ended = false;
  let waiting: (() => void) | null = null;
  const notify = (): void => {
    waiting?.();
    waiting = null;
  };
  const closed = new Promise<void>((resolve) => {
    const onEnd = (): void => {
      ended = true;
      resolve();
      notify();
    };
    socket.on("end", onEnd).on("close", onEnd).on("error", onEnd);
  });
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    notify();
  });

  function take(): RawAnswer | null {
    const headEnd = received.indexOf("\r\n\r\n");
    if (headEnd === -1) return null;
    const [statusLine = "", ...lines] = received.slice(0, headEnd).split("\r\n");
    const headers: Record<string, string> = {};
    for (const line of lines) {
      const colon = line.indexOf(":");
      headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    const bodyEnd = headEnd + 4 + Number(headers["content-length"] ?? 0);
    if (received.length < bodyEnd) return null;
    const text = Buffer.from(received.slice(headEnd + 4, bodyEnd), "latin1").toString();
    received = received.slice(bodyEnd);
    const json = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: Number(statusLine.split(" ")[1]), headers, text, json };
  }

  return {
    socket,
    closed,
    send: (bytes) => void socket.write(bytes),
    async next() {
      for (;;) {
        const answer = take();
        if (answer !== null) return answer;
        if (ended) throw new Error(`the connection ended; received: ${JSON.stringify(received)}`);
        await new Promise<void>((resolve) => (waiting = resolve));
      }
    },
  };
}
