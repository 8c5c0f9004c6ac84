import type { KeyForm, Scheme, SenderKind } from "../kind.ts";

type Family = "webhook" | "svix";

/** Ids must not contain a dot, since a dot ends them in the signed bytes. */
const id = /^[^.]+$/;

/** The scheme of Standard Webhooks, under its own headers or those of Svix. */
export const standardScheme = (family: Family, key: KeyForm): Scheme => ({
  proof: { kind: "hmac", hash: "sha256", encoding: "base64", key, ...signed(family, "v1") },
  ...context(family),
});

const asymmetricScheme = (family: Family): Scheme => ({
  proof: { kind: "public-key", algorithm: "ed25519", encoding: "base64", ...signed(family, "v1a") },
  ...context(family),
});

const signed = (family: Family, tag: string) => ({
  at: [{ header: `${family}-signature`, list: { split: " ", by: ",", tag } }],
  message: [
    { value: { header: `${family}-id` }, pattern: id },
    { text: "." },
    "time" as const,
    { text: "." },
    "body" as const,
  ],
});

const context = (family: Family): Pick<Scheme, "time" | "delivery"> => ({
  time: { at: { header: `${family}-timestamp` }, unit: "s", toleranceSeconds: 300 },
  delivery: { at: [{ header: `${family}-id` }], signed: true },
});

/** A sender that signs by Standard Webhooks, with the secret's base64 after `whsec_`. */
export const standardSender = (
  named: Pick<SenderKind, "id" | "label" | "describe"> & { where: string; family: Family },
): SenderKind => ({
  id: named.id,
  label: named.label,
  secret: { from: "sender", shape: whsec, where: named.where },
  schemes: [standardScheme(named.family, "whsec")],
  event: { at: [{ json: "type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: named.describe,
});

/** The reference library takes a text without the prefix for base64, others for UTF-8: so the prefix is required. */
const whsec = { pattern: /^whsec_[A-Za-z0-9+/]{4,}={0,2}$/, says: "is whsec_ and base64" };

export const standardWebhooks: SenderKind = {
  ...standardSender({
    id: "standard-webhooks",
    label: "Standard Webhooks",
    where: "the signing secret (`whsec_…`) or public key (`whpk_…`) of the endpoint",
    family: "webhook",
    describe: {
      checks: "Id, time and body, by HMAC-SHA256 (`v1`) or Ed25519 (`v1a`) in `webhook-signature`.",
      retries: "As the sender decides; the standard advises several days with growing waits.",
      setUp: ["Add an endpoint with the address ADDRESS.", "Copy its signing secret into the config."],
      docs: "https://www.standardwebhooks.com",
    },
  }),
  takes: ["publicKey"],
  schemes: [standardScheme("webhook", "whsec"), asymmetricScheme("webhook")],
};
