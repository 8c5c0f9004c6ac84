import type { SenderKind } from "../kind.ts";

export const pagerduty: SenderKind = {
  id: "pagerduty",
  label: "PagerDuty",
  secret: {
    from: "sender",
    where: "the secret that PagerDuty shows once when the webhook subscription is made",
  },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "x-pagerduty-signature", list: { split: ",", by: "=", tag: "v1" } }],
        message: ["body"],
      },
      delivery: { at: [{ json: "event.id" }], signed: true },
    },
  ],
  event: { at: [{ json: "event.event_type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks:
      "The body, by HMAC-SHA256 in `X-PagerDuty-Signature` (`v1`); one of several is enough during a rotation.",
    retries:
      "For up to two days after a 5xx, a 429 or a time-out, never after another 4xx; three lost ones in a row turn the subscription off for a day. The answer must come within 5 seconds.",
    setUp: [
      "Open Integrations, Generic Webhooks (v3), New Webhook.",
      "Webhook URL: ADDRESS. Choose the scope and the events, then Add Webhook.",
      "Copy the secret, which is shown once, into the config.",
    ],
    docs: "https://developer.pagerduty.com/docs/verifying-webhook-signatures",
  },
};
