import { createHash, timingSafeEqual } from "node:crypto";
import { readField } from "../../../core/field-path.ts";
import { echo, queryValue } from "../handshake.ts";
import type { Prove, SenderKind } from "../kind.ts";

const digest = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest();

/** Every item must have a state of ours: one that is right says nothing of its neighbours. */
const prove: Prove = async (request, { settings }) => {
  const items = readField(request.json(), ["value"]);
  if (!Array.isArray(items) || items.length === 0) return { failed: "malformed" };
  const secrets = settings.secrets.map((secret) => ({ secret, digest: digest(secret) }));
  let all: string[] = settings.secrets.slice();
  for (const item of items) {
    const state = readField(item, ["clientState"]);
    if (typeof state !== "string") return { failed: "malformed" };
    const presented = digest(state);
    const fitting = secrets
      .filter((each) => timingSafeEqual(each.digest, presented))
      .map(({ secret }) => secret);
    if (fitting.length === 0) return { failed: "wrong-secret" };
    all = all.filter((secret) => fitting.includes(secret));
  }
  return { secret: all[0] ?? null };
};

export const microsoftGraph: SenderKind = {
  id: "microsoft-graph",
  label: "Microsoft Graph",
  secret: {
    from: "us",
    shape: { pattern: /^.{1,128}$/, says: "has at most 128 characters" },
    where: "`clientState` of the call that makes the subscription",
  },
  schemes: [{ proof: { kind: "code", prove } }],
  event: { at: [{ json: "value[0].lifecycleEvent" }, { json: "value[0].changeType" }], signed: false },
  // Two changes of one resource can have equal bodies.
  replay: "none",
  body: { types: ["json"] },
  handshakes: [
    {
      proven: false,
      method: "POST",
      asks: (request) => queryValue(request, "validationToken") !== null,
      answer: (request) => echo(queryValue(request, "validationToken") ?? ""),
    },
  ],
  answer: { status: 202 },
  describe: {
    checks: "`clientState` of every notification in the body.",
    doesNotCheck:
      "The rest of a notification: the state is the same for each. Encrypted resource data is not decrypted. Fetch what changed from Graph itself.",
    retries: "For up to 4 hours. The answer must come within 3 seconds, or Graph slows down.",
    setUp: [
      "Make the subscription: POST https://graph.microsoft.com/v1.0/subscriptions, with notificationUrl ADDRESS and clientState SECRET. Graph asks once, and Rouse answers.",
      "Renew it before its expirationDateTime.",
    ],
    docs: "https://learn.microsoft.com/graph/change-notifications-delivery-webhooks",
  },
};
