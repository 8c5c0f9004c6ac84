import type { SenderKind } from "../kind.ts";
import { unknownRetryTime } from "../proofs.ts";

export const sendgrid: SenderKind = {
  id: "sendgrid",
  label: "SendGrid",
  secret: { from: "public-key", where: "Verification Key under Signed Event Webhook" },
  schemes: [
    {
      proof: {
        kind: "public-key",
        algorithm: "ecdsa-sha256",
        encoding: "base64",
        at: [{ header: "x-twilio-email-event-webhook-signature" }],
        message: ["time", "body"],
      },
      time: { at: { header: "x-twilio-email-event-webhook-timestamp" }, unit: "s", toleranceSeconds: 300 },
    },
  ],
  event: { at: [{ json: "[0].event" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Time and body, by ECDSA in `X-Twilio-Email-Event-Webhook-Signature`.",
    retries: `For up to 24 hours with growing waits, until it hears a 2xx. ${unknownRetryTime}`,
    setUp: [
      "Open Settings, Mail Settings, Event Webhooks, Create new webhook. Post URL: ADDRESS. Choose the events.",
      "Turn on Signed Event Webhook, save, and copy the Verification Key into the config as `publicKey`.",
      "One request brings a list of events: use `forEach`.",
    ],
    docs: "https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features",
  },
};
