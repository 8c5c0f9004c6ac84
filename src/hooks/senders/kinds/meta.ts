import { timingSafeEqual } from "node:crypto";
import { echo, queryValue } from "../handshake.ts";
import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

export const meta: SenderKind = {
  id: "meta",
  label: "Meta (WhatsApp, Messenger, Instagram)",
  secret: {
    from: "sender",
    shape: { pattern: /^[0-9a-f]{32}$/, says: "is 32 digits of hex" },
    where: "App secret under App settings, Basic",
  },
  needs: { verifyToken: "a word of your own; enter the same one as Verify token beside the callback URL" },
  schemes: [{ proof: bodyMac({ header: "x-hub-signature-256", prefix: "sha256=" }) }],
  event: { at: [{ json: "object" }, { json: "entry[0].changes[0].field" }], signed: true, join: true },
  replay: "body",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: false,
      method: "GET",
      asks: (request) => queryValue(request, "hub.mode") === "subscribe",
      answer(request, { settings }) {
        const token = queryValue(request, "hub.verify_token");
        const challenge = queryValue(request, "hub.challenge");
        const isRight =
          token !== null && settings.verifyToken !== null && isSame(token, settings.verifyToken);
        return isRight && challenge !== null ? echo(challenge) : null;
      },
    },
  ],
  describe: {
    checks:
      "The body, by HMAC-SHA256 in `X-Hub-Signature-256`. The question at the set-up must have our verify token.",
    doesNotCheck: "When it was sent: a delivery has no time.",
    retries: "For up to 36 hours with growing waits.",
    setUp: [
      "Open developers.facebook.com, your app, Webhooks (or WhatsApp, Configuration).",
      "Callback URL: ADDRESS. Verify token: the config's `verifyToken`. Meta asks once, and Rouse answers.",
      "Copy the App secret into the config, and subscribe to the fields.",
    ],
    docs: "https://developers.facebook.com/docs/graph-api/webhooks/getting-started",
  },
};

const width = 512;

/** In constant time, also in length. */
function isSame(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => {
    const bytes = Buffer.alloc(width);
    bytes.write(text, "utf8");
    return bytes;
  });
  return one.length === other.length && one.length <= width && timingSafeEqual(left!, right!);
}
