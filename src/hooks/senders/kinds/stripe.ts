import type { SenderKind } from "../kind.ts";
import { listedMac } from "../proofs.ts";

export const stripe: SenderKind = {
  id: "stripe",
  label: "Stripe",
  secret: {
    from: "sender",
    shape: { pattern: /^whsec_\S+$/, says: "begins with whsec_" },
    where: "Signing secret on the page of the endpoint in the Workbench",
  },
  schemes: [
    {
      ...listedMac({
        header: "stripe-signature",
        split: ",",
        tags: ["t", "v1"],
        between: ".",
        toleranceSeconds: 300,
      }),
      delivery: { at: [{ json: "id" }], signed: true },
    },
  ],
  event: { at: [{ json: "type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Time and body, by HMAC-SHA256 in `Stripe-Signature` (`v1`).",
    retries: "For three days with growing waits, in live mode.",
    setUp: [
      "Open Workbench, Webhooks, Add destination, and choose the events.",
      "Endpoint URL: ADDRESS.",
      "Copy the Signing secret of the new endpoint (`whsec_…`) into the config. `stripe listen` and Connect endpoints have secrets of their own: give a list.",
    ],
    docs: "https://docs.stripe.com/webhooks/signature",
  },
};
