// A program's input and output as the messages of the protocol: JSON, one to a line.
//
// The library's own reader responds to any other line with an error and prints what it does not understand to our
// standard error. Programs do print stray lines: they are passed over here, and only a program that prints nothing else
// is given up.
import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { linesOf } from "../../processes/lines.ts";

export class NotSpoken extends Error {}

const longestMessage = 33_554_432;
const mostStrayLines = 100;

const id = z.union([z.string(), z.number(), z.null()]);
const request = z.looseObject({ jsonrpc: z.literal("2.0"), method: z.string(), id: id.optional() });
const response = z.looseObject({ jsonrpc: z.literal("2.0"), id });

export function messagesOf(input: Writable, output: Readable): Stream {
  const pendingIds = new Set<unknown>();
  return {
    readable: ReadableStream.from(received(output, pendingIds)),
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if ("method" in message && "id" in message) pendingIds.add(message.id);
        return send(input, `${JSON.stringify(message)}\n`);
      },
    }),
  };
}

function send(input: Writable, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  input.write(text, (fault) => (fault ? reject(fault) : resolve()));
  return promise;
}

async function* received(output: Readable, pendingIds: Set<unknown>): AsyncGenerator<AnyMessage> {
  let strayLines = 0;
  let hasSpoken = false;
  for await (const line of linesOf(output as AsyncIterable<Buffer>, longestMessage, giveUp)) {
    const message = messageIn(line, pendingIds);
    hasSpoken ||= message !== null;
    if (message !== null) yield message;
    else if (!hasSpoken && ++strayLines > mostStrayLines) throw new NotSpoken();
  }
}

const giveUp = (): never => {
  throw new NotSpoken();
};

function messageIn(line: string, pendingIds: Set<unknown>): AnyMessage | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  if (request.safeParse(value).success) return value as AnyMessage;
  const { data } = response.safeParse(value);
  return data !== undefined && !("method" in data) && pendingIds.delete(data.id)
    ? (value as AnyMessage)
    : null;
}
