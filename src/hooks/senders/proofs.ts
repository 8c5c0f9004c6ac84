// What several kinds share. The most common proof: an HMAC of the body in a header.
import type { Proof, Scheme } from "./kind.ts";

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

type ListedMac = {
  readonly header: string;
  /** What separates the items. */
  readonly split: string;
  /** The tags of the time and of the signatures. */
  readonly tags: readonly [time: string, signature: string];
  /** What stands between time and body in the signed bytes. */
  readonly between: string;
  readonly toleranceSeconds: number;
};

/** As in `t=1700000000,v1=…`: hex of HMAC-SHA256 over time and body. */
export function listedMac({
  header,
  split,
  tags: [time, signature],
  between,
  toleranceSeconds,
}: ListedMac): Scheme {
  const proof: Proof = {
    kind: "hmac",
    hash: "sha256",
    encoding: "hex",
    key: "text",
    at: [{ header, list: { split, by: "=", tag: signature } }],
    message: ["time", { text: between }, "body"],
  };
  return {
    proof,
    time: { at: { header, list: { split, by: "=", tag: time } }, unit: "s", toleranceSeconds },
  };
}
