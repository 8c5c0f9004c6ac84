// The token check. Tokens are padded to one length and compared in constant time, so that the time shows neither
// content nor length. Padding takes a tenth of the time that hashing would, on every request.
import { largest } from "../core/largest.ts";
import { timingSafeEqual } from "node:crypto";
import { repeated, singleHeader } from "./headers.ts";

export type Guard = {
  check(rawHeaders: readonly string[]): "ok" | "wrong" | "repeated";
};

const leastWidth = 256;

export function createGuard(tokens: readonly string[]): Guard {
  const expected = tokens.map((token) => Buffer.from(token, "utf8")).filter(canBeSent);
  const width = largest(
    expected.map(({ length }) => length),
    leastWidth,
  );
  const padded = expected.map((bytes) => Buffer.concat([bytes], width));
  const presentedBytes = Buffer.alloc(width);
  return {
    check(rawHeaders) {
      const authorization = singleHeader(rawHeaders, "authorization");
      const gatewayToken = singleHeader(rawHeaders, "x-gateway-token");
      if (authorization === repeated || gatewayToken === repeated) return "repeated";
      const presented = bearer(authorization ?? "") || trim(gatewayToken ?? "");
      if (presented === "" || presented.length > width) return "wrong";
      presentedBytes.fill(0);
      presentedBytes.write(presented, "latin1");
      let matches = 0;
      for (const each of padded) matches += timingSafeEqual(each, presentedBytes) ? 1 : 0;
      return matches > 0 ? "ok" : "wrong";
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
