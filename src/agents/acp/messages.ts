// A program's input and output as the messages of the protocol: JSON, one to a line.
//
// The library's own reader responds to any other line with an error and prints what it does not understand to our
// standard error. Programs do print stray lines: they are passed over here, and only a program that prints nothing else
// is given up.
import type { Readable, Writable } from "node:stream";
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { z } from "zod";
import { bytesUpTo, TooLarge } from "../../core/response-body.ts";
import { linesOf, mostOutputBytes, objectOn } from "../../processes/lines.ts";

export class NotSpoken extends Error {}

/** A message may hold the whole result of a tool. */
const longestMessage = 16_777_216;
const mostStrayLines = 100;
/** It can ask without end and never read: each request has a response, which waits here. */
const mostOpenRequests = 1000;

const id = z.union([z.string(), z.number(), z.null()]);
const request = z.looseObject({ jsonrpc: z.literal("2.0"), method: z.string(), id: id.optional() });
const response = z.looseObject({ jsonrpc: z.literal("2.0"), id });

export function messagesOf(input: Writable, output: Readable): Stream {
  const pendingIds = new Set<unknown>();
  const owed = { responses: 0 };
  return {
    readable: ReadableStream.from(received(output, pendingIds, owed)),
    writable: new WritableStream<AnyMessage>({
      write(message) {
        if (!("method" in message)) owed.responses--;
        else if ("id" in message) pendingIds.add(message.id);
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

async function* received(
  output: Readable,
  pendingIds: Set<unknown>,
  owed: { responses: number },
): AsyncGenerator<AnyMessage> {
  let strayLines = 0;
  let hasSpoken = false;
  for await (const line of linesOf(counted(output), longestMessage, giveUp)) {
    const message = messageIn(line, pendingIds);
    hasSpoken ||= message !== null;
    if (message !== null && "method" in message && "id" in message && ++owed.responses > mostOpenRequests)
      throw new TooLarge("what it asks without reading our responses", mostOpenRequests, "requests");
    if (message !== null) yield message;
    else if (!hasSpoken && ++strayLines > mostStrayLines) throw new NotSpoken();
  }
}

async function* counted(output: Readable): AsyncGenerator<Buffer> {
  const count = bytesUpTo(mostOutputBytes, "its output");
  for await (const chunk of output as AsyncIterable<Buffer>) {
    count(chunk);
    yield chunk;
  }
}

const giveUp = (): never => {
  throw new TooLarge("a message of it", longestMessage);
};

function messageIn(line: string, pendingIds: Set<unknown>): AnyMessage | null {
  const value = objectOn(line);
  if (value === null) return null;
  if (request.safeParse(value).success) return value as AnyMessage;
  const { data } = response.safeParse(value);
  return data !== undefined && !("method" in data) && pendingIds.delete(data.id)
    ? (value as AnyMessage)
    : null;
}
