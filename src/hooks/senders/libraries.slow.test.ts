// The senders' own libraries: what they sign is accepted, and what we sign they accept.
import assert from "node:assert/strict";
import { generateKeyPairSync, sign as signWithKey } from "node:crypto";
import { createRequire } from "node:module";
import { describe, test } from "node:test";
import { LinearWebhookClient } from "@linear/sdk/webhooks";
import { signWebhookPayload, verifyWebhookSignature } from "@notionhq/client";
import { sign as signForGithub, verify as verifyForGithub } from "@octokit/webhooks-methods";
import { Paddle } from "@paddle/paddle-node-sdk";
import { EventWebhook } from "@sendgrid/eventwebhook";
import { isValidSlackRequest } from "@slack/bolt/dist/receivers/verify-request.js";
import { verifyKey } from "discord-interactions";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { Webhook as SvixWebhook } from "svix";
import {
  getExpectedTwilioSignature,
  validateRequest,
  validateRequestWithBody,
} from "twilio/lib/webhooks/webhooks.js";
import {
  aSender,
  aSenderRequest,
  isProven,
  proofOf,
  senderKind,
  senderUrl,
} from "../../../test/builders/sender.ts";
import { signRequest } from "./sign.ts";

// Most libraries look at the clock of the process themselves.
const now = Date.now();
const seconds = Math.floor(now / 1000);
const body = `{"id":"evt_1","type":"thing.happened","webhookTimestamp":${now},"text":"Grüße, 世界 🎉 \\u001b"}`;
const changed = body.replace("happened", "Happened");
const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

type Headers = Record<string, string>;
type Library = {
  /** Left out: the library only verifies. */
  readonly sign?: (text: string, secret: string) => Headers | Promise<Headers>;
  readonly verify: (text: string, headers: Headers, secret: string) => unknown;
};

const standard = (start: string, Webhook: typeof StandardWebhook | typeof SvixWebhook): Library => ({
  sign: (text, secret) => ({
    [`${start}-id`]: "msg_1",
    [`${start}-timestamp`]: String(seconds),
    [`${start}-signature`]: new Webhook(secret).sign("msg_1", new Date(now), text),
  }),
  verify: (text, headers, secret) => new Webhook(secret).verify(text, headers),
});

const stripe: Library = {
  sign: (payload, secret) => ({
    "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds }),
  }),
  verify: (text, headers, secret) =>
    Stripe.webhooks.constructEvent(text, headers["stripe-signature"]!, secret),
};

const github: Library = {
  sign: async (text, secret) => ({ "x-hub-signature-256": await signForGithub(secret, text) }),
  verify: (text, headers, secret) => verifyForGithub(secret, text, headers["x-hub-signature-256"]!),
};

const notion: Library = {
  sign: async (text, verificationToken) => ({
    "x-notion-signature": await signWebhookPayload({ body: text, verificationToken }),
  }),
  verify: (text, headers, verificationToken) =>
    verifyWebhookSignature({ body: text, signature: headers["x-notion-signature"]!, verificationToken }),
};

const linear: Library = {
  verify: (text, headers, secret) =>
    new LinearWebhookClient(secret).verify(Buffer.from(text), headers["linear-signature"]!),
};

const paddle: Library = {
  verify: (text, headers, secret) =>
    new Paddle("key").webhooks.isSignatureValid(text, secret, headers["paddle-signature"]!),
};

const slack: Library = {
  verify: (text, headers, signingSecret) => {
    const timestamp = Number(headers["x-slack-request-timestamp"]);
    return isValidSlackRequest({
      signingSecret,
      body: text,
      headers: { "x-slack-signature": headers["x-slack-signature"]!, "x-slack-request-timestamp": timestamp },
      nowMilliseconds: timestamp * 1000,
    });
  },
};

const twilio: Library = {
  sign: (text, secret) => ({
    "x-twilio-signature": getExpectedTwilioSignature(secret, senderUrl, fieldsOf(text)),
  }),
  verify: (text, headers, secret) =>
    validateRequest(secret, headers["x-twilio-signature"]!, senderUrl, fieldsOf(text)),
};
const fieldsOf = (text: string) => Object.fromEntries(new URLSearchParams(text));

