import type { SenderKind } from "../kind.ts";

export const github: SenderKind = {
  id: "github",
  label: "GitHub",
  secret: { from: "us", where: "the field Secret of the webhook" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "x-hub-signature-256", prefix: "sha256=" }],
        message: ["body"],
      },
      delivery: { at: [{ header: "x-github-delivery" }], signed: false },
    },
  ],
  event: { at: [{ header: "x-github-event" }, { json: "action" }], signed: false, join: true },
  pings: ["ping"],
  replay: "body",
  body: { types: ["json", "form"], formField: "payload" },
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-Hub-Signature-256`.",
    doesNotCheck: "The event's name and the delivery's id: they stand in headers that are not signed.",
    retries: "Never. A delivery can be sent again by hand for three days.",
    setUp: [
      "Open Settings, Webhooks, Add webhook of the repository or organisation.",
      "Payload URL: ADDRESS. Content type: application/json. Secret: SECRET.",
      "Choose the events, then Add webhook. GitHub sends a `ping`, which is accepted and runs nothing.",
    ],
    docs: "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries",
  },
};
