import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

export const jira: SenderKind = {
  id: "jira",
  label: "Jira Cloud",
  secret: { from: "us", where: "the field Secret of the webhook" },
  schemes: [
    {
      proof: bodyMac({ header: "x-hub-signature", prefix: "sha256=" }),
      delivery: { at: [{ header: "x-atlassian-webhook-identifier" }], signed: false },
    },
  ],
  event: { at: [{ json: "webhookEvent" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-Hub-Signature`.",
    doesNotCheck:
      "The delivery's id, which stands in a header that is not signed. Only webhooks that an administrator made are sure to be signed.",
    retries: "Up to five times for 408, 409, 425, 429, 5xx and lost connections, 5 to 15 minutes apart.",
    setUp: [
      "Open Settings, System, WebHooks, Create a WebHook, as an administrator.",
      "URL: ADDRESS. Secret: SECRET.",
      "Choose the events, then Create.",
    ],
    docs: "https://developer.atlassian.com/cloud/jira/platform/webhooks/",
  },
};
