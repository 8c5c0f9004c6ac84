// What every request's head must fulfil before a route is looked for: RFC 9112, and of RFC 9110 what concerns framing.
import type { IncomingMessage } from "node:http";
import type { ErrorCode } from "../core/errors.ts";
import { repeated, singleHeader } from "./headers.ts";
import { isAuthority, originForm } from "./target.ts";

/** Null: the head is in order. */
export function headFault(request: IncomingMessage): ErrorCode | null {
  if (request.httpVersionMajor !== 1) return "unsupported-version";
  if (!hasGoodHost(request) || originForm(request.url ?? "") === null) return "bad-request";
  const coding = request.headers["transfer-encoding"];
  if (coding !== undefined && !isChunkedAlone(coding)) return "unsupported-transfer-coding";
  const expect = request.headers.expect;
  if (expect !== undefined && isFor11(request) && !isContinueAlone(expect)) return "expectation-failed";
  return null;
}

/** It is not certain where a request of HTTP/1.0 with a transfer coding ends: RFC 9112, section 6.1. */
export const hasDoubtfulEnd = (request: IncomingMessage): boolean =>
  !isFor11(request) && request.headers["transfer-encoding"] !== undefined;

/** Exactly one `Host`: of two, a proxy before us might use the other one. HTTP/1.0 may have none. */
function hasGoodHost(request: IncomingMessage): boolean {
  const host = singleHeader(request.rawHeaders, "host");
  if (host === repeated) return false;
  return host === undefined ? !isFor11(request) : isAuthority(host);
}

const isFor11 = ({ httpVersion }: IncomingMessage): boolean => httpVersion === "1.1";

/** Node decodes chunks and no other coding, but lets others stand before them. */
const isChunkedAlone = (written: string): boolean =>
  written === "chunked" || elementsOf(written).every((each) => each === "chunked");

/** Node takes any list that has `100-continue` in it for this one expectation. */
const isContinueAlone = (written: string): boolean =>
  elementsOf(written).every((each) => each === "100-continue");

/** The elements of a list, in lower case; a list may have empty ones. */
const elementsOf = (list: string): string[] =>
  list
    .split(",")
    .map((each) => each.trim().toLowerCase())
    .filter((each) => each !== "");
