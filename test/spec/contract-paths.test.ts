// Contract, section 2: which paths are hooks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestGateway, type TestGateway } from "../support/gateway.ts";

const at = async (gateway: TestGateway, target: string) => {
  const headers = [`Authorization: Bearer ${gateway.token}`];
  const { status, json } = await gateway.send({
    target,
    headers,
    body: '{"text":"x","message":"x","mode":"next-heartbeat"}',
  });
  return [status, json["code"]];
};

test("a trailing slash is ignored", async (t) => {
  const gateway = await startTestGateway(t);
  for (const target of ["/hooks/wake", "/hooks/wake/", "/hooks/wake?", "/hooks/wake/?a=b"])
    assert.deepEqual(await at(gateway, target), [200, undefined], target);
});

test("repeated slashes, dot segments, backslashes and encoded slashes are 404", async (t) => {
  const gateway = await startTestGateway(t);
  const targets = [
    "//hooks/wake",
    "/hooks//wake",
    "/hooks/wake//",
    "/hooks/./wake",
    "/hooks/../hooks/wake",
    "/x/../hooks/wake",
    "/hooks/wake/.",
    "/hooks/x/..",
    "/hooks/%2e/wake",
    "/hooks/%2E%2e/hooks/wake",
    "/hooks\\wake",
    "/hooks/x\\..\\wake",
    "/hooks%2fwake",
    "/hooks/x%2Fwake",
    "/hooks/x%5cwake",
  ];
  for (const target of targets) assert.deepEqual(await at(gateway, target), [404, "not-found"], target);
});

test("an absolute-form target names the hook by its path, whatever its authority; the same paths are 404", async (t) => {
  const gateway = await startTestGateway(t);
  for (const origin of ["http://other.test", "HTTPS://[::1]:8443"]) {
    assert.deepEqual(await at(gateway, `${origin}/hooks/wake?a=b`), [200, undefined]);
    assert.deepEqual(await at(gateway, `${origin}/hooks/wake?token=x`), [400, "token-in-query"]);
    for (const path of ["//hooks/wake", "/hooks//wake", "/hooks/../hooks/wake", "", "/wake"])
      assert.deepEqual(await at(gateway, origin + path), [404, "not-found"], path);
  }
  assert.deepEqual(await at(gateway, "http://user@other.test/hooks/wake"), [400, "bad-request"]);
  assert.deepEqual(await at(gateway, "ftp://other.test/hooks/wake"), [404, "not-found"]);
});

test("names are case-sensitive, and so is the prefix", async (t) => {
  const gateway = await startTestGateway(t);
  for (const target of ["/hooks/Wake", "/hooks/AGENT", "/hooks/%77ake", "/hooks/wake/x", "/hooks/", "/hooks"])
    assert.deepEqual(await at(gateway, target), [404, "unknown-hook"], target);
  for (const target of ["/Hooks/wake", "/hooks-x/wake", "/hookswake", "/", "/wake", "*"])
    assert.deepEqual(await at(gateway, target), [404, "not-found"], target);
});

test("only a caller with the token learns that a name is unknown", async (t) => {
  const gateway = await startTestGateway(t);
  const { status } = await gateway.send({ target: "/hooks/nobody", body: "{}" });
  assert.equal(status, 401);
});
