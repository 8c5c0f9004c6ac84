// Tokens of Pub/Sub, good and forged, against the fake's keys.
import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { suite, test, type TestContext } from "node:test";
import { faultReplies } from "../../../test/fakes/google.ts";
import { oidc, surroundings } from "../../../test/fixtures/gmail-mailbox.ts";
import { rsaKey } from "../../../test/support/rsa.ts";
import { createCerts } from "./certs.ts";
import { tokenFault } from "../../core/google-token.ts";

const good = { aud: oidc.audience, email: oidc.serviceAccountEmail };
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

async function open(t: TestContext) {
  const { google, clock } = await surroundings(t);
  const findKey = createCerts({ endpoint: google.url, clock });
  return {
    google,
    clock,
    token: google.accounts.pushToken,
    seconds: Math.floor(clock.now() / 1000),
    faultOf: (token: string) => tokenFault(token, { expected: oidc, findKey, now: clock.now() }),
    keyFetches: () => google.count("/oauth2/v3/certs"),
  };
}

type Scene = Awaited<ReturnType<typeof open>>;

async function assertFaults(scene: Scene, fault: string, tokens: Record<string, string>): Promise<void> {
  for (const [name, token] of Object.entries(tokens)) assert.equal(await scene.faultOf(token), fault, name);
}