const libraries: readonly [kind: string, secret: string, library: Library][] = [
  ["github", "It's a Secret to Everybody", github],
  ["stripe", "whsec_test_secret", stripe],
  ["standard-webhooks", whsec, standard("webhook", StandardWebhook)],
  ["openai", whsec, standard("webhook", StandardWebhook)],
  ["gitlab", whsec, standard("webhook", StandardWebhook)],
  ["svix", whsec, standard("svix", SvixWebhook)],
  ["clerk", whsec, standard("svix", SvixWebhook)],
  ["resend", whsec, standard("svix", SvixWebhook)],
  ["notion", "secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl", notion],
  ["linear", "lin_wh_secret", linear],
  ["paddle", "pdl_ntfset_secret", paddle],
  ["slack", "8f742231b10e8888abcd99aaa1zz85a5", slack],
  ["twilio", "0123456789abcdef0123456789abcdef", twilio],
];

/** Some libraries say no with false, others with an error. */
const accepts = async ({ verify }: Library, text: string, headers: Headers, secret: string) => {
  try {
    return (await verify(text, headers, secret)) !== false;
  } catch {
    return false;
  }
};

describe("libraries with a shared secret", () => {
  for (const [kind, secret, library] of libraries) {
    const sender = aSender(kind, { secrets: [secret], publicUrl: senderUrl });

    if (library.sign !== undefined)
      test(`${kind}: what it signs is accepted`, async () => {
        const headers = await library.sign!(body, secret);
        const proven = await proofOf(sender, aSenderRequest({ headers, body }), { now });
        assert.ok(isProven(proven), JSON.stringify(proven));
        const refused = await proofOf(sender, aSenderRequest({ headers, body: changed }), { now });
        assert.deepEqual(refused, { failed: "wrong-secret" });
        const foreign = await library.sign!(body, `${secret.slice(0, -4)}AAAA`);
        const other = await proofOf(sender, aSenderRequest({ headers: foreign, body }), { now });
        assert.deepEqual(other, { failed: "wrong-secret" });
      });

    test(`${kind}: it accepts what we sign`, async () => {
      const unsigned = { method: "POST", target: "/hooks/test", headers: {}, body: Buffer.from(body) };
      // Paddle's library allows five seconds, and only looks back.
      const signedAt = kind === "paddle" ? now + 60_000 : now;
      const headers = signRequest(senderKind(kind), sender, unsigned, { now: signedAt, deliveryId: "msg_1" });
      assert.ok(headers);
      assert.equal(await accepts(library, body, headers, secret), true);
      assert.equal(await accepts(library, changed, headers, secret), false);
    });
  }
});

