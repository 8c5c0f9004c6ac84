// Signs what we send as Standard Webhooks does: base64 HMAC-SHA256 over `id.timestamp.body`.
import { createHmac } from "node:crypto";

export type Signed = { id: string; timestampSeconds: number; body: string; secret: string };

const prefix = "whsec_";

/** `whsec_` and base64 stand for the decoded bytes, as in the standard; any other text is its own UTF-8 bytes. */
export function secretBytes(secret: string): Buffer {
  const encoded = secret.slice(prefix.length);
  const isEncoded = secret.startsWith(prefix) && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  return isEncoded ? Buffer.from(encoded, "base64") : Buffer.from(secret, "utf8");
}

export function signatureHeaders({ id, timestampSeconds, body, secret }: Signed): Record<string, string> {
  const mac = createHmac("sha256", secretBytes(secret)).update(`${id}.${timestampSeconds}.${body}`);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": `v1,${mac.digest("base64")}`,
  };
}
