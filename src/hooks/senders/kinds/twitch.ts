import { readField } from "../../../core/field-path.ts";
import { singleHeader } from "../../../http/headers.ts";
import { echo } from "../handshake.ts";
import type { SenderKind } from "../kind.ts";

export const twitch: SenderKind = {
  id: "twitch",
  label: "Twitch EventSub",
  secret: {
    from: "us",
    shape: { pattern: /^[\x20-\x7e]{10,100}$/, says: "has 10 to 100 ASCII characters" },
    where: "`transport.secret` of the call that makes the subscription",
  },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "twitch-eventsub-message-signature", prefix: "sha256=" }],
        message: [{ value: { header: "twitch-eventsub-message-id" } }, "time", "body"],
      },
      time: { at: { header: "twitch-eventsub-message-timestamp" }, unit: "iso", toleranceSeconds: 600 },
      delivery: { at: [{ header: "twitch-eventsub-message-id" }], signed: true },
    },
  ],
  event: { at: [{ json: "subscription.type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: true,
      asks: ({ rawHeaders }) =>
        singleHeader(rawHeaders, "twitch-eventsub-message-type") === "webhook_callback_verification",
      answer(request) {
        const challenge = readField(request.json(), ["challenge"]);
        return typeof challenge === "string" ? echo(challenge, "text/plain") : null;
      },
    },
    {
      proven: true,
      // The type is not signed, the status is: an event, which is `enabled`, cannot be passed off as a revocation.
      asks: (request) =>
        singleHeader(request.rawHeaders, "twitch-eventsub-message-type") === "revocation" &&
        readField(request.json(), ["subscription", "status"]) !== "enabled",
      answer: () => ({ status: 204 }),
    },
  ],
  describe: {
    checks: "Id, time and body, by HMAC-SHA256 in `Twitch-Eventsub-Message-Signature`.",
    doesNotCheck: "The message's type, which stands in a header that is not signed.",
    retries:
      "A few times; too many failures revoke the subscription. That is told once; Rouse answers, runs nothing, and no event comes any more: make the subscription again.",
    setUp: [
      "Make the subscription with the API: POST https://api.twitch.tv/helix/eventsub/subscriptions.",
      "transport: method webhook, callback ADDRESS, secret SECRET. Twitch asks once, and Rouse answers.",
    ],
    docs: "https://dev.twitch.tv/docs/eventsub/handling-webhook-events/",
  },
};
