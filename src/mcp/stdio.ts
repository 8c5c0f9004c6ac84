// The connection to an MCP server that is a program: one JSON message a line, in and out.
//
// The library's own transport ends only the program and not its children, gives it variables of our environment
// that the config does not name, and keeps lines of any length.
import { type JSONRPCMessage, type MCPTransport, validateJSONRPCMessage } from "@ai-sdk/mcp";
import { TooLarge } from "../core/response-body.ts";
import { mostOutputBytes, objectOn, readLines } from "../processes/lines.ts";
import { type Program, type ProgramEnd, type ProgramOptions, startProgram } from "../processes/program.ts";
import { mostMessageBytes, mostUnsentBytes } from "./limits.ts";

export type StdioOptions = Omit<ProgramOptions, "keepsLeftovers"> & { longestLineBytes?: number };

export type StdioTransport = MCPTransport & {
  /** How the program ended if that was not our doing; null while it runs. */
  endedBy(): ProgramEnd | null;
  /** Fires when it has sent too much and was killed; its reason is a TooLarge. */
  broken: AbortSignal;
};

export function createStdioTransport({
  longestLineBytes = mostMessageBytes,
  ...options
}: StdioOptions): StdioTransport {
  let program: Program | null = null;
  let end: ProgramEnd | null = null;
  const broken = new AbortController();
  const giveUp = (fault: TooLarge) => {
    broken.abort(fault);
    program?.kill();
  };

  const transport: StdioTransport = {
    async start() {
      const started = startProgram(options);
      program = started;
      void started.ended.then((how) => {
        end = how;
        transport.onclose?.();
      });
      readLines(started.output, longestLineBytes, {
        onLine: (line) => receive(transport, line),
        onTooLong: () => giveUp(new TooLarge("a line of its output", longestLineBytes)),
      });
      let bytes = 0;
      started.output.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > mostOutputBytes) giveUp(new TooLarge("its output", mostOutputBytes));
      });
      await started.started;
    },
    async send(message) {
      if (!program?.input.writable) throw new Error("the program has ended");
      if (program.input.writableLength > mostUnsentBytes)
        giveUp(new TooLarge("what it was sent and has not read", mostUnsentBytes));
      program.input.write(`${JSON.stringify(message)}\n`);
    },
    async close() {
      program?.input.end();
      program?.stop();
      await program?.ended;
    },
    endedBy: () => (end?.kind === "ended" && end.forced ? null : end),
    broken: broken.signal,
  };
  return transport;
}

/** A line that is no message is passed over: some programs print to standard output what belongs elsewhere. */
function receive(transport: MCPTransport, line: string): void {
  try {
    const message: JSONRPCMessage = validateJSONRPCMessage(objectOn(line));
    transport.onmessage?.(message);
  } catch (fault) {
    transport.onerror?.(fault instanceof Error ? fault : new Error("not a message"));
  }
}
