// The body of a request: its limits in size and time, and the parsing of its JSON.
import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import { onAbort } from "../core/abort.ts";
import { type Refusal, refuse, stopping } from "../core/errors.ts";
import { deepestNesting, isDeeper } from "../core/json.ts";
import type { Exchange } from "./exchange.ts";
import { type BodyType, readMediaType } from "./media-type.ts";

export type BodyLimits = { readonly maxBytes: number; readonly timeoutMs: number };

/** Reads a body whose headers `headRefusal` accepts. Null: the caller went away. Never rejects. */
export function readBody(exchange: Exchange, limits: BodyLimits): Promise<Buffer | Refusal | null> {
  const { request } = exchange;
  if (exchange.expectsContinue) {
    exchange.response.writeContinue();
    exchange.expectsContinue = false;
  }
  const { promise, resolve } = Promise.withResolvers<Buffer | Refusal | null>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let release = (): void => {};
  // Request listeners are left on: removing them costs more than the rest of this function.
  let isOver = false;
  const finish = (result: Buffer | Refusal | null): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    release();
    resolve(result);
  };
  request.on("data", (chunk: Buffer) => {
    if (isOver) return;
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes <= limits.maxBytes) return;
    chunks.length = 0;
    finish(refuse("body-too-large"));
  });
  request.on("end", () => finish(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, bytes)));
  request.on("close", () => finish(null));
  // Most bodies arrive in one packet with the headers, are complete by the next tick and need no timer.
  process.nextTick(() => {
    if (isOver || request.complete) return;
    const giveUp = (refusal: Refusal): void => {
      exchange.mustClose = true;
      finish(refusal);
    };
    timer = setTimeout(giveUp, limits.timeoutMs, refuse("body-timeout"));
    release = onAbort(exchange.stop.overdue, () => giveUp(stopping));
  });
  return promise;
}

/** Refuses a body by its headers: length, type, encoding. */
export function headRefusal(
  headers: IncomingHttpHeaders,
  maxBytes: number,
  taken: readonly BodyType[] = onlyJson,
): Refusal | null {
  if (Number(headers["content-length"] ?? 0) > maxBytes) return refuse("body-too-large");
  const type = readMediaType(headers["content-type"])?.body;
  if (type === undefined || !taken.includes(type)) return refuse("unsupported-media-type");
  return isEncoded(headers["content-encoding"]) ? refuse("unsupported-encoding") : null;
}

export function isEncoded(written = ""): boolean {
  const encoding = written.trim().toLowerCase();
  return encoding !== "" && encoding !== "identity";
}

const onlyJson: readonly BodyType[] = ["json"];

/** `parse` throws where the text is not JSON. */
export function parseJson(
  bytes: Buffer,
  parse: (text: string) => unknown = JSON.parse,
): { value: unknown } | Refusal {
  if (!isUtf8(bytes)) return refuse("invalid-json");
  const marked = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  try {
    const value = parse(bytes.toString("utf8", marked ? 3 : 0));
    const mayBeDeep = bytes.length > 2 * deepestNesting;
    return mayBeDeep && isDeeper(value, deepestNesting) ? refuse("invalid-json") : { value };
  } catch {
    return refuse("invalid-json");
  }
}
