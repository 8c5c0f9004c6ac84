import type { Proof, SenderKind } from "../kind.ts";

const hmac = (message: Extract<Proof, { kind: "hmac" }>["message"]): Proof => ({
  kind: "hmac",
  hash: "sha1",
  encoding: "base64",
  key: "text",
  at: [{ header: "x-twilio-signature" }],
  message,
});

const delivery = { at: [{ header: "i-twilio-idempotency-token" }], signed: false };
const hashParameter = "bodySHA256";
/** Twilio signs some addresses with their port and others without. */
const addresses = ["url", "url-other-port"] as const;

export const twilio: SenderKind = {
  id: "twilio",
  label: "Twilio",
  secret: {
    from: "sender",
    shape: { pattern: /^[0-9a-f]{32}$/, says: "is 32 digits of hex" },
    where: "Auth Token on the first page of the console",
  },
  needs: { publicUrl: "the address as it is entered in Twilio, since Twilio signs it" },
  schemes: [
    ...addresses.map((url) => ({ proof: hmac([url, "sorted-form"]), unlessQuery: hashParameter, delivery })),
    ...addresses.map((url) => ({ proof: hmac([url]), bodyHash: { query: hashParameter }, delivery })),
  ],
  event: { at: [{ form: "MessageStatus" }, { form: "SmsStatus" }, { form: "CallStatus" }], signed: true },
  replay: "body",
  body: { types: ["form", "json"] },
  // An empty TwiML document: nothing is sent back to the phone.
  answer: { status: 200, type: "text/xml; charset=utf-8", body: "<Response></Response>" },
  describe: {
    checks:
      "Address and fields, by HMAC-SHA1 in `X-Twilio-Signature`; for JSON, the body's hash in the address.",
    doesNotCheck:
      "When it was sent; the idempotency token, which stands in a header that is not signed; and where one field ends and the next begins, since Twilio signs names and values without a border.",
    retries:
      "Once on a lost connection; more with `#rc=` at the end of the address. The answer must come within 15 seconds.",
    setUp: [
      "Copy the Auth Token from the first page of console.twilio.com into the config.",
      "Phone Numbers, Active numbers, your number, Messaging, A message comes in: Webhook, ADDRESS, HTTP POST.",
      "Put the same address into the config as `publicUrl`.",
    ],
    docs: "https://www.twilio.com/docs/usage/webhooks/webhooks-security",
  },
};
