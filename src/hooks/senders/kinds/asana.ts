import { singleHeader } from "../../../http/headers.ts";
import type { SenderKind } from "../kind.ts";
import { bodyMac } from "../proofs.ts";
import type { SenderRequest } from "../request.ts";

const header = "x-hook-secret";

const secretOf = ({ rawHeaders }: SenderRequest): string | null => {
  const secret = singleHeader(rawHeaders, header);
  return typeof secret === "string" && /^[\x21-\x7e]{8,200}$/.test(secret) ? secret : null;
};

export const asana: SenderKind = {
  id: "asana",
  label: "Asana",
  secret: {
    from: "pairing",
    where: "the secret that Asana sends to the address once, when the webhook is made",
  },
  schemes: [{ proof: bodyMac({ header: "x-hook-signature" }) }],
  // Heartbeats have equal bodies.
  replay: "none",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: false,
      method: "POST",
      asks: (request) => secretOf(request) !== null,
      async answer(request, { pairing }) {
        const secret = secretOf(request);
        if (secret === null || pairing === null) return null;
        return (await pairing.take(secret)) ? { status: 200, headers: { "X-Hook-Secret": secret } } : null;
      },
    },
  ],
  describe: {
    checks: "The body, by HMAC-SHA256 in `X-Hook-Signature`.",
    doesNotCheck: "When it was sent, and whether it came before: heartbeats are equal to the byte.",
    retries:
      "With growing waits for 24 hours; then the webhook is deleted. The answer must come within 10 seconds.",
    setUp: [
      "Run `rouse senders pair NAME`: for ten minutes, the secret that Asana sends is taken, once.",
      "Make the webhook with the API: POST https://app.asana.com/api/1.0/webhooks, with the resource and target: ADDRESS.",
    ],
    docs: "https://developers.asana.com/docs/webhooks-guide",
  },
};
