// Verifies a callback: a request that is signed as Standard Webhooks says. By Web Crypto, so that it works in browsers,
// in workers at the edge and in Node.
import type { Result } from "./types.ts";

/** What a `standard` callback of `hooks.callbacks` holds. With `"body": "thin"`, `data` is only `runId` and `status`. */
export type Callback = {
  readonly type: `run.${Result["status"]}`;
  readonly timestamp: string;
  readonly data: Pick<Result, "runId" | "status"> & Partial<Result>;
};

export class WebhookRefused extends Error {
  override name = "WebhookRefused";
}

type HeadersLike = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const toleranceSeconds = 300;
const prefix = "whsec_";

/** The callback; throws `WebhookRefused` where it is not signed with this secret, or its time is five minutes off. */
export async function verify(
  body: string | Uint8Array,
  headers: HeadersLike,
  secret: string,
  { now = Date.now() }: { readonly now?: number } = {},
): Promise<Callback> {
  const header = (name: string): string => {
    const value = headers instanceof Headers ? headers.get(name) : headers[name];
    if (typeof value !== "string" || value === "") throw new WebhookRefused(`The header ${name} is missing.`);
    return value;
  };
  const id = header("webhook-id");
  const timestamp = header("webhook-timestamp");
  const signatures = header("webhook-signature");
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now / 1000 - seconds) <= toleranceSeconds))
    throw new WebhookRefused("The time of the signature is more than five minutes off.");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + bytes.length);
  signed.set(head);
  signed.set(bytes, head.length);
  const key = await crypto.subtle.importKey("raw", keyOf(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "verify",
  ]);
  for (const each of signatures.split(" ")) {
    const [version, value = ""] = each.split(",");
    const given = version === "v1" ? bytesOf(value) : null;
    // Web Crypto compares in constant time.
    if (given !== null && (await crypto.subtle.verify("HMAC", key, given, signed)))
      return JSON.parse(new TextDecoder().decode(bytes)) as Callback;
  }
  throw new WebhookRefused("The signature is not made with this secret.");
}

/** `whsec_` and base64 stand for the decoded bytes; any other text is its own UTF-8 bytes. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const decoded = secret.startsWith(prefix) ? bytesOf(secret.slice(prefix.length)) : null;
  return decoded ?? new TextEncoder().encode(secret);
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
