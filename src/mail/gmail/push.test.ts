// The route of its own that pushes arrive at, over a real server, with tokens of the fake.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { suite, test, type TestContext } from "node:test";
import { faultReplies } from "../../../test/fakes/google.ts";
import { silentLog } from "../../core/log.ts";
import { createServer } from "../../http/server.ts";
import { createCerts } from "./certs.ts";
import { oidc, surroundings } from "../../../test/fixtures/gmail-mailbox.ts";
import type { Hint } from "./hint.ts";
import { createPush } from "./push.ts";

const good = { aud: oidc.audience, email: oidc.serviceAccountEmail };
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const said = { emailAddress: "Me@Mail.test", historyId: "18446744073709551615" };
const bodyOf = (data: string): string =>
  JSON.stringify({
    message: { data, messageId: "1", message_id: "1" },
    subscription: "projects/p/subscriptions/s",
  });

async function open(t: TestContext) {
  const room = await surroundings(t);
  const hints: Hint[] = [];
  const findKey = createCerts({ endpoint: room.google.url, clock: room.clock });
  const handle = createPush({
    expected: oidc,
    findKey,
    clock: room.clock,
    log: silentLog,
    onHint: (hint) => void hints.push(hint),
  });
  const server = createServer({
    host: "127.0.0.1",
    port: 0,
    maxConnections: 100,
    requestTimeoutMs: 30_000,
    handle,
    log: silentLog,
  });
  const { port } = await server.listen();
  t.after(() => server.stop());
  const push = async (token: string | null, body = bodyOf(encode(said)), init: RequestInit = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/gmail-pubsub`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        connection: "close",
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      body,
      ...init,
    });
    return { status: response.status, text: await response.text() };
  };
  return { ...room, hints, push, token: room.google.accounts.pushToken };
}

suite("pushes", { concurrency: true }, () => {
  test("a good one is answered with 204 and is a hint", async (t) => {
    const { push, token, hints, google } = await open(t);
    assert.deepEqual(await push(token(good)), { status: 204, text: "" });
    assert.deepEqual(hints, [{ emailAddress: "me@mail.test", historyId: "18446744073709551615" }]);
    assert.equal((await push(token({ ...good, iss: "accounts.google.com" }))).status, 204);
    assert.equal(google.count("/oauth2/v3/certs"), 1);
  });

  test("nothing but the whole truth is taken", async (t) => {
    const { push, token, hints, clock, google } = await open(t);
    const seconds = Math.floor(clock.now() / 1000);
    const stranger = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const [head = "", claims = "", signature = ""] = token(good).split(".");
    const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
    const other = Buffer.from(JSON.stringify({ ...good, aud: "x" })).toString("base64url");
    const bad: Record<string, string | null> = {
      "no token": null,
      "no token's form": "abc",
      "four parts": `${head}.${claims}.${signature}.x`,
      "no algorithm": `${none}.${claims}.`,
      "another algorithm": token(good, { header: { alg: "HS256" } }),
      "another key": token(good, { key: stranger }),
      "an unknown key": token(good, { header: { kid: "other" } }),
      "no key id": token(good, { header: { kid: undefined } }),
      "other claims under the signature": `${head}.${other}.${signature}`,
      "no signature": `${head}.${claims}.`,
      "another issuer": token({ ...good, iss: "https://accounts.example.com" }),
      "another audience": token({ ...good, aud: `${oidc.audience}/` }),
      "a list of audiences": token({ ...good, aud: [oidc.audience] }),
      "another service account": token({ ...good, email: "push@other-project.iam.gserviceaccount.com" }),
      "no service account": token({ aud: oidc.audience }),
      "not verified": token({ ...good, email_verified: false }),
      "verified as text": token({ ...good, email_verified: "true" }),
      expired: token({ ...good, iat: seconds - 4000, exp: seconds - 301 }),
      "from the future": token({ ...good, iat: seconds + 301 }),
      "no end": token({ ...good, exp: undefined }),
      "very long": token({ ...good, more: "x".repeat(9000) }),
    };
    for (const [name, each] of Object.entries(bad)) assert.equal((await push(each)).status, 401, name);
    assert.deepEqual(hints, []);
    assert.match((await push(null)).text, /"code":"push-unauthorized"/);
    assert.equal((await push(token({ ...good, iat: seconds + 299, exp: seconds - 299 }))).status, 204);
    assert.equal(google.count("/oauth2/v3/certs"), 1);
  });

  test("what a good token brings is only a hint: nonsense is answered and forgotten", async (t) => {
    const { push, token, hints } = await open(t);
    const bodies = [
      "{",
      "[]",
      "null",
      "{}",
      bodyOf("!"),
      bodyOf(encode([])),
      bodyOf(encode({ historyId: "x" })),
    ];
    for (const body of bodies) assert.equal((await push(token(good), body)).status, 204, body);
    assert.equal(hints.length, 0);
    assert.equal((await push(token(good), "x".repeat(70_000))).status, 413);
    assert.equal((await push(token(good), undefined, { method: "PUT" })).status, 405);
    assert.equal((await push(token(good), bodyOf(encode({ ...said, historyId: 123 })))).status, 204);
    assert.equal(hints[0]?.historyId, "123");
  });

  test("keys that cannot be had now were had before, and are asked for again later", async (t) => {
    const { push, token, google, clock } = await open(t);
    const takeBack = google.faults.add({ on: "/oauth2/v3/certs", reply: faultReplies.unavailable });
    assert.equal((await push(token(good))).status, 401);
    takeBack();
    assert.equal((await push(token(good))).status, 401);
    await clock.advance(60_000);
    assert.equal((await push(token(good))).status, 204);
    google.faults.add({ on: "/oauth2/v3/certs", reply: faultReplies.unavailable });
    await clock.advance(3_600_000);
    assert.equal((await push(token(good))).status, 204);
    await clock.advance(86_400_000);
    assert.equal((await push(token(good))).status, 401);
  });
});
