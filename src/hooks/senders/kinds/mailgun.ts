import type { SenderKind } from "../kind.ts";
import { unknownRetryTime } from "../proofs.ts";

export const mailgun: SenderKind = {
  id: "mailgun",
  label: "Mailgun",
  secret: { from: "sender", where: "HTTP webhook signing key under Sending, Webhooks" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ json: "signature.signature" }],
        message: ["time", { value: { json: "signature.token" }, pattern: /^[0-9a-f]{50}$/ }],
      },
      time: { at: { json: "signature.timestamp" }, unit: "s", toleranceSeconds: 300 },
      delivery: { at: [{ json: "signature.token" }], signed: true },
    },
  ],
  event: { at: [{ json: "event-data.event" }], signed: false },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Time and token, by HMAC-SHA256 in the body's `signature`.",
    doesNotCheck:
      "The event itself: who has seen one delivery can sign any other for five minutes, until its token is used. Trust it like a plain token.",
    retries: `For 8 hours with growing waits; 406 stops them. ${unknownRetryTime}`,
    setUp: [
      "Open Sending, Webhooks, and copy the HTTP webhook signing key into the config.",
      "Add webhook. URL: ADDRESS. Choose the event type.",
    ],
    docs: "https://documentation.mailgun.com/docs/mailgun/user-manual/tracking-messages/#securing-webhooks",
  },
};
