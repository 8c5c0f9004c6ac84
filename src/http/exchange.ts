// One request and its answer, with what the transport has learnt about them on the way.
import type { IncomingMessage, ServerResponse } from "node:http";
import { noSpan, type Span } from "../core/trace.ts";

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Shared by all exchanges of a server. */
  readonly lifecycle: { stopping: boolean };
  /** From `performance.now()`. */
  readonly startedAt: number;
  /** The caller waits for `100 Continue` and has not got it. */
  expectsContinue: boolean;
  /** A known caller gets longer to read an answer that comes before the body's end. */
  authenticated: boolean;
  /** An unread body up to this size is read away to keep the connection. */
  discardBytes: number;
  /** The connection cannot be used again: its input is in an unknown state. */
  mustClose: boolean;
  /** The name it was sent to, for the metrics; empty until it is known. */
  name: string;
  span: Span;
};

const defaultDiscardBytes = 65_536;

export const createExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  lifecycle: { stopping: boolean },
  expectsContinue: boolean,
): Exchange => ({
  request,
  response,
  lifecycle,
  startedAt: performance.now(),
  expectsContinue,
  authenticated: false,
  discardBytes: defaultDiscardBytes,
  mustClose: false,
  name: "",
  span: noSpan,
});
