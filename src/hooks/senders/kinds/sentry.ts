import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

export const sentry: SenderKind = {
  id: "sentry",
  label: "Sentry",
  secret: { from: "sender", where: "Client Secret on the page of the internal integration" },
  schemes: [
    {
      proof: bodyMac({ header: "sentry-hook-signature" }),
      delivery: { at: [{ header: "request-id" }], signed: false },
    },
  ],
  event: { at: [{ header: "sentry-hook-resource" }, { json: "action" }], signed: false, join: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `Sentry-Hook-Signature`.",
    doesNotCheck: "The resource, the time and the request's id: they stand in headers that are not signed.",
    retries: "As Sentry decides. The answer must come within one second.",
    setUp: [
      "Open Settings, Developer Settings, New Internal Integration.",
      "Webhook URL: ADDRESS. Turn on Alert Rule Action and the webhooks you want, then Save.",
      "Copy the Client Secret into the config.",
    ],
    docs: "https://docs.sentry.io/organization/integrations/integration-platform/webhooks/",
  },
};
