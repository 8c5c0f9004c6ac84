// Completes senders.
import type { SenderConfig } from "../config.ts";
import type { Settings } from "../schema/index.ts";

export const buildSenders = ({ senders }: Settings["hooks"]): SenderConfig[] =>
  Object.entries(senders).map(([name, written]) => ({
    name,
    kind: written.kind,
    secrets: written.secret ?? [],
    publicKeys: written.publicKey ?? [],
    publicUrl: written.publicUrl ?? null,
    verifyToken: written.verifyToken ?? null,
    origins: written.origins ?? [],
    topicArns: written.topicArns ?? [],
    audience: written.audience ?? null,
    serviceAccountEmail: written.serviceAccountEmail ?? null,
    webhookId: written.webhookId ?? null,
    header: written.header ?? null,
    custom: written.custom ?? null,
    toleranceSeconds: written.toleranceSeconds ?? null,
    maxBodyBytes: written.maxBodyBytes,
  }));
