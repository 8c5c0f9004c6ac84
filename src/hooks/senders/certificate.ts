// Public keys in certificates that a sender names by address. The host is pinned before anything is fetched.
import { type KeyObject, X509Certificate } from "node:crypto";

export type PinnedAddress = { readonly host: RegExp; readonly path: RegExp };

/** Null: https, host, path or port are not those of the sender. */
export function pinnedUrl(written: unknown, { host, path }: PinnedAddress): string | null {
  if (typeof written !== "string" || !URL.canParse(written)) return null;
  const url = new URL(written);
  const isPlain = url.protocol === "https:" && url.port === "" && url.username === "" && url.password === "";
  return isPlain && host.test(url.hostname) && path.test(url.pathname) ? url.href : null;
}

/** Null: the text is no certificate of an RSA key, or not valid at this time. */
export function rsaKeyIn(pem: string, now: number): KeyObject | null {
  try {
    const certificate = new X509Certificate(pem);
    const isValid = Date.parse(certificate.validFrom) <= now && now <= Date.parse(certificate.validTo);
    const key = certificate.publicKey;
    return isValid && key.asymmetricKeyType === "rsa" ? key : null;
  } catch {
    return null;
  }
}
