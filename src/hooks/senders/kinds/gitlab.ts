import type { SenderKind } from "../kind.ts";

const signingToken = /^whsec_/;

export const gitlab: SenderKind = {
  id: "gitlab",
  label: "GitLab",
  secret: { from: "us", where: "the fields Signing token (19.0 and newer) or Secret token of the webhook" },
  schemes: [
    {
      secret: signingToken,
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "base64",
        key: "whsec",
        at: [{ header: "webhook-signature", list: { split: " ", by: ",", tag: "v1" } }],
        message: [
          { value: { header: "webhook-id" }, pattern: /^[^.]+$/ },
          { text: "." },
          "time",
          { text: "." },
          "body",
        ],
      },
      time: { at: { header: "webhook-timestamp" }, unit: "s", toleranceSeconds: 300 },
      delivery: { at: [{ header: "webhook-id" }], signed: true },
    },
    {
      // The secret's shape chooses: a request cannot fall back to the weaker scheme.
      secret: /^(?!whsec_)/,
      proof: { kind: "equal", at: [{ header: "x-gitlab-token" }] },
      // Not `X-Gitlab-Event-UUID`: events that follow from one another share it.
      delivery: { at: [{ header: "idempotency-key" }], signed: false },
    },
  ],
  event: { at: [{ header: "x-gitlab-event" }], signed: false },
  replay: "body",
  body: { types: ["json"] },
  describe: {
    checks:
      "With a signing token (`whsec_…`): id, time and body, by HMAC-SHA256. With a secret token: that token alone.",
    doesNotCheck: "The event's name. With a secret token, nothing of the request is covered.",
    retries: "A few times; after four failures in a row GitLab turns the webhook off, for 4xx for good.",
    setUp: [
      "Open Settings, Webhooks, Add new webhook of the project or group.",
      "URL: ADDRESS. Signing token: SECRET (older versions: Secret token).",
      "Choose the triggers, then Add webhook, and send one with Test.",
    ],
    docs: "https://docs.gitlab.com/user/project/integrations/webhooks/",
  },
};
