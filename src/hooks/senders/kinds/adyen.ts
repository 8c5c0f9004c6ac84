import { createHmac, timingSafeEqual } from "node:crypto";
import { readField } from "../../../core/field-path.ts";
import { decode } from "../keys.ts";
import type { ProofFailure, Prove, SenderKind, SignsBody } from "../kind.ts";

/**
 * Of each item, in the order in which they are signed. Colons join them, so all but one must have no colon: then the
 * borders are where we think they are.
 */
const fields: readonly { path: readonly string[]; pattern: RegExp }[] = [
  { path: ["pspReference"], pattern: /^[A-Za-z0-9]{1,64}$/ },
  { path: ["originalReference"], pattern: /^[A-Za-z0-9]{0,64}$/ },
  { path: ["merchantAccountCode"], pattern: /^[^:]{1,100}$/ },
  { path: ["merchantReference"], pattern: /^.{0,200}$/ },
  { path: ["amount", "value"], pattern: /^-?\d{0,20}$/ },
  { path: ["amount", "currency"], pattern: /^[A-Z]{0,3}$/ },
  { path: ["eventCode"], pattern: /^[A-Z0-9_]{1,64}$/ },
  { path: ["success"], pattern: /^(?:true|false)$/ },
];

const malformed: ProofFailure = { failed: "malformed" };

/** Null: a field is not as Adyen writes it. */
function signedText(item: unknown): string | null {
  const values = fields.map(({ path, pattern }) => {
    const value = readField(item, path) ?? "";
    const text =
      typeof value === "string" || typeof value === "number" || typeof value === "boolean"
        ? String(value)
        : null;
    return text !== null && pattern.test(text) ? text : null;
  });
  return values.includes(null) ? null : values.join(":");
}

/** Every item is checked: one that is right says nothing of its neighbours. */
const prove: Prove = async (request, { settings }) => {
  const items = readField(request.json(), ["notificationItems"]);
  if (!Array.isArray(items) || items.length === 0) return malformed;
  let fitting = settings.secrets.slice();
  for (const each of items) {
    const item = readField(each, ["NotificationRequestItem"]);
    const written = readField(item, ["additionalData", "hmacSignature"]);
    const signature = typeof written === "string" ? decode(written, "base64") : null;
    const text = signedText(item);
    if (signature === null || text === null) return malformed;
    fitting = fitting.filter((secret) => isSigned(text, signature, secret));
  }
  const [secret] = fitting;
  return secret === undefined ? { failed: "wrong-secret" } : { secret };
};

function isSigned(text: string, signature: Buffer, secret: string): boolean {
  const mac = macOf(text, secret);
  return mac !== null && mac.length === signature.length && timingSafeEqual(mac, signature);
}

function macOf(text: string, secret: string): Buffer | null {
  const key = decode(secret, "hex");
  return key && createHmac("sha256", key).update(text, "utf8").digest();
}

const signs: SignsBody = (payload, secret) => {
  const items = readField(payload, ["notificationItems"]);
  return (Array.isArray(items) ? items : []).flatMap((each, at) => {
    const text = signedText(readField(each, ["NotificationRequestItem"]));
    const mac = text === null ? null : macOf(text, secret);
    const path = ["notificationItems", at, "NotificationRequestItem", "additionalData", "hmacSignature"];
    return mac === null ? [] : [{ path, value: mac.toString("base64") }];
  });
};

export const adyen: SenderKind = {
  id: "adyen",
  label: "Adyen",
  secret: {
    from: "sender",
    shape: { pattern: /^(?:[0-9A-Fa-f]{2}){16,}$/, says: "is at least 32 digits of hex" },
    where: "HMAC Key of the webhook, under Security",
  },
  schemes: [
    {
      // Of platforms and management: one signature over the body.
      proof: {
        kind: "hmac",
        hash: "sha256",
        encoding: "base64",
        key: "hex",
        at: [{ header: "hmacsignature" }],
        message: ["body"],
      },
    },
    { proof: { kind: "code", prove, signs } },
  ],
  event: {
    at: [{ json: "notificationItems[0].NotificationRequestItem.eventCode" }, { json: "type" }],
    signed: true,
  },
  replay: "body",
  body: { types: ["json"] },
  answer: { status: 200, type: "text/plain; charset=utf-8", body: "[accepted]" },
  describe: {
    checks:
      "Payments: of every item its references, account, amount, event and success, by HMAC-SHA256 in the item. Platforms: the body, in `HmacSignature`.",
    doesNotCheck: "Of payments: all other fields of an item, and when it was sent.",
    retries: "For up to seven days with growing waits. The answer must come within 10 seconds.",
    setUp: [
      "Open Developers, Webhooks, Create new webhook, Standard webhook. URL: ADDRESS. Method: JSON.",
      "Security, HMAC Key: Generate, and copy the key into the config, then Save configuration.",
      "One request may bring several items: use `forEach`.",
    ],
    docs: "https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures/",
  },
};
