import type { SenderKind } from "../kind.ts";

export const circleci: SenderKind = {
  id: "circleci",
  label: "CircleCI",
  secret: { from: "us", where: "the field Secret token of the webhook" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "circleci-signature", list: { split: ",", by: "=", tag: "v1" } }],
        message: ["body"],
      },
      delivery: { at: [{ json: "id" }], signed: true },
    },
  ],
  event: { at: [{ json: "type" }], signed: true },
  pings: ["ping"],
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `circleci-signature` (`v1`).",
    doesNotCheck: "When it was sent: a delivery has no time that is checked.",
    retries: "Up to three times. The answer must come within 10 seconds.",
    setUp: [
      "Open Project Settings, Webhooks, Add Webhook. Receiver URL: ADDRESS. Secret token: SECRET.",
      "Choose workflow-completed or job-completed, then Add Webhook.",
    ],
    docs: "https://circleci.com/docs/webhooks/",
  },
};
