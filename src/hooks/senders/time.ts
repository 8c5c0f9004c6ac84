// Times as senders write them. A format that is pinned also pins the border to its neighbour in the signed bytes.
import type { ProofFailure, Time } from "./kind.ts";

const digits = /^\d{1,15}$/;
const iso = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)$/;

/** Milliseconds since 1970; null: it is no such time. */
export function parseTime(text: string, unit: Time["unit"]): number | null {
  if (unit === "iso") return parseIso(text);
  if (!digits.test(text)) return null;
  return unit === "ms" ? Number(text) : Number(text) * 1000;
}

function parseIso(text: string): number | null {
  if (!iso.test(text)) return null;
  // Date reads at most milliseconds everywhere, and zones only with a colon.
  const plain = text.replace(/\.(\d{1,3})\d*/, ".$1").replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
  const at = Date.parse(plain);
  return Number.isNaN(at) ? null : at;
}

/** Symmetric: a sender's clock may be ahead as well as behind. Null: within the tolerance. */
export function timeFailure(at: number, now: number, toleranceSeconds: number): ProofFailure | null {
  const skewMs = at - now;
  if (Math.abs(skewMs) <= toleranceSeconds * 1000) return null;
  return { failed: skewMs < 0 ? "too-old" : "too-new", skewMs };
}
