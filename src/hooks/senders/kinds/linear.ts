import type { SenderKind } from "../kind.ts";

export const linear: SenderKind = {
  id: "linear",
  label: "Linear",
  secret: { from: "sender", where: "Signing secret on the page of the webhook" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "linear-signature" }],
        message: ["body"],
      },
      time: { at: { json: "webhookTimestamp" }, unit: "ms", toleranceSeconds: 60 },
      delivery: { at: [{ header: "linear-delivery" }], signed: false },
    },
  ],
  event: { at: [{ json: "type" }, { json: "action" }], signed: true, join: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `Linear-Signature`, and the time in it.",
    doesNotCheck: "The delivery's id, which stands in a header that is not signed.",
    retries: "Three times, after a minute, an hour and six hours. The answer must come within 5 seconds.",
    setUp: [
      "Open Settings, API, New webhook.",
      "URL: ADDRESS. Choose the data changes, then Create.",
      "Copy the Signing secret of the new webhook into the config.",
    ],
    docs: "https://linear.app/developers/webhooks",
  },
};