suite("the tokens of pushes", { concurrency: true }, () => {
  test("a token of the right service account and audience is good, from either issuer name of Google", async (t) => {
    const { faultOf, token, keyFetches } = await open(t);
    assert.equal(await faultOf(token(good)), null);
    assert.equal(await faultOf(token({ ...good, iss: "accounts.google.com" })), null);
    assert.equal(keyFetches(), 1);
  });

  test("a text that is not three JSON parts is no token", async (t) => {
    const scene = await open(t);
    const [head = "", claims = "", signature = ""] = scene.token(good).split(".");
    await assertFaults(scene, "it is no token", {
      "one part": "abc",
      "two parts": `${head}.${claims}`,
      "four parts": `${head}.${claims}.${signature}.x`,
      "a header that is no JSON": `abc.${claims}.${signature}`,
      "claims that are a list": `${head}.${encode([])}.${signature}`,
      "very long": scene.token({ ...good, more: "x".repeat(9000) }),
    });
    assert.equal(scene.keyFetches(), 0);
  });

  test("only RS256 counts: not none, and not HS256 with the public key as its secret", async (t) => {
    const scene = await open(t);
    const { token, google } = scene;
    const secret = createSecretKey(Buffer.from(google.accounts.publicKeyPem()));
    const [, claims = "", signature = ""] = token(good).split(".");
    await assertFaults(scene, "its algorithm is not RS256", {
      none: `${encode({ alg: "none", kid: "fake-key-1" })}.${claims}.`,
      "none, signed": `${encode({ alg: "none" })}.${claims}.${signature}`,
      "none in capitals": token(good, { header: { alg: "NONE" } }),
      "the public key as a shared secret": token(good, { header: { alg: "HS256" }, key: secret }),
      "another hash": token(good, { header: { alg: "RS512" } }),
      "another padding": token(good, { header: { alg: "PS256" } }),
      "several algorithms": token(good, { header: { alg: ["RS256", "none"] } }),
      "no algorithm": token(good, { header: { alg: undefined } }),
    });
    assert.equal(scene.keyFetches(), 0);
  });

  test("claims are checked before any key is fetched", async (t) => {
    const scene = await open(t);
    const { token, seconds } = scene;
    const cases: Record<string, object[]> = {
      "its issuer is not Google": [{ iss: "https://accounts.example.com" }, { iss: undefined }],
      "its audience is another": [{ aud: `${oidc.audience}/` }, { aud: [oidc.audience] }, { aud: undefined }],
      "its service account is another": [
        { email: "push@other-project.iam.gserviceaccount.com" },
        { email: undefined },
      ],
      "its service account is not verified": [{ email_verified: false }, { email_verified: "true" }],
      "it has expired": [
        { iat: seconds - 4000, exp: seconds - 301 },
        { exp: undefined },
        { exp: `${seconds + 60}` },
      ],
      "it is from the future": [{ iat: seconds + 301 }, { iat: undefined }],
    };
    for (const [fault, changes] of Object.entries(cases))
      for (const change of changes)
        assert.equal(await scene.faultOf(token({ ...good, ...change })), fault, JSON.stringify(change));
    assert.equal(scene.keyFetches(), 0);
  });

  test("a claim of another type is refused, also where its text would be right", async (t) => {
    const scene = await open(t);
    const { token, seconds } = scene;
    const issuer = "https://accounts.google.com";
    const cases: Record<string, object[]> = {
      "its issuer is not Google": [
        { iss: [issuer] },
        { iss: [[issuer]] },
        { iss: ["accounts.google.com"] },
        { iss: { 0: issuer } },
        { iss: null },
      ],
      "its audience is another": [{ aud: [oidc.audience] }, { aud: [[oidc.audience]] }, { aud: true }],
      "its service account is another": [
        { email: [oidc.serviceAccountEmail] },
        { email: { toString: oidc.serviceAccountEmail } },
      ],
      "its service account is not verified": [
        { email_verified: 1 },
        { email_verified: [true] },
        { email_verified: {} },
      ],
      "it has expired": [{ exp: [seconds + 60] }, { exp: true }, { exp: null }],
      "it is from the future": [{ iat: [seconds] }, { iat: `${seconds}` }, { iat: null }],
    };
    for (const [fault, changes] of Object.entries(cases))
      for (const change of changes)
        assert.equal(await scene.faultOf(token({ ...good, ...change })), fault, JSON.stringify(change));
    assert.equal(scene.keyFetches(), 0);
  });

  test("a time that is too large for a number is refused", async (t) => {
    const scene = await open(t);
    const [head = "", claims = "", signature = ""] = scene.token(good).split(".");
    const withTime = (name: "exp" | "iat", written: string) => {
      const text = Buffer.from(claims, "base64url").toString();
      const changed = text.replace(new RegExp(`"${name}":[0-9]+`), `"${name}":${written}`);
      assert.notEqual(changed, text);
      return `${head}.${Buffer.from(changed).toString("base64url")}.${signature}`;
    };
    assert.equal(await scene.faultOf(withTime("exp", "1e999")), "it has expired");
    assert.equal(await scene.faultOf(withTime("iat", "-1e999")), "it is from the future");
  });

  test("clocks may differ by five minutes", async (t) => {
    const { faultOf, token, seconds } = await open(t);
    assert.equal(await faultOf(token({ ...good, iat: seconds + 299, exp: seconds - 299 })), null);
  });

  test("a wrong signature is refused", async (t) => {
    const scene = await open(t);
    const { token } = scene;
    const stranger = rsaKey("stranger").privateKey;
    const [head = "", claims = "", signature = ""] = token(good).split(".");
    await assertFaults(scene, "its signature is wrong", {
      "another key under the right id": token(good, { key: stranger }),
      "other claims": `${head}.${encode({ ...JSON.parse(Buffer.from(claims, "base64url").toString()), sub: "2" })}.${signature}`,
      "no signature": `${head}.${claims}.`,
      "an extension that must be understood": token(good, { header: { crit: ["x"], x: 1 } }),
    });
  });

  test("keys are found by their ids among several", async (t) => {
    const scene = await open(t);
    const { token, google } = scene;
    const key = google.accounts.addKey("second");
    assert.equal(await scene.faultOf(token(good)), null);
    assert.equal(await scene.faultOf(token(good, { header: { kid: "second" }, key })), null);
    await assertFaults(scene, "its signature is wrong", {
      "the second key under the id of the first": token(good, { key }),
      "the first key under the id of the second": token(good, { header: { kid: "second" } }),
    });
    await assertFaults(scene, "its key is not one of Google's", {
      "an unknown id": token(good, { header: { kid: "other" } }),
      "no id": token(good, { header: { kid: undefined } }),
      "an id that is no text": token(good, { header: { kid: 1 } }),
    });
    assert.equal(scene.keyFetches(), 1);
  });

  test("an unknown key id leads to one fetch a minute, and then finds a new key", async (t) => {
    const { faultOf, token, google, clock, keyFetches } = await open(t);
    assert.equal(await faultOf(token(good)), null);
    const key = google.accounts.addKey("new");
    const later = () => token(good, { header: { kid: "new" }, key });
    for (let times = 0; times < 5; times++) assert.match((await faultOf(later())) ?? "", /key is not one/);
    assert.equal(keyFetches(), 1);
    await clock.advance(60_000);
    assert.equal(await faultOf(later()), null);
    assert.equal(keyFetches(), 2);
  });

  test("key fetches that fail come after growing waits, whatever Google asks for", async (t) => {
    for (const retryAfter of ["0", "-1", "NaN", "Mon, 01 Jan 2001 00:00:00 GMT", "999999999"]) {
      const { faultOf, token, google, clock, keyFetches } = await open(t);
      const reply = { ...faultReplies.unavailable, headers: { "retry-after": retryAfter } };
      google.faults.add({ on: "/oauth2/v3/certs", reply });
      for (let minute = 0; minute < 120; minute++) {
        await faultOf(token(good));
        await clock.advance(60_000);
      }
      const fetches = keyFetches();
      assert.ok(fetches > 1 && fetches < 60, `${retryAfter}: ${fetches} fetches in two hours`);
    }
  });

  test("keys serve for a day while Google is away", async (t) => {
    const { faultOf, token, google, clock, keyFetches } = await open(t);
    assert.equal(await faultOf(token(good)), null);
    google.faults.add({ on: "/oauth2/v3/certs", reply: faultReplies.unavailable });
    await clock.advance(86_399_999);
    assert.equal(await faultOf(token(good)), null);
    assert.equal(keyFetches(), 2);
    await clock.advance(1);
    assert.equal(await faultOf(token(good)), "its key is not one of Google's");
    assert.equal(keyFetches(), 2);
  });
});
