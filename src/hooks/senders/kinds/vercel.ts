import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

export const vercel: SenderKind = {
  id: "vercel",
  label: "Vercel",
  secret: {
    from: "sender",
    where:
      "the secret that Vercel shows once when the webhook is made; for an integration, its client secret",
  },
  schemes: [
    {
      proof: bodyMac({ header: "x-vercel-signature", hash: "sha1" }),
      delivery: { at: [{ json: "id" }], signed: true },
    },
  ],
  event: { at: [{ json: "type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA1 in `x-vercel-signature`.",
    doesNotCheck: "When it was sent: a delivery has no time that is checked.",
    retries: "For up to 24 hours with growing waits.",
    setUp: [
      "Open the team's Settings, Webhooks, and choose the events and projects.",
      "Endpoint URL: ADDRESS, then Create Webhook.",
      "Copy the secret, which is shown once, into the config.",
    ],
    docs: "https://vercel.com/docs/webhooks/webhooks-api",
  },
};
