// The connection to an MCP server that is a program: one JSON message a line, in and out.
//
// The library's own ends only the program itself, gives it variables of our environment that no one named, and keeps
// a line of any length.
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { Readable } from "node:stream";
import { type JSONRPCMessage, type MCPTransport, validateJSONRPCMessage } from "@ai-sdk/mcp";
import { type GroupOptions, keepTail, signalGroup, startGroup } from "../processes/group.ts";
import type { Held } from "../processes/reaper.ts";

export type StdioOptions = GroupOptions & {
  held: Held;
  graceMs: number;
  longestLine?: number;
};

export type StdioTransport = MCPTransport & {
  /** How the program ended, and the last it wrote to standard error; null while it runs. */
  ended(): { how: string; errorTail: string } | null;
};

export function createStdioTransport(options: StdioOptions): StdioTransport {
  const { held, graceMs, longestLine = 16_000_000 } = options;
  const gone = Promise.withResolvers<void>();
  let child: ChildProcessWithoutNullStreams | null = null;
  let errorTail = () => "";
  let how: string | null = null;
  let isClosing = false;

  const begin = (started: ChildProcessWithoutNullStreams) => {
    if (started.pid === undefined) gone.resolve();
    else held.watch(started.pid);
    errorTail = keepTail(started.stderr);
    started.on("exit", (exitCode, by) => {
      if (!isClosing) how = by === null ? `ended with exit code ${exitCode}` : `was ended by ${by}`;
      signalGroup(started.pid, "SIGKILL");
      gone.resolve();
    });
    started.on("close", () => transport.onclose?.());
    // It may end without reading what it is sent.
    started.stdin.on("error", () => {});
    readLines(started.stdout, longestLine, {
      onLine: (line) => receive(transport, line),
      onTooLong: () => signalGroup(started.pid, "SIGKILL"),
    });
  };
  const end = async (started: ChildProcessWithoutNullStreams) => {
    started.stdin.end();
    if (started.exitCode === null && started.signalCode === null) signalGroup(started.pid, "SIGTERM");
    const timer = setTimeout(() => signalGroup(started.pid, "SIGKILL"), graceMs);
    await gone.promise;
    clearTimeout(timer);
    started.stdout.destroy();
    started.stderr.destroy();
  };

  const transport: StdioTransport = {
    async start() {
      child = startGroup(options);
      begin(child);
      await hasStarted(child);
    },
    async send(message) {
      if (!child?.stdin.writable) throw new Error("the program has ended");
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      isClosing = true;
      if (child) await end(child);
    },
    ended: () => (how === null ? null : { how, errorTail: errorTail() }),
  };
  return transport;
}

function hasStarted(child: ChildProcessWithoutNullStreams): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.on("spawn", resolve);
  // Later errors are failed kills.
  child.on("error", reject);
  return promise;
}

/** A line that is no message is let go: some programs print to standard output what belongs elsewhere. */
function receive(transport: MCPTransport, line: string): void {
  try {
    const message: JSONRPCMessage = validateJSONRPCMessage(JSON.parse(line));
    transport.onmessage?.(message);
  } catch (fault) {
    transport.onerror?.(fault instanceof Error ? fault : new Error("not a message"));
  }
}

type LineEvents = { onLine: (line: string) => void; onTooLong: () => void };

function readLines(stdout: Readable, longest: number, { onLine, onTooLong }: LineEvents): void {
  let parts: Buffer[] = [];
  let length = 0;
  stdout.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      onLine(Buffer.concat([...parts, chunk.subarray(from, at)]).toString("utf8"));
      parts = [];
      length = 0;
      from = at + 1;
    }
    length += chunk.length - from;
    if (length > longest) return onTooLong();
    if (from < chunk.length) parts.push(chunk.subarray(from));
  });
}
