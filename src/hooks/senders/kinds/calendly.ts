import type { SenderKind } from "../kind.ts";
import { listedMac, unknownRetryTime } from "../proofs.ts";

export const calendly: SenderKind = {
  id: "calendly",
  label: "Calendly",
  secret: { from: "us", where: "`signing_key` of the call that makes the webhook subscription" },
  schemes: [
    listedMac({
      header: "calendly-webhook-signature",
      split: ",",
      tags: ["t", "v1"],
      between: ".",
      toleranceSeconds: 180,
    }),
  ],
  event: { at: [{ json: "event" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Time and body, by HMAC-SHA256 in `Calendly-Webhook-Signature`.",
    retries: `For 24 hours with growing waits; then the subscription is turned off. ${unknownRetryTime}`,
    setUp: [
      "Make the subscription with the API: POST https://api.calendly.com/webhook_subscriptions.",
      "url: ADDRESS. signing_key: SECRET. Choose the events and the scope. An OAuth app has a key of its own: copy that one into the config.",
    ],
    docs: "https://developer.calendly.com/api-docs/4c305798a61d3-webhook-signatures",
  },
};
