// Settings that cannot work are faults of the configuration; those that can, of honest users, are not.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, test } from "node:test";
import type { CustomSenderConfig, SenderConfig } from "../../config/config.ts";
import { aSender } from "../../../test/builders/sender.ts";
import { senderKinds } from "./kinds/index.ts";
import { prepareSenders } from "./prepare.ts";

/** Each as `setting: message`. */
function faultsOf(kind: string, parts: Partial<SenderConfig> = {}): string[] {
  const prepared = prepareSenders([aSender(kind, parts)]);
  return prepared.ok
    ? []
    : prepared.findings.map(({ path, message }) => `${path.slice(3).join(".")}: ${message}`);
}

const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const hex32 = "0123456789abcdef0123456789abcdef";
const ed25519 = generateKeyPairSync("ed25519").publicKey;
const pem = ed25519.export({ format: "pem", type: "spki" }).toString();
const der = ed25519.export({ format: "der", type: "spki" });
const publicUrl = "https://rouse.example/hooks/test";

describe("secrets of a shape that the sender really gives out", () => {
  const given: readonly [kind: string, secret: string, parts?: Partial<SenderConfig>][] = [
    ["github", "It's a Secret to Everybody"],
    ["gitlab", "plain token"],
    ["gitlab", whsec],
    ["stripe", "whsec_5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH"],
    ["stripe", `whsec_${"0123456789abcdef".repeat(4)}`],
    ["slack", "8f742231b10e8888abcd99yyyzzz85a5"],
    ["meta", hex32, { verifyToken: "word" }],
    ["telegram", "A-b_9"],
    ["standard-webhooks", whsec],
    ["openai", `whsec_${Buffer.alloc(32, 7).toString("base64")}`],
    ["svix", `whsec_${Buffer.alloc(24, 7).toString("base64")}`],
    ["twilio", hex32, { publicUrl }],
    ["twitch", "s3cr3t-of-10"],
    ["adyen", "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056"],
    ["zendesk", "dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ=="],
    ["paddle", "pdl_ntfset_01gkdqvwnz5cjx2x6b3_abc+def/ghi"],
    ["linear", "lin_wh_abc"],
    ["basic", "user:pass:word"],
    ["microsoft-graph", "state of ours"],
  ];
  for (const [kind, secret, parts] of given)
    test(`${kind}: ${secret}`, () => assert.deepEqual(faultsOf(kind, { secrets: [secret], ...parts }), []));
});

