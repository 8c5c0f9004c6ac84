// The rules for session keys: their form, who may set them, which prefixes they need.
import type { ErrorCode } from "./errors.ts";
import { mainSessionKey } from "./run.ts";

export const generatedKeyPrefix = "hook:";

const longestKey = 200;
const visible = /^[^\p{C}\p{Z}]+$/u;

/** Null when the key is valid, else what is wrong with it. */
export function sessionKeyFault(key: string): string | null {
  if (key.length > longestKey) return `must be at most ${longestKey} characters`;
  if (!visible.test(key)) return "must consist of visible characters, without spaces";
  return null;
}

export type SessionKeyPolicy = {
  allowRequestSessionKey: boolean;
  allowedSessionKeyPrefixes: readonly string[];
};

export const hasAllowedPrefix = (key: string, prefixes: readonly string[]): boolean =>
  prefixes.length === 0 || prefixes.some((prefix) => key.startsWith(prefix));

/** Whether an explicit key may be used. `origin`: a key in a request needs permission, one in a mapping does not. */
export function sessionKeyRefusal(
  key: string,
  origin: "request" | "mapping",
  policy: SessionKeyPolicy,
): ErrorCode | null {
  if (origin === "request" && !policy.allowRequestSessionKey) return "session-key-not-allowed";
  if (key === mainSessionKey) return "session-key-not-allowed";
  if (!hasAllowedPrefix(key, policy.allowedSessionKeyPrefixes)) return "session-key-prefix";
  return null;
}
