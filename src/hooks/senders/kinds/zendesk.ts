import type { SenderKind } from "../kind.ts";
import { unknownRetryTime } from "../proofs.ts";

export const zendesk: SenderKind = {
  id: "zendesk",
  label: "Zendesk",
  secret: { from: "sender", where: "Signing secret on the page of the webhook (Reveal secret)" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "base64",
        key: "text",
        at: [{ header: "x-zendesk-webhook-signature" }],
        message: ["time", "body"],
      },
      time: { at: { header: "x-zendesk-webhook-signature-timestamp" }, unit: "iso", toleranceSeconds: 300 },
      delivery: { at: [{ header: "x-zendesk-webhook-invocation-id" }], signed: false },
    },
  ],
  event: { at: [{ json: "type" }], signed: true },
  replay: "body",
  body: { types: ["json", "form", "xml"] },
  describe: {
    checks: "Time and body, by HMAC-SHA256 in `X-Zendesk-Webhook-Signature`.",
    doesNotCheck: "The invocation's id, which stands in a header that is not signed.",
    retries: `Up to three times for 409, and for 429 and 503 with a short Retry-After; up to five times after a time-out. ${unknownRetryTime}`,
    setUp: [
      "Open the Admin Center, Apps and integrations, Webhooks, Create webhook.",
      "Endpoint URL: ADDRESS. Request method: POST. Request format: JSON.",
      "Open the webhook, Reveal secret, and copy the Signing secret into the config.",
    ],
    docs: "https://developer.zendesk.com/documentation/webhooks/verifying/",
  },
};
