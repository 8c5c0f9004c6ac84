import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";

/** Forgejo sends both families. */
const families = ["gitea", "forgejo"] as const;

export const gitea: SenderKind = {
  id: "gitea",
  label: "Gitea and Forgejo",
  secret: { from: "us", where: "the field Secret of the webhook" },
  schemes: families.map((family) => ({
    proof: bodyMac({ header: `x-${family}-signature` }),
    delivery: { at: [{ header: `x-${family}-delivery` }], signed: false },
  })),
  event: {
    at: [{ header: "x-gitea-event" }, { header: "x-forgejo-event" }],
    signed: false,
  },
  replay: "body",
  body: { types: ["json", "form"], formField: "payload" },
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-Gitea-Signature` or `X-Forgejo-Signature`.",
    doesNotCheck: "The event's name and the delivery's id: they stand in headers that are not signed.",
    retries: "A few times, as the server's administrator has set it. A delivery can be sent again by hand.",
    setUp: [
      "Open Settings, Webhooks, Add webhook, Gitea (or Forgejo) of the repository or organisation.",
      "Target URL: ADDRESS. Method: POST. Content type: application/json. Secret: SECRET.",
      "Choose the events, then Add webhook, and send one with Test delivery.",
    ],
    docs: "https://docs.gitea.com/usage/webhooks",
  },
};
