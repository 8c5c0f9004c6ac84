// The token that Pub/Sub signs its pushes with. Anybody with a Google account can get one for any audience, so the
// service account counts as much as the signature.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { type Fields, isFields, textIn } from "./request.ts";

export type Expected = { audience: string; serviceAccountEmail: string };

/** The key of this id; null when there is none. */
export type FindKey = (id: string) => Promise<KeyObject | null>;

const issuers = ["https://accounts.google.com", "accounts.google.com"];
const skewSeconds = 300;
const longestToken = 8192;

/** Null when the token is good, else what is wrong with it, for the log. */
export async function tokenFault(
  token: string,
  { expected, findKey, now }: { expected: Expected; findKey: FindKey; now: number },
): Promise<string | null> {
  const [head = "", body = "", signature = "", ...more] = token.split(".");
  if (token.length > longestToken || more.length > 0) return "it is no token";
  const header = decode(head);
  const claims = decode(body);
  if (!header || !claims) return "it is no token";
  if (header["alg"] !== "RS256") return "its algorithm is not RS256";
  // Claims first: they cost nothing, and a stranger's token must not make us ask for keys.
  const fault = claimsFault(claims, expected, now);
  if (fault !== null) return fault;
  const key = await findKey(textIn(header, "kid"));
  if (key === null) return "its key is not one of Google's";
  const isSigned = verify("sha256", Buffer.from(`${head}.${body}`), key, Buffer.from(signature, "base64url"));
  return isSigned ? null : "its signature is wrong";
}

function claimsFault(
  claims: Fields,
  { audience, serviceAccountEmail }: Expected,
  now: number,
): string | null {
  const { iss, aud, email, email_verified: verified, exp, iat } = claims;
  if (!issuers.includes(String(iss))) return "its issuer is not Google";
  if (aud !== audience) return "its audience is another";
  if (email !== serviceAccountEmail) return "its service account is another";
  if (verified !== true) return "its service account is not verified";
  const seconds = now / 1000;
  if (typeof exp !== "number" || exp < seconds - skewSeconds) return "it has expired";
  if (typeof iat !== "number" || iat > seconds + skewSeconds) return "it is from the future";
  return null;
}

function decode(part: string): Fields | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
    return isFields(value) ? value : null;
  } catch {
    return null;
  }
}

/** Of a set of keys as Google publishes it. */
export function keysIn(keys: readonly Fields[]): Map<string, KeyObject> {
  const found = new Map<string, KeyObject>();
  for (const each of keys) {
    if (each["kty"] !== "RSA") continue;
    const key = { kty: "RSA", n: textIn(each, "n"), e: textIn(each, "e") };
    found.set(textIn(each, "kid"), createPublicKey({ key, format: "jwk" }));
  }
  return found;
}
