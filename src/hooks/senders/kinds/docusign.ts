import type { SenderKind } from "../kind.ts";

/** One header for each of the account's keys. */
const mostKeys = 100;

export const docusign: SenderKind = {
  id: "docusign",
  label: "DocuSign Connect",
  secret: { from: "sender", where: "a Connect key under Settings, Connect, Connect Keys" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "base64",
        key: "text",
        at: Array.from({ length: mostKeys }, (_, index) => ({ header: `x-docusign-signature-${index + 1}` })),
        message: ["body"],
      },
    },
  ],
  event: { at: [{ json: "event" }], signed: true },
  replay: "body",
  body: { types: ["json", "xml"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-DocuSign-Signature-1` and so on; one that fits is enough.",
    doesNotCheck: "When it was sent: a delivery has no time that is checked.",
    retries: "For up to 15 days with growing waits.",
    setUp: [
      "Open Settings, Connect, Connect Keys, Add Secret Key, and copy it into the config.",
      "Add Configuration, Custom. URL to Publish: ADDRESS. Data format: JSON. Turn on Include HMAC Signature.",
      "Choose the events, then Add Configuration.",
    ],
    docs: "https://developers.docusign.com/platform/webhooks/connect/hmac/",
  },
};
