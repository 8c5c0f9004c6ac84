// What several kinds share. The most common proof: an HMAC of the body in a header.
import type { Proof } from "./kind.ts";

/** For `describe.retries` of kinds with a signed time. */
export const unknownRetryTime =
  "Whether a later try has a new time is not documented: where later ones are refused as too old, raise `toleranceSeconds`.";

type BodyMac = {
  readonly header: string;
  readonly prefix?: string;
  readonly hash?: "sha1" | "sha256" | "sha512";
  readonly encoding?: "hex" | "base64";
};

/** Default: hex of an HMAC-SHA256 with the text of the secret. */
export const bodyMac = ({ header, prefix, hash = "sha256", encoding = "hex" }: BodyMac): Proof => ({
  kind: "hmac",
  hash,
  encoding,
  key: "text",
  at: [prefix === undefined ? { header } : { header, prefix }],
  message: ["body"],
});
