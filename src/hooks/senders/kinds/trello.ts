import type { SenderKind } from "../kind.ts";

export const trello: SenderKind = {
  id: "trello",
  label: "Trello",
  secret: { from: "sender", where: "Secret (of OAuth1) on the API key page of the Power-Up" },
  needs: { publicUrl: "the callback URL as it is given to Trello, since Trello signs it" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha1",
        encoding: "base64",
        key: "text",
        at: [{ header: "x-trello-webhook" }],
        message: ["body", "url"],
      },
      delivery: { at: [{ json: "action.id" }], signed: true },
    },
  ],
  event: { at: [{ json: "action.type" }], signed: true },
  replay: "body",
  body: { types: ["json"] },
  handshakes: [{ proven: false, method: "HEAD", asks: () => true, answer: () => ({ status: 200 }) }],
  describe: {
    checks: "Body and address, by HMAC-SHA1 in `X-Trello-Webhook`.",
    doesNotCheck: "When it was sent: a delivery has no time that is checked.",
    retries: "Three times, after 30, 60 and 120 seconds.",
    setUp: [
      "Open trello.com/power-ups/admin, your Power-Up, API key, and copy the Secret into the config.",
      "Make the webhook with the API: POST https://api.trello.com/1/webhooks, with idModel and callbackURL: ADDRESS. Put the same address into the config as `publicUrl`. Trello asks once, and Rouse answers.",
    ],
    docs: "https://developer.atlassian.com/cloud/trello/guides/rest-api/webhooks/",
  },
};