describe("Twilio's library", () => {
  const token = "0123456789abcdef0123456789abcdef";
  const form = new URLSearchParams([
    ["To", "+15551230000"],
    ["Body", "Hello, Wörld & more"],
    ["MediaUrl", "https://b.example"],
    ["MediaUrl", "https://a.example"],
    ["MediaUrl", "https://a.example"],
    ["Empty", ""],
  ]);
  const fields = {
    To: "+15551230000",
    Body: "Hello, Wörld & more",
    MediaUrl: ["https://b.example", "https://a.example", "https://a.example"],
    Empty: "",
  };
  const urls = [
    ["https://rouse.example/hooks/test", "https://rouse.example:443/hooks/test"],
    ["https://rouse.example:8443/hooks/test", "https://rouse.example/hooks/test"],
    ["http://rouse.example/hooks/test", "http://rouse.example:80/hooks/test"],
  ] as const;

  for (const [configured, other] of urls)
    test(`the address may be signed as ${configured} and as ${other}`, async () => {
      const sender = aSender("twilio", { secrets: [token], publicUrl: configured });
      for (const signed of [configured, other]) {
        const headers = { "x-twilio-signature": getExpectedTwilioSignature(token, signed, fields) };
        assert.equal(validateRequest(token, headers["x-twilio-signature"], configured, fields), true);
        const proven = await proofOf(sender, aSenderRequest({ headers, body: form.toString() }), { now });
        assert.ok(isProven(proven), `${signed}: ${JSON.stringify(proven)}`);
      }
      const signature = getExpectedTwilioSignature(token, "https://else.example/hooks/test", fields);
      const request = aSenderRequest({ headers: { "x-twilio-signature": signature }, body: form.toString() });
      assert.deepEqual(await proofOf(sender, request, { now }), { failed: "wrong-secret" });
    });

  test("JSON is signed by its hash in the address, by us as by the library", async () => {
    const sender = aSender("twilio", { secrets: [token], publicUrl: senderUrl });
    const { createHash } = await import("node:crypto");
    const query = `?bodySHA256=${createHash("sha256").update(body).digest("hex")}`;
    const headers = { "x-twilio-signature": getExpectedTwilioSignature(token, senderUrl + query, {}) };
    const request = { target: `/hooks/test${query}`, headers, body };
    assert.ok(isProven(await proofOf(sender, aSenderRequest(request), { now })));
    const refused = await proofOf(sender, aSenderRequest({ ...request, body: changed }), { now });
    assert.deepEqual(refused, { failed: "body-changed" });
    const unsigned = { method: "POST", target: request.target, headers: {}, body: Buffer.from(body) };
    const own = signRequest(senderKind("twilio"), sender, unsigned, { now, deliveryId: "1" });
    const signature = own?.["x-twilio-signature"] ?? "";
    assert.equal(validateRequestWithBody(token, signature, senderUrl + query, body), true);
  });
});

describe("libraries that verify with a public key", () => {
  test("discord", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    const written = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("hex");
    const sender = aSender("discord", { publicKeys: [written] });
    const signature = signWithKey(null, Buffer.from(`${seconds}${body}`), privateKey).toString("hex");
    const headers = { "x-signature-ed25519": signature, "x-signature-timestamp": String(seconds) };
    for (const [text, isRight] of [
      [body, true],
      [changed, false],
    ] as const) {
      assert.equal(await verifyKey(text, signature, String(seconds), written), isRight);
      assert.equal(
        isProven(await proofOf(sender, aSenderRequest({ headers, body: text }), { now })),
        isRight,
      );
    }
  });

  test("sendgrid", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    const written = publicKey.export({ format: "der", type: "spki" }).toString("base64");
    const sender = aSender("sendgrid", { publicKeys: [written] });
    const signature = signWithKey("sha256", Buffer.from(`${seconds}${body}`), privateKey).toString("base64");
    const headers = {
      "x-twilio-email-event-webhook-signature": signature,
      "x-twilio-email-event-webhook-timestamp": String(seconds),
    };
    const library = new EventWebhook();
    const key = library.convertPublicKeyToECDSA(written);
    for (const [text, isRight] of [
      [body, true],
      [changed, false],
    ] as const) {
      assert.equal(library.verifySignature(key, text, signature, String(seconds)), isRight);
      assert.equal(
        isProven(await proofOf(sender, aSenderRequest({ headers, body: text }), { now })),
        isRight,
      );
    }
  });
});

describe("GitHub's payloads", () => {
  type Example = { name: string; examples: readonly { action?: string }[] };
  const require = createRequire(import.meta.url);
  const events = require("@octokit/webhooks-examples") as readonly Example[];
  const secret = "It's a Secret to Everybody";

  test("each kind of event is proven and named", async () => {
    assert.ok(events.length > 50);
    for (const { name, examples } of events) {
      const [payload = {}] = examples;
      const text = JSON.stringify(payload);
      const headers = {
        "x-hub-signature-256": await signForGithub(secret, text),
        "x-github-event": name,
        "x-github-delivery": `delivery-of-${name}`,
      };
      const request = aSenderRequest({ headers, body: text });
      const proven = await proofOf(aSender("github", { secrets: [secret] }), request, { now });
      assert.ok(isProven(proven), name);
      const event = payload.action === undefined ? name : `${name}.${payload.action}`;
      assert.deepEqual(proven, { secret, event, delivery: { id: `delivery-of-${name}`, signed: false } });
    }
  });
});
