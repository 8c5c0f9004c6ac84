// Contract: named tokens (`hooks.tokens`).
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { codeOf, lastRecord, mapping, runOf } from "../support/mapped.ts";
import { loadSettings, startTestGateway, type TestGateway } from "../support/gateway.ts";

const ci = "ci-token-that-is-long-enough-1";
const next = "ci-token-that-is-long-enough-2";
const wrong = "no-token-that-anybody-has-here";
const work = { message: "build it", wakeMode: "next-heartbeat", deliver: false };

const send = (gateway: TestGateway, name: string, token: string, body: unknown = work) =>
  gateway.send({
    target: `/hooks/${name}`,
    headers: [`Authorization: Bearer ${token}`],
    body: JSON.stringify(body),
  });

const named = (hooks: readonly string[], token: unknown = ci) => ({ ci: { token, hooks } });

describe("named tokens", { concurrency: 4 }, () => {
  test("a named token opens its hooks and those below its prefixes, and hooks.token opens every hook", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: {
        tokens: named(["agent", "build/*"]),
        mappings: [mapping("build/deploy"), mapping("build"), mapping("other")],
      },
    });
    for (const name of ["agent", "build/deploy", "agent/"])
      assert.equal((await send(gateway, name, ci)).status, 202, name);
    for (const name of ["wake", "build", "other", "unheard-of", "build/unheard-of", "buildx/deploy", "Agent"])
      assert.deepEqual(codeOf(await send(gateway, name, ci)), [404, "unknown-hook"], name);
    for (const name of ["agent", "build/deploy", "build", "other"])
      assert.equal((await send(gateway, name, gateway.token)).status, 202, name);
  });

  test("a right token on a hook that it does not open is no failure, and no byte of its body is read", async (t) => {
    const gateway = await startTestGateway(t, {
      hooks: { tokens: named(["agent"]), authFailures: { max: 1 } },
    });
    for (let count = 0; count < 3; count++)
      assert.deepEqual(codeOf(await send(gateway, "wake", ci)), [404, "unknown-hook"]);
    assert.equal((await send(gateway, "wake", wrong)).status, 401);
    assert.equal((await send(gateway, "wake", wrong)).status, 429);
    const early = gateway.raw(
      `POST /hooks/wake HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ci}\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
    );
    assert.equal((await early.next()).status, 404);
  });

  test("its name stands on its runs and on records of its requests; hooks.token has none", async (t) => {
    const never = { match: { path: "quiet", payload: { action: "opened" } } };
    const gateway = await startTestGateway(t, {
      hooks: {
        tokens: named(["agent", "many", "quiet"]),
        mappings: [mapping("quiet", never), mapping("many", { forEach: "items" })],
      },
    });
    const credentialOf = async (token: string) =>
      (await runOf(gateway, await send(gateway, "agent", token))).request.credential;
    assert.equal(await credentialOf(ci), "ci");
    assert.equal(await credentialOf(gateway.token), null);
    await send(gateway, "many", ci, { items: [1, 2] });
    const runs = (await gateway.runs()).filter(({ hook }) => hook === "many");
    assert.deepEqual(
      runs.map(({ request }) => request.credential),
      ["ci", "ci"],
    );
    assert.equal((await send(gateway, "quiet", ci, { action: "closed" })).status, 204);
    assert.equal((await lastRecord(gateway)).credential, "ci");
    assert.equal((await send(gateway, "quiet", gateway.token, { action: "closed" })).status, 204);
    assert.equal((await lastRecord(gateway)).credential, null);
  });

  test("a list is for a rotation: each of its tokens counts, from a file, too", async (t) => {
    const gateway = await startTestGateway(
      t,
      { hooks: { tokens: named(["agent"], [ci, { file: "ci-token" }]) } },
      { files: { "ci-token": `${next}\n` } },
    );
    for (const token of [ci, next]) {
      const run = await runOf(gateway, await send(gateway, "agent", token));
      assert.equal(run.request.credential, "ci");
    }
  });

  test("a reload takes up a new token and revokes a removed one, alone", async (t) => {
    const other = { token: next, hooks: ["wake"] };
    const gateway = await startTestGateway(
      t,
      { hooks: { tokens: { ...named(["agent"]), other }, authFailures: { max: 1000 } } },
      { watchMs: 20 },
    );
    assert.equal((await send(gateway, "agent", ci)).status, 202);
    const file = join(gateway.folder, "rouse.jsonc");
    const settings = JSON.parse(readFileSync(file, "utf8")) as { hooks: { tokens: object } };
    settings.hooks.tokens = { other: { ...other, hooks: ["wake", "agent"] } };
    writeFileSync(file, JSON.stringify(settings));
    await gateway.waitFor("the reload", async () => (await send(gateway, "agent", ci)).status === 401);
    assert.equal((await send(gateway, "agent", next)).status, 202);
    assert.equal((await send(gateway, "agent", gateway.token)).status, 202);
  });

  test("two equal tokens anywhere are a config error", (t) => {
    const own = "the-services-own-token-0123456789";
    const hook = "the-hook-token-0123456789-abcdefg";
    const problems = (hooks: object) => {
      const loaded = loadSettings(t, {
        gateway: { auth: { token: own } },
        hooks: { enabled: true, token: hook, mappings: [mapping("shop")], ...hooks },
      });
      return loaded.ok ? [] : loaded.problems.map(({ path }) => path);
    };
    assert.deepEqual(problems({ tokens: named(["agent"]) }), []);
    for (const equal of [own, hook])
      assert.deepEqual(problems({ tokens: named(["agent"], equal) }), ["hooks.tokens.ci.token"]);
    assert.deepEqual(problems({ tokens: { ...named(["agent"]), two: { token: ci, hooks: ["wake"] } } }), [
      "hooks.tokens.two.token",
    ]);
    const senders = { shop: { kind: "token", header: "x-shop", secret: ci } };
    assert.deepEqual(problems({ tokens: named(["agent"]), senders }), ["hooks.senders.shop.secret"]);
    assert.deepEqual(problems({ token: [hook, hook] }), ["hooks.token[1]"]);
  });

  test("a named token under 24 characters is a warning", (t) => {
    const warned = (token: string) =>
      loadSettings(t, {
        hooks: { enabled: true, token: next, tokens: named(["agent"], token) },
      }).warnings.some(({ path }) => path === "hooks.tokens.ci.token");
    assert.equal(warned("x".repeat(23)), true);
    assert.equal(warned("x".repeat(24)), false);
  });
});
