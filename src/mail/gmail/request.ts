// One request to Google, and the response as plain values. Nothing of the request gets into a fault.
import type { Clock } from "../../core/clock.ts";
import { faultKind } from "../../core/errors.ts";
import { readText, TooLarge } from "../../core/response-body.ts";
import { retryAfterMs as waitIn } from "../../core/retry-after.ts";
import { MailFault } from "../mailbox.ts";

export type Fields = Readonly<Record<string, unknown>>;

export type GoogleResponse = {
  status: number;
  body: Fields;
  /** Google's error codes: `rateLimitExceeded`, `invalid_grant`. */
  reasons: readonly string[];
  retryAfterMs: number | null;
};

const timeoutMs = 60_000;
/** Of everything but messages. A page of 500 ids is far shorter. */
const usualBytes = 4_194_304;

export type RequestOptions = {
  signal: AbortSignal;
  clock: Pick<Clock, "now">;
  mostBytes?: number | undefined;
};

/** Throws a MailFault when no response comes, a TooLarge, or the reason of the signal. */
export async function request(
  url: string,
  init: RequestInit,
  { signal, clock, mostBytes = usualBytes }: RequestOptions,
): Promise<GoogleResponse> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const response = await fetch(url, { ...init, redirect: "error", signal: limit });
    const body = toFields(await readText(response, mostBytes));
    const retryAfterMs = waitIn((name) => response.headers.get(name), clock.now());
    return { status: response.status, body, reasons: reasonsIn(body), retryAfterMs };
  } catch (fault) {
    signal.throwIfAborted();
    if (fault instanceof TooLarge) throw fault;
    throw new MailFault("retry", `${new URL(url).host} could not be reached (${causeOf(fault)})`);
  }
}

/** `fetch` hides the reason in `cause`. */
const causeOf = (fault: unknown): string =>
  faultKind(fault instanceof Error && fault.cause !== undefined ? fault.cause : fault);

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const listIn = (fields: Fields, name: string): readonly Fields[] => {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
};

export const fieldsIn = (fields: Fields, name: string): Fields => {
  const value = fields[name];
  return isFields(value) ? value : {};
};

/** Empty when the field is missing or not a string. */
export const textIn = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === "string" ? value : "";
};

export const textsIn = (fields: Fields, name: string): readonly string[] => {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
};

function toFields(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

/** In `error` the APIs send an object, the token endpoint a string. */
function reasonsIn(body: Fields): string[] {
  const { error } = body;
  if (typeof error === "string") return [error];
  if (!isFields(error)) return [];
  const details = [...listIn(error, "errors"), ...listIn(error, "details")];
  return [...details.map((each) => textIn(each, "reason")), textIn(error, "status")].filter(
    (each) => each !== "",
  );
}
