import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { senderKinds } from "./kinds/index.ts";
import { senderRequest } from "./request.ts";
import type { SenderSettings } from "./settings.ts";
import { signRequest } from "./sign.ts";
import { createVerifier } from "./verify.ts";

const now = Date.UTC(2026, 10, 19, 12);
const whsec = "whsec_c29tZSBzZWNyZXQgb2YgdGVzdHM=";
const secrets: Readonly<Record<string, string>> = {
  stripe: "whsec_c29tZSBzZWNyZXQgb2YgdGVzdHM",
  "standard-webhooks": whsec,
  svix: whsec,
  clerk: whsec,
  resend: whsec,
  openai: whsec,
  adyen: "44782def547aaa06c910c43932b1eb0c71fc68d9d0c057550c48ec2acf6ba056",
  slack: "8f742231b10e8888abcd99yyyzzz85a5",
};

const settingsOf = (secret: string): SenderSettings => ({
  name: "test",
  secrets: [secret],
  publicKeys: [],
  publicUrl: "https://rouse.example/hooks/test",
  verifyToken: null,
  origins: [],
  topicArns: [],
  audience: null,
  serviceAccountEmail: null,
  webhookId: null,
  header: null,
  toleranceSeconds: null,
});

const unreachable = () => Promise.reject(new Error("nothing is fetched here"));

/** The others have private keys, sign inside of the body, or have rows that only a configuration fills in. */
const signing = [...senderKinds.values()].filter(({ schemes }) =>
  schemes.some(
    ({ proof }) =>
      proof.kind === "basic" ||
      ((proof.kind === "hmac" || proof.kind === "equal") && proof.at.some((place) => "header" in place)),
  ),
);

describe("every row that can sign verifies what it signed", () => {
  for (const kind of signing) {
    test(kind.id, async () => {
      const settings = settingsOf(secrets[kind.id] ?? "a secret of the test");
      const body = Buffer.from(`{"webhookTimestamp":${now},"type":"thing"}`);
      const unsigned = { method: "POST", target: "/hooks/test", headers: {}, body };
      const headers = signRequest(kind, settings, unsigned, { now, deliveryId: "delivery-1" });
      assert.ok(headers);
      const verifier = createVerifier(kind, settings);
      const head = { ...unsigned, rawHeaders: Object.entries(headers).flat() };
      assert.equal(verifier.checkHead(head, now), null);
      const deps = { now, settings, fetchText: unreachable };
      const proven = await verifier.prove(senderRequest(head, body), deps);
      assert.ok(!("failed" in proven), JSON.stringify(proven));
      const changed = Buffer.from(body.toString().replace("thing", "other"));
      const refused = await verifier.prove(senderRequest(head, changed), deps);
      if (kind.schemes.every(({ proof }) => proof.kind === "hmac"))
        assert.deepEqual(refused, { failed: "wrong-secret" });
    });
  }
});
