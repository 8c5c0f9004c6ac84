// The route that pushes arrive at, over a real server. Tokens are checked in oidc.test.ts.
import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import { silentLog } from "../../core/log.ts";
import { createServer } from "../../http/server.ts";
import { createCerts } from "./certs.ts";
import { oidc, surroundings } from "../../../test/fixtures/gmail-mailbox.ts";
import type { Hint } from "./hint.ts";
import { createPush } from "./push.ts";

const good = { aud: oidc.audience, email: oidc.serviceAccountEmail };
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");
const change = { emailAddress: "Me@Mail.test", historyId: "18446744073709551615" };
const bodyOf = (data: string): string =>
  JSON.stringify({
    message: { data, messageId: "1", message_id: "1" },
    subscription: "projects/p/subscriptions/s",
  });

async function open(t: TestContext) {
  const scene = await surroundings(t);
  const hints: Hint[] = [];
  const findKey = createCerts({ endpoint: scene.google.url, clock: scene.clock });
  const handle = createPush({
    expected: oidc,
    findKey,
    clock: scene.clock,
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
  const push = async (token: string | null, body = bodyOf(encode(change)), init: RequestInit = {}) => {
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
  return { ...scene, hints, push, token: scene.google.accounts.pushToken };
}

suite("pushes", { concurrency: true }, () => {
  test("a push with a good token gets 204 and is a hint", async (t) => {
    const { push, token, hints } = await open(t);
    assert.deepEqual(await push(token(good)), { status: 204, text: "" });
    assert.deepEqual(hints, [{ emailAddress: "me@mail.test", historyId: "18446744073709551615" }]);
  });

  test("a push without a good token is refused and is no hint", async (t) => {
    const { push, token, hints } = await open(t);
    const bad = {
      "no token": null,
      "no token's form": "abc",
      "another service account": token({ ...good, email: "push@other-project.iam.gserviceaccount.com" }),
      "no signature": `${token(good).split(".", 2).join(".")}.`,
    };
    for (const [name, each] of Object.entries(bad)) {
      const { status, text } = await push(each);
      assert.equal(status, 401, name);
      assert.match(text, /"code":"push-unauthorized"/, name);
    }
    assert.deepEqual(hints, []);
  });

  test("a body that is no notification of Gmail gets 204 and is ignored", async (t) => {
    const { push, token, hints } = await open(t);
    const ids = ["x", [123], ["123"], true, 1.5, null];
    const notData = [
      bodyOf("!"),
      bodyOf(encode([])),
      ...ids.map((historyId) => bodyOf(encode({ ...change, historyId }))),
    ];
    for (const body of ["{", "[]", "null", "{}", ...notData])
      assert.equal((await push(token(good), body)).status, 204, body);
    assert.equal(hints.length, 0);
  });

  test("a history id may be a number", async (t) => {
    const { push, token, hints } = await open(t);
    assert.equal((await push(token(good), bodyOf(encode({ ...change, historyId: 123 })))).status, 204);
    assert.equal(hints[0]?.historyId, "123");
  });

  test("a large body and another method are refused", async (t) => {
    const { push, token } = await open(t);
    assert.equal((await push(token(good), "x".repeat(70_000))).status, 413);
    assert.equal((await push(token(good), undefined, { method: "PUT" })).status, 405);
  });
});
