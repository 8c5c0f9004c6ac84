import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

export const intercom: SenderKind = {
  id: "intercom",
  label: "Intercom",
  secret: { from: "sender", where: "Client secret under Basic information of the app" },
  schemes: [
    {
      proof: bodyMac({ header: "x-hub-signature", prefix: "sha1=", hash: "sha1" }),
      delivery: { at: [{ json: "id" }], signed: true },
    },
  ],
  event: { at: [{ json: "topic" }], signed: true },
  pings: ["ping"],
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA1 in `X-Hub-Signature`.",
    doesNotCheck: "When it was sent: a delivery has no time that is checked.",
    retries:
      "Once, after a minute; many failures pause the subscription. The answer must come within 5 seconds.",
    setUp: [
      "Open the Developer Hub, your app, Basic information, and copy the Client secret into the config.",
      "Webhooks, Your request endpoint URL: ADDRESS. Choose the topics, then Save. The `ping` is accepted and runs nothing.",
    ],
    docs: "https://developers.intercom.com/docs/webhooks/setting-up-webhooks",
  },
};
