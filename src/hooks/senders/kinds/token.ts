import type { SenderKind } from "../kind.ts";

export const token: SenderKind = {
  id: "token",
  label: "A secret of ours in a header",
  secret: { from: "us", where: "the header that the sender is to send" },
  takes: ["header"],
  schemes: [{ proof: { kind: "equal", at: [{ header: "x-webhook-token" }] } }],
  replay: "none",
  body: { types: ["json", "form", "multipart", "xml"] },
  describe: {
    checks: "The secret in `X-Webhook-Token`, or in the header that `header` names.",
    doesNotCheck: "The body: the secret is the same for each request.",
    retries: "As the sender decides.",
    setUp: ["Give the sender the address ADDRESS and the header X-Webhook-Token: SECRET."],
    docs: "senders.md#a-sender-of-your-own",
  },
};
