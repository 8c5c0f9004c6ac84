// Contract, sections 2 and 6: the responses of mapped hooks, and the defaults of their runs and events.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestGateway } from "../support/gateway.ts";
import { codeOf, messageOf, runOf, uuid7 } from "../support/mapped.ts";

test("responses and defaults of a mapping", async (t) => {
  const gateway = await startTestGateway(t, {
    hooks: {
      mappings: [
        { match: { path: "bare" }, messageTemplate: "m" },
        { match: { path: "note" }, action: "wake", textTemplate: "Build {{ id }}" },
        { match: { path: "later" }, action: "wake", wakeMode: "next-heartbeat", textTemplate: "t" },
        { match: { path: "empty" }, messageTemplate: " {{ nothing }} " },
        { match: { path: "empty-wake" }, action: "wake", textTemplate: "{{ nothing }}" },
        { match: { path: "no-template" } },
        { match: { path: "any" }, messageTemplate: "It is {{ payload }}." },
      ],
    },
  });

  await t.test("an agent mapping: 202 with the run's id, and the defaults", async () => {
    const response = await gateway.post("bare", {});
    assert.deepEqual(Object.keys(response.json), ["ok", "runId"]);
    assert.match(String(response.json["runId"]), uuid7);
    const run = await runOf(gateway, response);
    assert.deepEqual(
      [run.hook, run.agentId, run.requestedAgentId, run.sessionKey],
      ["bare", "main", null, `hook:${run.id}`],
    );
    const { unsafe, wakeMode, deliver, channel } = run.request;
    assert.deepEqual([unsafe, wakeMode, deliver, channel], [false, "now", true, "last"]);
    const { name, to, model, thinking, timeoutSeconds } = run.request;
    assert.deepEqual([name, to, model, thinking, timeoutSeconds], [null, null, null, null, null]);
  });

  await t.test("a wake mapping: 200 with mode and event", async () => {
    const now = await gateway.post("note", { id: 7 });
    assert.deepEqual([now.status, now.json["ok"], now.json["mode"]], [200, true, "now"]);
    const event = await gateway.inspect.findEvent(String(now.json["eventId"]));
    assert.deepEqual(event && [event.hook, event.source, event.text], ["note", "wake", ["Build 7"]]);
    const later = await gateway.post("later", {});
    assert.deepEqual([later.status, later.json["mode"]], [200, "next-heartbeat"]);
  });

  await t.test("`now` asks for a heartbeat, and its prompt shows the event", async () => {
    await gateway.post("note", { id: 8 });
    await gateway.waitFor("a heartbeat that shows it", async () =>
      (await gateway.runs("heartbeat")).some(({ reply }) => reply?.includes("Build 8")),
    );
  });

  await t.test("text that renders blank is 400 and names the field", async () => {
    for (const [name, path] of [
      ["empty", "message"],
      ["no-template", "message"],
      ["empty-wake", "text"],
    ] as const) {
      const response = await gateway.post(name, {});
      assert.deepEqual(codeOf(response), [400, "invalid-payload"]);
      assert.deepEqual(response.json["details"], [{ path, message: "is required" }]);
    }
  });

  await t.test("any JSON is a payload", async () => {
    for (const [body, shown] of [
      ['["a",1]', '["a",1]'],
      ['"text"', "text"],
      ["12.5", "12.5"],
      ["true", "true"],
      ["null", ""],
      ['{"a":{"b":1}}', '{"a":{"b":1}}'],
    ] as const)
      assert.equal(await messageOf(gateway, await gateway.post("any", body)), `It is ${shown}.`);
  });

  await t.test("the body is checked as for any hook", async () => {
    assert.deepEqual(codeOf(await gateway.post("any", "")), [400, "invalid-json"]);
    assert.deepEqual(codeOf(await gateway.post("any", "{")), [400, "invalid-json"]);
    assert.deepEqual(codeOf(await gateway.post("any", `"${"x".repeat(262_144)}"`)), [413, "body-too-large"]);
  });
});
