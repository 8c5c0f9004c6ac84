// Contract, section 6: numbers of a payload keep their sender's digits wherever they are rendered, matched or become a
// key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { prepareMappings } from "../../src/hooks/mapping/prepare.ts";
import { explain } from "../../src/hooks/explain/explain.ts";
import { testConfig } from "../fixtures/hooks-server.ts";
import { faultOfMatch, mappingsOf } from "../fixtures/mapping-config.ts";
import { forEachStore, startTestGateway } from "../support/gateway.ts";
import { mapping, messageOf, moduleOf, runOf } from "../support/mapped.ts";

const numbers = [
  "9007199254740993",
  "9007199254740992",
  "12345678901234567891",
  "12345678901234567892",
  "1e400",
  "1.0",
  "1",
  "-0",
  "0",
  "1E5",
];

forEachStore("numbers keep their sender's digits", async (t, store) => {
  const mappings = [
    mapping("rendered", { messageTemplate: "{{ id }} {{ payload }}" }),
    mapping("keyed", { sessionKey: "hook:{{ id }}" }),
    mapping("each", { forEach: "items", messageTemplate: "{{ items[0].id }}" }),
    mapping("matched", { match: { path: "matched", payload: { id: ["12345678901234567891", 2] } } }),
    mapping("typed", {
      transform: { module: "typed.mjs" },
      messageTemplate: "{{ types }} {{ id }}",
    }),
  ];
  const types = "return { payload: { types: typeof input.payload.id, id: input.payload.id } };";
  const files = { "transforms/typed.mjs": moduleOf(types) };
  const gateway = await startTestGateway(t, { hooks: { mappings } }, { store, files });

  await t.test("in a message, alone and in JSON", async () => {
    for (const number of numbers) {
      const response = await gateway.post("rendered", `{"id":${number}}`);
      assert.equal(await messageOf(gateway, response), `${number} {"id":${number}}`);
    }
  });

  await t.test("in a session key: no two of them share one", async () => {
    const keys = new Set<string>();
    for (const number of numbers)
      keys.add((await runOf(gateway, await gateway.post("keyed", `{"id":${number}}`))).sessionKey);
    assert.deepEqual(
      [...keys],
      numbers.map((number) => `hook:${number}`),
    );
  });

  await t.test("in the elements of a list", async () => {
    const items = numbers.map((number) => `{"id":${number}}`).join();
    const { json } = await gateway.post("each", `{"items":[${items}]}`);
    const runs = await Promise.all((json["runIds"] as string[]).map((id) => gateway.inspect.findRun(id)));
    assert.deepEqual(
      runs.map((run) => run?.request.message),
      numbers.map((number) => [number]),
    );
  });

  await t.test("in a filter", async () => {
    for (const [id, status] of [
      ["12345678901234567891", 202],
      ["12345678901234567892", 204],
      ["2", 202],
      ["2.0", 202],
      ["2.5", 204],
      ['"2"', 204],
    ] as const)
      assert.equal((await gateway.post("matched", `{"id":${id}}`)).status, status, id);
  });

  await t.test("for a transform: as text where no number holds it", async () => {
    for (const [id, seen] of [
      ["12345678901234567891", "string 12345678901234567891"],
      ["1e400", "string 1e400"],
      ["1.0", "number 1"],
      ["7", "number 7"],
    ] as const)
      assert.equal(await messageOf(gateway, await gateway.post("typed", `{"id":${id}}`)), seen);
  });
});

test("explain shows the sender's digits", async () => {
  const config = testConfig();
  const any = { match: { path: "a" }, sessionKey: "k{{ id }}", messageTemplate: "{{ id }}" };
  const prepared = await prepareMappings({ ...config.hooks, mappings: mappingsOf([any]) });
  assert.ok(prepared.ok);
  const body = Buffer.from('{"id":12345678901234567891}');
  const request = { target: "/hooks/a", rawHeaders: [], body, now: 0 };
  const { actions } = await explain(request, config, {
    mappings: prepared.mappings,
    channels: new Set(["last"]),
  });
  const [action] = actions;
  assert.ok(action?.action === "agent");
  assert.deepEqual([action.message, action.sessionKey], ["12345678901234567891", "k12345678901234567891"]);
});

test("a filter's number that JavaScript cannot hold is a config error", () => {
  for (const value of [1e20, [1, 2 ** 53]]) {
    const [fault] = faultOfMatch({ path: "a", payload: { id: value } });
    assert.match(String(fault), /more digits than a number can hold: write it as text/);
  }
});
