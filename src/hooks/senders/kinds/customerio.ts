import type { SenderKind } from "../kind.ts";
import { unknownRetryTime } from "../proofs.ts";

export const customerio: SenderKind = {
  id: "customerio",
  label: "Customer.io",
  secret: { from: "sender", where: "the webhook signing key of the reporting webhook" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "x-cio-signature" }],
        message: [{ text: "v0:" }, "time", { text: ":" }, "body"],
      },
      time: { at: { header: "x-cio-timestamp" }, unit: "s", toleranceSeconds: 300 },
      delivery: { at: [{ json: "event_id" }], signed: true },
    },
  ],
  event: { at: [{ json: "object_type" }, { json: "metric" }], signed: true, join: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Time and body, by HMAC-SHA256 in `X-CIO-Signature`.",
    retries: `For up to seven days with growing waits. The answer must come within 4 seconds. ${unknownRetryTime}`,
    setUp: [
      "Open Data & Integrations, Integrations, Reporting Webhooks, Add. Webhook endpoint: ADDRESS.",
      "Copy the webhook signing key into the config, and choose the events.",
    ],
    docs: "https://docs.customer.io/journeys/webhooks/",
  },
};
