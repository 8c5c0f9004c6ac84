// The token check. Digests have one length, so neither content nor length of a token shows in the time it takes.
import { hash, timingSafeEqual } from "node:crypto";
import { repeated, singleHeader } from "./headers.ts";

export type Guard = {
  check(rawHeaders: readonly string[]): "ok" | "wrong" | "repeated";
};

export function createGuard(tokens: readonly string[]): Guard {
  const digests = tokens.filter((token) => token !== "").map(digestOf);
  const presentedDigest = Buffer.alloc(digestBytes);
  return {
    check(rawHeaders) {
      const authorization = singleHeader(rawHeaders, "authorization");
      const gatewayToken = singleHeader(rawHeaders, "x-gateway-token");
      if (authorization === repeated || gatewayToken === repeated) return "repeated";
      const presented = bearer(authorization ?? "") || trim(gatewayToken ?? "");
      if (presented === "") return "wrong";
      presentedDigest.write(hash("sha256", presented, "binary"), "latin1");
      let matches = 0;
      for (const each of digests) matches += timingSafeEqual(each, presentedDigest) ? 1 : 0;
      return matches > 0 ? "ok" : "wrong";
    },
  };
}

const digestBytes = 32;

/** Header values arrive as one character per byte, so a token is brought into the same form first. */
const digestOf = (token: string): Buffer =>
  Buffer.from(hash("sha256", Buffer.from(token, "utf8").toString("latin1"), "binary"), "latin1");

const scheme = "bearer";

function bearer(authorization: string): string {
  const value = trim(authorization);
  const gap = value.charCodeAt(scheme.length);
  if (!isBlank(gap) || value.slice(0, scheme.length).toLowerCase() !== scheme) return "";
  return trim(value.slice(scheme.length));
}

/** Only what HTTP calls blank: `String.trim` would take the last byte of some UTF-8 characters as a space. */
function trim(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

const isBlank = (unit: number): boolean => unit === 0x20 || unit === 0x09;
