// One request and its response, with the transport's state of both.
import type { IncomingMessage, ServerResponse } from "node:http";
import { noSpan, type Span } from "../core/trace.ts";
import { originForm } from "./target.ts";

/** Shared by all exchanges of a server. */
export type Stop = {
  stopping: boolean;
  /** Fires when callers have had their time: a body that has not arrived by then is refused. */
  readonly overdue: AbortSignal;
};

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Path and query of the request's target, never decoded. */
  readonly target: string;
  readonly stop: Stop;
  /** From `performance.now()`. */
  readonly startedAt: number;
  /** The caller waits for `100 Continue`. */
  expectsContinue: boolean;
  /** A known caller gets longer to read a response that is sent before the body's end. */
  authenticated: boolean;
  /** An unread body up to this size is read and discarded, so that the connection can be kept. */
  discardBytes: number;
  /** The connection cannot be used again: it is unknown where the next request starts. */
  mustClose: boolean;
  /** The hook's name, for metrics; empty until it is known. */
  name: string;
  span: Span;
};

const defaultDiscardBytes = 65_536;

export const createExchange = (
  request: IncomingMessage,
  response: ServerResponse,
  stop: Stop,
  expectsContinue: boolean,
): Exchange => ({
  request,
  response,
  target: originForm(request.url ?? "") ?? "",
  stop,
  startedAt: performance.now(),
  expectsContinue,
  authenticated: false,
  discardBytes: defaultDiscardBytes,
  mustClose: false,
  name: "",
  span: noSpan,
});
