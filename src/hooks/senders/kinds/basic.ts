import type { SenderKind } from "../kind.ts";

export const basic: SenderKind = {
  id: "basic",
  label: "A name and a password of ours",
  secret: {
    from: "us",
    shape: { pattern: /^[^:]+:.+$/, says: "is a name, a colon and a password" },
    where: "the name and the password that the sender is to send",
  },
  schemes: [{ proof: { kind: "basic" } }],
  replay: "none",
  body: { types: ["json", "form", "multipart", "xml"] },
  describe: {
    checks: "Name and password in `Authorization: Basic`.",
    doesNotCheck: "The body: name and password are the same for each request.",
    retries: "As the sender decides.",
    setUp: ["Give the sender the address ADDRESS, and as name and password the two sides of SECRET."],
    docs: "senders.md#a-sender-of-your-own",
  },
};
