import type { SenderKind } from "../kind.ts";
import { listedMac, unknownRetryTime } from "../proofs.ts";

export const buildkite: SenderKind = {
  id: "buildkite",
  label: "Buildkite",
  secret: { from: "sender", where: "Token of the notification service" },
  schemes: [
    listedMac({
      header: "x-buildkite-signature",
      split: ",",
      tags: ["timestamp", "signature"],
      between: ".",
      toleranceSeconds: 300,
    }),
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
