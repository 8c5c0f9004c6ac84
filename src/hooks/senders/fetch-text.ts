// Fetches a public document that a proof needs, such as a certificate.

const longestMs = 5_000;
const largestText = 262_144;

/** Rejects when it cannot be had: not there, too slow, too large, or somewhere else. */
export async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(longestMs) });
  if (!response.ok || response.body === null) throw new Error(`status ${response.status}`);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > largestText) throw new Error("too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
