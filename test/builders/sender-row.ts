// A sender with a row of its own, for tests of what reads rows.
import type { SenderConfig } from "../../src/config/config.ts";
import { hiddenOf } from "../../src/hooks/senders/hidden.ts";
import type { SenderKind } from "../../src/hooks/senders/kind.ts";
import type { Sender, Senders } from "../../src/hooks/senders/prepare.ts";
import { createVerifier } from "../../src/hooks/senders/verify.ts";

/** Signs the body by HMAC-SHA256 in `x-signature`, in hex. */
export const aSenderKind = (more: Partial<SenderKind> = {}): SenderKind => ({
  id: "test",
  label: "A sender of tests",
  secret: { from: "us", where: "here" },
  schemes: [
    {
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "hex",
        key: "text",
        at: [{ header: "x-signature" }],
        message: ["body"],
      },
      delivery: { at: [{ header: "x-delivery" }], signed: false },
    },
  ],
  event: { at: [{ header: "x-event" }], signed: false },
  replay: "body",
  body: { types: ["json"] },
  describe: { checks: "", retries: "", setUp: [], docs: "" },
  ...more,
});

export const senderSecret = "the secret of a sender of tests";

export const aSenderConfig = (more: Partial<SenderConfig> = {}): SenderConfig => ({
  name: "test",
  kind: "test",
  secrets: [senderSecret],
  publicKeys: [],
  publicUrl: null,
  verifyToken: null,
  origins: [],
  topicArns: [],
  audience: null,
  serviceAccountEmail: null,
  webhookId: null,
  header: null,
  custom: null,
  toleranceSeconds: null,
  maxBodyBytes: 1_048_576,
  ...more,
});

export function aSender(row: Partial<SenderKind> = {}, settings: Partial<SenderConfig> = {}): Sender {
  const kind = aSenderKind(row);
  const config = aSenderConfig(settings);
  return {
    name: config.name,
    kind,
    settings: config,
    verifier: createVerifier(kind, config),
    hidden: hiddenOf(kind),
    toleranceSeconds: 300,
  };
}

export const sendersOf = (...senders: Sender[]): Senders => new Map(senders.map((each) => [each.name, each]));
