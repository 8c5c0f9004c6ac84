import { echo, queryValue } from "../handshake.ts";
import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

export const dropbox: SenderKind = {
  id: "dropbox",
  label: "Dropbox",
  secret: { from: "sender", where: "App secret on the page of the app" },
  schemes: [{ proof: bodyMac({ header: "x-dropbox-signature" }) }],
  // Two changes of one account have equal bodies.
  replay: "none",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: false,
      method: "GET",
      asks: (request) => queryValue(request, "challenge") !== null,
      answer: (request) => echo(queryValue(request, "challenge") ?? ""),
    },
  ],
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-Dropbox-Signature`.",
    doesNotCheck: "When it was sent, and whether it came before: honest notifications are equal to the byte.",
    retries: "With growing waits over some hours. The answer must come within 10 seconds.",
    setUp: [
      "Open dropbox.com/developers/apps, your app, and copy the App secret into the config.",
      "Webhook URIs: ADDRESS, then Add. Dropbox asks once, and Rouse answers.",
    ],
    docs: "https://www.dropbox.com/developers/reference/webhooks",
  },
};
