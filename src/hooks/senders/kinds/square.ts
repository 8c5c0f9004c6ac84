import type { SenderKind } from "../kind.ts";

export const square: SenderKind = {
  id: "square",
  label: "Square",
  secret: { from: "sender", where: "Signature Key of the webhook subscription" },
  needs: { publicUrl: "the notification URL as it is entered in Square, since Square signs it" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "base64",
        key: "text",
        at: [{ header: "x-square-hmacsha256-signature" }],
        message: ["url", "body"],
      },
      delivery: { at: [{ json: "event_id" }], signed: true },
    },
  ],
  event: { at: [{ json: "type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Address and body, by HMAC-SHA256 in `x-square-hmacsha256-signature`.",
    doesNotCheck: "When it was sent: a delivery has no time that is checked.",
    retries: "For up to 24 hours with growing waits. The answer must come within 10 seconds.",
    setUp: [
      "Open developer.squareup.com, your application, Webhooks, Subscriptions, Add subscription.",
      "URL: ADDRESS. Put the same address into the config as `publicUrl`. Choose the events.",
      "Copy the Signature Key into the config.",
    ],
    docs: "https://developer.squareup.com/docs/webhooks/step3validate",
  },
};
