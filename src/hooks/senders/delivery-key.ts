// By what a delivery of a sender is known when it comes again: its id, and what was signed.
import { hash } from "node:crypto";
import { secondsToMs } from "../../core/duration.ts";
import type { Idempotency } from "../../core/request.ts";
import type { Proven, SenderKind } from "./kind.ts";

/** A retry may bring another body, so that no body is a mismatch. */
const anyBody = "";

/** Null: nothing tells this delivery from another one. `toleranceSeconds`: how long a signature can be used again. */
export function deliveryKey(
  { delivery, signed }: Pick<Proven, "delivery" | "signed">,
  { replay }: Pick<SenderKind, "replay">,
  toleranceSeconds: number,
): Idempotency | null {
  const idKey = delivery === null ? [] : [keyOfId(delivery.id)];
  const isIdEnough = delivery?.signed === true || replay === "none";
  const [key, secondKey] = isIdEnough ? idKey : [...idKey, `signed:${digestOf(signed)}`];
  if (key === undefined) return null;
  const keptMs = 2 * secondsToMs(toleranceSeconds);
  return { key, fingerprint: anyBody, keptMs, ...(secondKey !== undefined && { secondKey }) };
}

const prefix = "sender:";
const goodId = /^[\x21-\x7e]+$/;
const longestKey = 255;

const keyOfId = (id: string): string =>
  goodId.test(id) && prefix.length + id.length <= longestKey
    ? prefix + id
    : `sender-sha256:${hash("sha256", id, "hex")}`;

const digestOf = (parts: readonly Buffer[]): string =>
  hash("sha256", parts.length === 1 ? parts[0]! : Buffer.concat(parts), "hex");
