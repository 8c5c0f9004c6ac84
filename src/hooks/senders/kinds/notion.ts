import { readField } from "../../../core/field-path.ts";
import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";
import type { SenderRequest } from "../request.ts";

const tokenOf = (request: SenderRequest): string | null => {
  const token = readField(request.json(), ["verification_token"]);
  return typeof token === "string" && /^[A-Za-z0-9_-]{8,200}$/.test(token) ? token : null;
};

export const notion: SenderKind = {
  id: "notion",
  label: "Notion",
  secret: {
    from: "pairing",
    where: "the verification token, which Notion sends to the address once",
    pastedBack: true,
  },
  schemes: [
    {
      proof: bodyMac({ header: "x-notion-signature", prefix: "sha256=" }),
      delivery: { at: [{ json: "id" }], signed: true },
    },
  ],
  event: { at: [{ json: "type" }], signed: true },
  replay: "none",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: false,
      method: "POST",
      asks: (request) => tokenOf(request) !== null,
      async answer(request, { pairing }) {
        const token = tokenOf(request);
        if (token === null || pairing === null) return null;
        return (await pairing.take(token)) ? { status: 200 } : null;
      },
    },
  ],
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-Notion-Signature`.",
    doesNotCheck: "When it was sent: a delivery has no time of its own that is checked.",
    retries: "Up to eight times within a day, with growing waits.",
    setUp: [
      "Run `rouse senders pair NAME`: for ten minutes, the token that Notion sends is taken, once.",
      "Open the integration's Webhooks, Create a subscription. Webhook URL: ADDRESS.",
      "Press Verify, and enter the token that `rouse senders pair` shows.",
    ],
    docs: "https://developers.notion.com/reference/webhooks",
  },
};
