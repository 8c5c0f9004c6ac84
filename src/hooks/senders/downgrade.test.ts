// A request never chooses a weaker proof than the one that the configured secret is for.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { aSender, aSenderRequest, isProven, proofOf, senderKind } from "../../../test/builders/sender.ts";
import { secretFor, signed, signedAt } from "../../../test/fixtures/senders/signed.ts";
import { cases } from "../../../test/support/cases.ts";
import { plainWord } from "./handshake.ts";

const now = signedAt;
const time = String(now / 1000);
const body = '{"object_kind":"push"}';
const whsec = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

type Parts = { headers?: Record<string, string>; body?: string; target?: string };
const prove = (settings: ReturnType<typeof aSender>, parts: Parts) =>
  proofOf(settings, aSenderRequest({ body, ...parts }), { now });

const standard = (key: Buffer, start = "webhook"): Record<string, string> => ({
  [`${start}-id`]: "msg_1",
  [`${start}-timestamp`]: time,
  [`${start}-signature`]: `v1,${createHmac("sha256", key).update(`msg_1.${time}.${body}`).digest("base64")}`,
});

describe("gitlab", () => {
  const tokenHeader = (token: string) => ({ "x-gitlab-token": token });

  test("a signing token is never taken as a plain one", async () => {
    const sender = aSender("gitlab", { secrets: [whsec] });
    assert.deepEqual(await prove(sender, { headers: tokenHeader(whsec) }), { failed: "header-missing" });
    const ids = { "webhook-id": "msg_1", "webhook-timestamp": time };
    assert.ok(!isProven(await prove(sender, { headers: { ...ids, ...tokenHeader(whsec) } })));
    const good = standard(Buffer.from(whsec.slice(6), "base64"));
    assert.ok(isProven(await prove(sender, { headers: { ...good, ...tokenHeader("anything") } })));
  });

  test("a plain token signs nothing", async () => {
    const sender = aSender("gitlab", { secrets: ["plain-token"] });
    assert.ok(isProven(await prove(sender, { headers: tokenHeader("plain-token") })));
    for (const key of [Buffer.from("plain-token"), Buffer.from("plain-token", "base64"), Buffer.alloc(0)])
      assert.deepEqual(await prove(sender, { headers: standard(key) }), { failed: "header-missing" });
  });

  test("with both, each goes with its own header", async () => {
    const sender = aSender("gitlab", { secrets: [whsec, "plain-token"] });
    assert.ok(!isProven(await prove(sender, { headers: tokenHeader(whsec) })));
    assert.ok(isProven(await prove(sender, { headers: tokenHeader("plain-token") })));
  });
});

describe("standard-webhooks", () => {
  const kind = senderKind("standard-webhooks");
  const keyed = signed(kind, kind.schemes[1]!);
  const { publicKeys } = keyed.settings;

  test("a public key is no shared secret", async () => {
    const sender = aSender("standard-webhooks", { publicKeys });
    const [written = ""] = publicKeys;
    const raw = Buffer.from(written, "base64");
    for (const key of [raw, raw.subarray(-32), Buffer.from(written)])
      assert.ok(!isProven(await prove(sender, { headers: standard(key) })));
  });

  test("a signature counts only under its own version", async () => {
    const own = keyed.request.headers["webhook-signature"]!;
    const headers = { ...keyed.request.headers, "webhook-signature": own.replace("v1a,", "v1,") };
    const both = aSender("standard-webhooks", { publicKeys, secrets: [whsec] });
    assert.ok(isProven(await prove(both, keyed.request)));
    assert.deepEqual(await prove(both, { ...keyed.request, headers }), { failed: "wrong-secret" });
    const mac = standard(Buffer.from(whsec.slice(6), "base64"));
    const renamed = { ...mac, "webhook-signature": mac["webhook-signature"]!.replace("v1,", "v1a,") };
    assert.ok(isProven(await prove(both, { headers: mac })));
    assert.deepEqual(await prove(both, { headers: renamed }), { failed: "wrong-secret" });
  });
});

describe("grafana", () => {
  const kind = senderKind("grafana");
  const [timed, , plain] = kind.schemes;

  test("without its time, a signature over time and body is wrong", async () => {
    const { settings, request } = signed(kind, timed!);
    const { "x-grafana-alerting-timestamp": at, ...headers } = request.headers;
    assert.deepEqual(await prove(settings, { ...request, headers }), { failed: "wrong-secret" });
    const joined = await prove(settings, { ...request, headers, body: `${at}:${request.body}` });
    // Its bytes are those that were signed, but they are no JSON.
    assert.throws(() => JSON.parse(`${at}:${request.body}`));
    assert.ok(isProven(joined));
  });

  test("an old one is refused, whatever header its time is in", async () => {
    const { settings, request } = signed(kind, timed!, { now: now - 301_000 });
    assert.equal(((await prove(settings, request)) as { failed?: string }).failed, "too-old");
    const { "x-grafana-alerting-timestamp": at = "", ...headers } = request.headers;
    const renamed = { ...headers, "x-grafana-alerting-signature-timestamp": at };
    assert.ok(!isProven(await prove(settings, { ...request, headers: renamed })));
  });

  test("a signature over the body alone counts without a time", async () => {
    const { settings, request } = signed(kind, plain!);
    assert.ok(isProven(await prove(settings, request)));
  });
});

