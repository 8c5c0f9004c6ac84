import type { SenderKind } from "../kind.ts";

export const box: SenderKind = {
  id: "box",
  label: "Box",
  secret: {
    from: "sender",
    where: "Primary Key and Secondary Key under Webhooks of the app (give both as a list)",
  },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "base64",
        key: "text",
        at: [{ header: "box-signature-primary" }, { header: "box-signature-secondary" }],
        message: ["body", "time"],
      },
      time: { at: { header: "box-delivery-timestamp" }, unit: "iso", toleranceSeconds: 600 },
      // `BOX-DELIVERY-ID` is another one at each try.
      delivery: { at: [{ json: "id" }], signed: true },
    },
  ],
  event: { at: [{ json: "trigger" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Body and time, by HMAC-SHA256 in `BOX-SIGNATURE-PRIMARY` or `-SECONDARY`.",
    retries:
      "Up to 10 times, first after 5 minutes, then with growing waits. The answer must come within 30 seconds. Box calls port 443 only.",
    setUp: [
      "Open app.box.com/developers/console, your app, Webhooks, Manage signature keys, and copy both keys into the config.",
      "Create Webhook, V2. URL Address: ADDRESS. Choose the content and the triggers.",
    ],
    docs: "https://developer.box.com/guides/webhooks/v2/signatures-v2/",
  },
};