describe("secrets that cannot be right", () => {
  const wrong: readonly [kind: string, secret: string, parts?: Partial<SenderConfig>][] = [
    ["stripe", "sk_live_abc"],
    ["slack", "xoxb-1234-abcd"],
    ["meta", "EAAGabc", { verifyToken: "word" }],
    ["telegram", "two words"],
    ["standard-webhooks", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    ["standard-webhooks", "whsec_not base64"],
    ["svix", "whsec_abcde"],
    ["gitlab", "whsec_!!"],
    ["openai", "sk-proj-abc"],
    ["twilio", "ACabc", { publicUrl }],
    ["twitch", "short"],
    ["adyen", "not hex at all, but long enough to be a key"],
    ["basic", "no colon"],
    ["microsoft-graph", "a".repeat(129)],
    ["github", "  "],
  ];
  for (const [kind, secret, parts] of wrong)
    test(`${kind}: ${secret.slice(0, 40)}`, () => {
      const faults = faultsOf(kind, { secrets: [secret], ...parts });
      assert.equal(faults.length, 1, faults.join("\n"));
      assert.match(faults[0]!, /^secret: (?:cannot be right|must not be blank)/);
      if (secret.trim() !== "") assert.ok(!faults[0]!.includes(secret), "a secret is never shown");
    });

  test("of several, the wrong one is named by its place", () => {
    const faults = faultsOf("stripe", { secrets: [whsec, "sk_live_abc"] });
    assert.equal(faults.length, 1);
    assert.match(faults[0]!, /^secret\.1: cannot be right: a secret of Stripe begins with whsec_/);
  });
});

describe("what a kind needs", () => {
  test("a secret, unless it comes otherwise", () => {
    for (const { id, secret } of senderKinds.values()) {
      const isAsked = faultsOf(id).some((fault) => fault.startsWith("secret: is required"));
      assert.equal(isAsked, secret.from === "us" || secret.from === "sender", id);
    }
  });

  test("each setting of its row, with where it is found", () => {
    for (const { id, needs = {} } of senderKinds.values())
      for (const [setting, where] of Object.entries(needs)) {
        const fault = faultsOf(id).find((each) => each.startsWith(`${setting}:`));
        assert.ok(fault?.includes(where), `${id} ${setting}`);
      }
  });

  test("settings without effect are told", () => {
    assert.match(
      faultsOf("github", { secrets: ["a"], publicUrl }).join(),
      /^publicUrl: has no effect on the kind github/,
    );
    assert.match(
      faultsOf("github", { secrets: ["a"], publicKeys: [pem] }).join(),
      /^publicKey: has no effect/,
    );
    assert.match(faultsOf("github", { secrets: ["a"], header: "x-a" }).join(), /^header: has no effect/);
  });

  test("an unknown kind is met with the nearest", () => {
    assert.match(faultsOf("githup").join(), /^kind: is no kind of sender: did you mean "github"\?/);
    assert.match(faultsOf("qqqqqqqqqqqq").join(), /`rouse senders kinds` lists them/);
  });
});

describe("public keys", () => {
  test("in every form that senders show", () => {
    const raw = der.subarray(-32);
    for (const written of [
      pem,
      der.toString("base64"),
      raw.toString("hex"),
      raw.toString("base64"),
      ` ${pem}\n`,
    ])
      assert.deepEqual(faultsOf("discord", { publicKeys: [written] }), []);
    const whpk = `whpk_${raw.toString("base64")}`;
    assert.deepEqual(faultsOf("standard-webhooks", { publicKeys: [whpk] }), []);
    assert.deepEqual(faultsOf("standard-webhooks", { publicKeys: [whpk], secrets: [whsec] }), []);
  });

  test("of another algorithm, or none", () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1024 }).publicKey.export({
      format: "pem",
      type: "spki",
    });
    const sendgrid =
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe62gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g==";
    assert.deepEqual(faultsOf("sendgrid", { publicKeys: [sendgrid] }), []);
    for (const written of [String(rsa), sendgrid, "abc", hex32])
      assert.match(
        faultsOf("discord", { publicKeys: [written] }).join(),
        /^publicKey: is no public key for ed25519/,
      );
    assert.match(
      faultsOf("sendgrid", { publicKeys: [pem] }).join(),
      /^publicKey: is no public key for ecdsa-sha256/,
    );
    assert.match(faultsOf("discord").join(), /^publicKey: is required/);
    assert.match(faultsOf("standard-webhooks").join(), /is required/);
  });
});

describe("custom", () => {
  const custom: CustomSenderConfig = {
    proof: "hmac",
    signature: { header: "x-signature" },
    algorithm: "sha256",
    encoding: "hex",
    key: "text",
    signed: "{body}",
    equalBodies: false,
  };
  const faults = (parts: Partial<CustomSenderConfig>, secrets = ["a secret"]) =>
    faultsOf("custom", { secrets, custom: { ...custom, ...parts } });

  test("a good one", () => assert.deepEqual(faults({}), []));
  test("keys of a form", () => {
    assert.deepEqual(faults({ key: "hex" }, ["00ff"]), []);
    assert.match(faults({ key: "hex" }, ["zz"]).join(), /^secret: cannot be right/);
    assert.match(faults({ key: "base64" }, ["a b"]).join(), /^secret: cannot be right/);
  });
  test("its own faults stand at its own settings", () => {
    assert.match(faults({ algorithm: "ed25519" }).join(), /custom\.algorithm: does not go with/);
    assert.match(faults({ signed: "{time}.{body}" }).join(), /custom\.signed: has \{time\}/);
    assert.match(faultsOf("custom", { secrets: ["a"] }).join(), /custom: is required/);
    assert.match(
      faultsOf("github", { secrets: ["a"], custom }).join(),
      /^custom: has no effect on the kind github/,
    );
  });
});
