// The token check. Tokens are padded to one length and compared in constant time, so that the time shows neither
// content nor length. Padding takes a tenth of the time that hashing would, on every request.
import { largest } from "../core/largest.ts";
import { timingSafeEqual } from "node:crypto";
import { repeated, singleHeader } from "./headers.ts";

export type Guard = {
  check(rawHeaders: readonly string[]): "ok" | "wrong" | "repeated";
  /** The index of the token that the request carries. */
  find(rawHeaders: readonly string[]): number | "wrong" | "repeated";
};

const leastWidth = 256;

export function createGuard(tokens: readonly string[]): Guard {
  const expected = tokens
    .map((token, index) => ({ bytes: Buffer.from(token, "utf8"), index }))
    .filter(({ bytes }) => canBeSent(bytes));
  const width = largest(
    expected.map(({ bytes }) => bytes.length),
    leastWidth,
  );
  const padded = expected.map(({ bytes, index }) => ({ bytes: Buffer.concat([bytes], width), index }));
  const presentedBytes = Buffer.alloc(width);
  const find: Guard["find"] = (rawHeaders) => {
    const authorization = singleHeader(rawHeaders, "authorization");
    const gatewayToken = singleHeader(rawHeaders, "x-gateway-token");
    if (authorization === repeated || gatewayToken === repeated) return "repeated";
    const presented = bearer(authorization ?? "") || trim(gatewayToken ?? "");
    if (presented === "" || presented.length > width) return "wrong";
    presentedBytes.fill(0);
    presentedBytes.write(presented, "latin1");
    // Every token is compared, whichever is right, so that the time does not show its place among them.
    let found = -1;
    for (const { bytes, index } of padded)
      found = Math.max(found, Number(timingSafeEqual(bytes, presentedBytes)) * (index + 1) - 1);
    return found === -1 ? "wrong" : found;
  };
  return {
    find,
    check(rawHeaders) {
      const found = find(rawHeaders);
      return typeof found === "number" ? "ok" : found;
    },
  };
}

/** A header value cannot hold a zero byte, so padding with zeros makes no two tokens equal. */
const canBeSent = (token: Buffer): boolean => token.length > 0 && !token.includes(0);

const scheme = "bearer";

function bearer(authorization: string): string {
  const value = trim(authorization);
  const gap = value.charCodeAt(scheme.length);
  if (!isBlank(gap) || value.slice(0, scheme.length).toLowerCase() !== scheme) return "";
  return trim(value.slice(scheme.length));
}

/** Removes HTTP's blanks only: `String.trim` would remove the last byte of some UTF-8 characters. */
function trim(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09;
