import type { SenderKind } from "../kind.ts";

export const sentry: SenderKind = {
  id: "sentry",
  label: "Sentry",
  secret: { from: "sender", where: "Client Secret on the page of the internal integration" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        // The second stands on requests of Sentry's own pages, such as an action of an alert rule.
        at: [{ header: "sentry-hook-signature" }, { header: "sentry-app-signature" }],
        message: ["body"],
      },
      delivery: { at: [{ header: "request-id" }], signed: false },
    },
  ],
  event: { at: [{ header: "sentry-hook-resource" }, { json: "action" }], signed: false, join: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `Sentry-Hook-Signature`.",
    doesNotCheck: "The resource, the time and the request's id: they stand in headers that are not signed.",
    retries: "Never; repeated failures turn the webhook off. The answer must come within one second.",
    setUp: [
      "Open Settings, Developer Settings, New Internal Integration.",
      "Webhook URL: ADDRESS. Turn on Alert Rule Action and the webhooks you want, then Save.",
      "Copy the Client Secret into the config.",
    ],
    docs: "https://docs.sentry.io/organization/integrations/integration-platform/webhooks/",
  },
};
