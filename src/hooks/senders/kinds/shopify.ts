import type { Scheme, SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

/** Events, the newer kind, has the same headers without `X-`. */
const schemeOf = (start: string): Scheme => ({
  proof: bodyMac({ header: `${start}shopify-hmac-sha256`, encoding: "base64" }),
  delivery: { at: [{ header: `${start}shopify-webhook-id` }], signed: false },
});

export const shopify: SenderKind = {
  id: "shopify",
  label: "Shopify",
  secret: {
    from: "sender",
    where:
      "Client secret of the app; for webhooks of the admin, the text under Settings, Notifications, Webhooks",
  },
  schemes: [schemeOf("x-"), schemeOf("")],
  event: { at: [{ header: "x-shopify-topic" }, { header: "shopify-topic" }], signed: false },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-Shopify-Hmac-Sha256`.",
    doesNotCheck: "The topic and the delivery's id: they stand in headers that are not signed.",
    retries:
      "Eight times within four hours; then a subscription made by API is deleted. The answer must come within 5 seconds.",
    setUp: [
      "Open Settings, Notifications, Webhooks, Create webhook (or subscribe with the API of your app).",
      "URL: ADDRESS. Format: JSON.",
      "Copy the text that signs webhooks (or the app's client secret) into the config. After a rotation both count for an hour: give a list.",
    ],
    docs: "https://shopify.dev/docs/apps/build/webhooks/subscribe/https",
  },
};
