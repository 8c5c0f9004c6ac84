import type { SenderKind } from "../kind.ts";

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
        // The second is of an account above ours, signed with that one's key.
        at: [{ json: "signature.signature" }, { json: "signature.parent-signature" }],
        message: ["time", { value: { json: "signature.token" }, pattern: /^[0-9a-f]{50}$/ }],
      },
      // Later tries have the time and the token of the first one.
      time: { at: { json: "signature.timestamp" }, unit: "s", toleranceSeconds: 43_200 },
      delivery: { at: [{ json: "signature.token" }], signed: true },
    },
  ],
  event: { at: [{ json: "event-data.event" }], signed: false },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Time and token, by HMAC-SHA256 in the body's `signature`.",
    doesNotCheck:
      "The event itself: who has seen one delivery can sign any other for twelve hours, until its token is used. Trust it like a plain token.",
    retries: "For 8 hours with growing waits, with the time of the first try; 406 stops them.",
    setUp: [
      "Open Sending, Webhooks, and copy the HTTP webhook signing key into the config.",
      "Add webhook. URL: ADDRESS. Choose the event type.",
    ],
    docs: "https://documentation.mailgun.com/docs/mailgun/user-manual/tracking-messages/#securing-webhooks",
  },
};
