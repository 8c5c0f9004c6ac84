// Checks the token that Google signs requests with, such as the pushes of Pub/Sub. Anybody with a Google account can get one for any audience, so
// the service account in it counts as much as the signature.
import type { CryptoKey } from "jose";

type Fields = Readonly<Record<string, unknown>>;

export type Expected = { audience: string; serviceAccountEmail: string };

/** Google's public key with this id, for RS256; null when there is none. */
export type FindKey = (id: string) => Promise<CryptoKey | null>;

const algorithm = "RS256";
const issuers = ["https://accounts.google.com", "accounts.google.com"];
const skewSeconds = 300;
const longestToken = 8192;

/** Null when the token is good, else its fault, for the log. */
export async function tokenFault(
  token: string,
  { expected, findKey, now }: { expected: Expected; findKey: FindKey; now: number },
): Promise<string | null> {
  const decoded = token.length > longestToken ? null : await decode(token);
  if (decoded === null) return "it is no token";
  const { header, claims } = decoded;
  if (header["alg"] !== algorithm) return "its algorithm is not RS256";
  // The claims come before the key: a stranger's token must not make us fetch keys.
  const fault = claimsFault(claims, expected, now);
  if (fault !== null) return fault;
  const key = await findKey(typeof header["kid"] === "string" ? header["kid"] : "");
  if (key === null) return "its key is not one of Google's";
  return (await isSigned(token, key, now)) ? null : "its signature is wrong";
}

function claimsFault(
  claims: Fields,
  { audience, serviceAccountEmail }: Expected,
  now: number,
): string | null {
  const { iss, aud, email, email_verified: verified, exp, iat } = claims;
  if (typeof iss !== "string" || !issuers.includes(iss)) return "its issuer is not Google";
  if (aud !== audience) return "its audience is another";
  if (email !== serviceAccountEmail) return "its service account is another";
  if (verified !== true) return "its service account is not verified";
  const seconds = now / 1000;
  if (!isTime(exp) || exp < seconds - skewSeconds) return "it has expired";
  if (!isTime(iat) || iat > seconds + skewSeconds) return "it is from the future";
  return null;
}

/** JSON may write a number that is too large: it is read as infinite. */
const isTime = (value: unknown): value is number => Number.isFinite(value);

/** Loaded with the first push: few gateways get any. */
const jose = async () => ({
  ...(await import("jose/jwt/decode")),
  ...(await import("jose/decode/protected_header")),
  ...(await import("jose/jwt/verify")),
});

async function decode(token: string): Promise<{ header: Fields; claims: Fields } | null> {
  const { decodeJwt, decodeProtectedHeader } = await jose();
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token) };
  } catch {
    return null;
  }
}

async function isSigned(token: string, key: CryptoKey, now: number): Promise<boolean> {
  const { jwtVerify } = await jose();
  const options = { algorithms: [algorithm], currentDate: new Date(now), clockTolerance: skewSeconds };
  return jwtVerify(token, key, options).then(
    () => true,
    () => false,
  );
}
