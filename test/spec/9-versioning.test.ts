// Specification, section 9: the breaking change, and the setting that restores the former behaviour.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestGateway } from "../support/gateway.ts";

const request = { message: "m", sessionKey: "hook:legacy", wakeMode: "next-heartbeat" };

describe("versioning", { concurrency: 4 }, () => {
  test("request-supplied sessionKey overrides are disabled by default", async (t) => {
    const gateway = await startTestGateway(t);
    const { status, json } = await gateway.post("agent", request);
    assert.deepEqual([status, json["code"]], [400, "session-key-not-allowed"]);
    assert.deepEqual(await gateway.runs(), []);
  });

  test("legacy behaviour is restored by setting hooks.allowRequestSessionKey to true", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { allowRequestSessionKey: true } });
    const { status, json } = await gateway.post("agent", request);
    assert.equal(status, 202);
    assert.equal((await gateway.inspect.findRun(String(json["runId"])))?.sessionKey, "hook:legacy");
  });

  test("recommended: a fixed hooks.defaultSessionKey with request overrides off", async (t) => {
    const gateway = await startTestGateway(t, { hooks: { defaultSessionKey: "hook:ingress" } });
    assert.equal((await gateway.post("agent", request)).status, 400);
    const { json } = await gateway.post("agent", { message: "m", wakeMode: "next-heartbeat" });
    assert.equal((await gateway.inspect.findRun(String(json["runId"])))?.sessionKey, "hook:ingress");
  });

  test("no version is required in paths or headers, and none is sent", async (t) => {
    const gateway = await startTestGateway(t);
    const { status, headers } = await gateway.post("wake", { text: "x" });
    assert.equal(status, 200);
    assert.deepEqual(
      Object.keys(headers).filter((name) => /version|server|powered/.test(name)),
      [],
    );
  });
});
