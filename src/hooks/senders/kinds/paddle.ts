import type { SenderKind } from "../kind.ts";
import { listedMac } from "../proofs.ts";

export const paddle: SenderKind = {
  id: "paddle",
  label: "Paddle",
  secret: { from: "sender", where: "Secret key of the notification destination" },
  schemes: [
    {
      ...listedMac({
        header: "paddle-signature",
        split: ";",
        tags: ["ts", "h1"],
        between: ":",
        toleranceSeconds: 300,
      }),
      delivery: { at: [{ json: "event_id" }], signed: true },
    },
  ],
  event: { at: [{ json: "event_type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks: "Time and body, by HMAC-SHA256 in `Paddle-Signature` (`h1`).",
    retries:
      "60 times within three days in live, 3 times in the sandbox. The answer must be 200 within 5 seconds.",
    setUp: [
      "Open Developer tools, Notifications, New destination. URL: ADDRESS. Choose the events.",
      "Open the destination again and copy its Secret key into the config.",
    ],
    docs: "https://developer.paddle.com/webhooks/signature-verification",
  },
};
