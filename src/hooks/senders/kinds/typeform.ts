import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

export const typeform: SenderKind = {
  id: "typeform",
  label: "Typeform",
  secret: { from: "us", where: "the field Secret of the webhook" },
  schemes: [
    {
      proof: bodyMac({ header: "typeform-signature", prefix: "sha256=", encoding: "base64" }),
      delivery: { at: [{ json: "event_id" }], signed: true },
    },
  ],
  event: { at: [{ json: "event_type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `Typeform-Signature`.",
    doesNotCheck: "When it was sent: a delivery has no time that is checked.",
    retries: "For some hours with growing waits; many failures turn the webhook off.",
    setUp: [
      "Open the form, Connect, Webhooks, Add a webhook. Endpoint: ADDRESS.",
      "Edit it, set Secret to SECRET, save, and turn it on.",
    ],
    docs: "https://www.typeform.com/developers/webhooks/secure-your-webhooks/",
  },
};
