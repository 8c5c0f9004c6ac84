// Fetches a public document that a proof needs, such as a certificate.
import { readText } from "../../core/response-body.ts";

const longestMs = 5_000;
const largestBytes = 262_144;

/** Rejects when it cannot be had: not there, too slow, too large, or somewhere else. */
export async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(longestMs) });
  if (!response.ok) throw new Error(`status ${response.status}`);
  return readText(response, largestBytes);
}