describe("twilio", () => {
  const kind = senderKind("twilio");
  const json = signed(
    kind,
    kind.schemes.find(({ bodyHash }) => bodyHash !== undefined)!,
  );
  const form = signed(kind, kind.schemes[0]!);

  test("a hash in the address binds the body", async () => {
    assert.ok(isProven(await prove(json.settings, json.request)));
    const other = await prove(json.settings, { ...json.request, body: "Body=other" });
    assert.deepEqual(other, { failed: "body-changed" });
    const twice = await prove(json.settings, {
      ...json.request,
      target: `${json.request.target}&bodySHA256=00`,
    });
    assert.ok(!isProven(twice));
  });

  test("a form is not freed of its fields by a hash in the address", async () => {
    const other = "Body=other";
    const { createHash } = await import("node:crypto");
    const target = `/hooks/test?bodySHA256=${createHash("sha256").update(other).digest("hex")}`;
    assert.ok(!isProven(await prove(form.settings, { ...form.request, target, body: other })));
  });
});

describe("adyen", () => {
  const key = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";
  const sender = aSender("adyen", { secrets: [key] });
  const item = (parts: object) => ({
    NotificationRequestItem: {
      additionalData: { hmacSignature: "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=" },
      pspReference: "7914073381342284",
      merchantAccountCode: "TestMerchant",
      merchantReference: "TestPayment-1407325143704",
      amount: { value: 1130, currency: "EUR" },
      eventCode: "AUTHORISATION",
      success: "true",
      ...parts,
    },
  });
  const of = (...items: object[]) => ({ body: JSON.stringify({ notificationItems: items }) });

  test("every item is checked", async () => {
    assert.ok(isProven(await prove(sender, of(item({}), item({})))));
    for (const forged of [
      item({ success: "false" }),
      item({ amount: { value: 1, currency: "EUR" } }),
      item({ pspReference: "1" }),
      item({ additionalData: {} }),
      {},
    ])
      for (const items of [[item({}), forged], [forged, item({})], [forged]])
        assert.ok(!isProven(await prove(sender, of(...items))), JSON.stringify(items));
    assert.ok(!isProven(await prove(sender, of())));
    assert.ok(!isProven(await prove(sender, { body: "{}" })));
  });

  test("a colon in a reference moves no border", async () => {
    const moved = item({
      merchantAccountCode: "TestMerchant:TestPayment-1407325143704",
      merchantReference: "1130",
    });
    assert.ok(!isProven(await prove(sender, of(moved))));
    const shifted = item({
      originalReference: "",
      merchantReference: "TestPayment-1407325143704:1130",
      amount: { value: "EUR", currency: "" },
    });
    assert.ok(!isProven(await prove(sender, of(shifted))));
  });

  test("a signature in the header does not stand for the items, nor theirs for the header", async () => {
    const { body: payment } = of(item({}));
    const headers = { hmacsignature: "coqCmt/IZ4E3CzPvMY8zTjQVL5hYJUiBRg8UU+iCWo0=" };
    const forged = of(item({ success: "false" }));
    assert.ok(!isProven(await prove(sender, { ...forged, headers })));
    const own = createHmac("sha256", Buffer.from(key, "hex")).update(payment).digest("base64");
    const stolen = of(item({ success: "false", additionalData: { hmacSignature: own } }));
    assert.ok(!isProven(await prove(sender, stolen)));
  });
});

describe("zoom", () => {
  const kind = senderKind("zoom");
  const [validation] = kind.handshakes!;
  const secret = secretFor(kind, kind.schemes[0]!);
  const sender = aSender("zoom", { secrets: [secret] });
  const asks = (plainToken: string) =>
    aSenderRequest({ body: JSON.stringify({ event: "endpoint.url_validation", payload: { plainToken } }) });
  const answer = async (plainToken: string) => {
    assert.ok(validation?.proven === true);
    assert.ok(validation.asks(asks(plainToken)));
    const fetchText = () => Promise.reject(new Error("nothing is fetched here"));
    return validation.answer(asks(plainToken), { secret, fetchText });
  };

  test("its answer never signs an event", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.stringMatching(plainWord), fc.string(), fc.constant(`v0:${time}:${body}`)),
        async (plainToken) => {
          const given = await answer(plainToken);
          if (!plainWord.test(plainToken)) return assert.equal(given, null);
          const { encryptedToken } = JSON.parse(given?.body ?? "{}") as { encryptedToken: string };
          const headers = { "x-zm-request-timestamp": time, "x-zm-signature": `v0=${encryptedToken}` };
          for (const text of [plainToken, body, "", plainToken.slice(-8)])
            assert.ok(!isProven(await prove(sender, { headers, body: text })));
        },
      ),
      cases(200),
    );
  });

  test("a text that Zoom signs is no word", () => {
    for (const text of [`v0:${time}:${body}`, "v0:1:", "a:b", "", "a".repeat(129), "a b", "ä"])
      assert.equal(plainWord.test(text), false);
  });
});
