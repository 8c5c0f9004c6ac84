import type { SenderKind } from "../kind.ts";
import { unknownRetryTime } from "../proofs.ts";

const list = { split: ",", by: "=" };

export const buildkite: SenderKind = {
  id: "buildkite",
  label: "Buildkite",
  secret: { from: "sender", where: "Token of the notification service" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "x-buildkite-signature", list: { ...list, tag: "signature" } }],
        message: ["time", { text: "." }, "body"],
      },
      time: {
        at: { header: "x-buildkite-signature", list: { ...list, tag: "timestamp" } },
        unit: "s",
        toleranceSeconds: 300,
      },
    },
  ],
  event: { at: [{ json: "event" }], signed: true },
  pings: ["ping"],
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Time and body, by HMAC-SHA256 in `X-Buildkite-Signature`.",
    retries: `A few times with growing waits. ${unknownRetryTime}`,
    setUp: [
      "Open Settings, Notification Services, Add Webhook. Webhook URL: ADDRESS.",
      "Token: Send an HMAC signature in the X-Buildkite-Signature header. Choose the events, then Add.",
      "Copy the Token into the config.",
    ],
    docs: "https://buildkite.com/docs/apis/webhooks",
  },
};
