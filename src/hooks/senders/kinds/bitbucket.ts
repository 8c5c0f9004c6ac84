import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

export const bitbucket: SenderKind = {
  id: "bitbucket",
  label: "Bitbucket",
  secret: { from: "us", where: "the field Secret of the webhook" },
  schemes: [
    {
      // The hash is SHA-256, although the header has the name that GitHub uses for SHA-1.
      proof: bodyMac({ header: "x-hub-signature", prefix: "sha256=" }),
      delivery: { at: [{ header: "x-request-uuid" }, { header: "x-request-id" }], signed: false },
    },
  ],
  event: { at: [{ header: "x-event-key" }], signed: false },
  pings: ["diagnostics:ping"],
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-Hub-Signature`.",
    doesNotCheck: "The event's name and the delivery's id: they stand in headers that are not signed.",
    retries:
      "Twice more when there is no answer within 10 seconds or a 5xx. Payloads over 256 KB are not sent.",
    setUp: [
      "Open Repository settings, Webhooks, Add webhook.",
      "URL: ADDRESS. Secret: SECRET. Status: active.",
      "Choose the triggers, then Save.",
    ],
    docs: "https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/",
  },
};
