import type { SenderKind } from "../kind.ts";
import { unknownRetryTime } from "../proofs.ts";

export const hubspot: SenderKind = {
  id: "hubspot",
  label: "HubSpot",
  secret: { from: "sender", where: "Client secret under Auth of the app" },
  needs: { publicUrl: "the target URL as it is entered in HubSpot, since HubSpot signs it" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "base64",
        key: "text",
        at: [{ header: "x-hubspot-signature-v3" }],
        message: ["method", "decoded-url", "body", "time"],
      },
      time: { at: { header: "x-hubspot-request-timestamp" }, unit: "ms", toleranceSeconds: 300 },
    },
  ],
  event: { at: [{ json: "[0].subscriptionType" }, { json: "subscriptionType" }], signed: true },
  // HubSpot counts its attempts in the body.
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Method, address, body and time, by HMAC-SHA256 in `X-HubSpot-Signature-v3`.",
    retries: `Up to ten times within 24 hours. The answer must come within 5 seconds. ${unknownRetryTime}`,
    setUp: [
      "Open the app, Auth, and copy the Client secret into the config.",
      "Webhooks, Target URL: ADDRESS. Put the same address into the config as `publicUrl`.",
      "Subscribe to the events and activate them. One request brings a list of up to 100 events: use `forEach`.",
    ],
    docs: "https://developers.hubspot.com/docs/api/webhooks/validating-requests",
  },
};
