// Contract, section 7: a mapping's own idempotency key, for callers that cannot send the header.
import assert from "node:assert/strict";
import { test } from "node:test";
import { forEachStore, startTestGateway } from "../support/gateway.ts";
import { codeOf, lastRecord, mapping } from "../support/mapped.ts";

const replayed = "idempotent-replayed";

forEachStore("a repeated key gets the first response, whatever else is in the body", async (t, store) => {
  const gateway = await startTestGateway(
    t,
    {
      hooks: {
        mappings: [
          mapping("order", { idempotencyKey: "{{ order.id }} {{ headers.x-part }}" }),
          mapping("other", { idempotencyKey: "{{ order.id }}" }),
          mapping("opened", {
            match: { path: "issue", payload: { action: "opened" } },
            idempotencyKey: "{{ id }}",
          }),
          mapping("closed", {
            match: { path: "issue", payload: { action: "closed" } },
            idempotencyKey: "{{ id }}",
          }),
          mapping("list", { forEach: "items", idempotencyKey: "{{ items.size }}-{{ batch }}" }),
          mapping("form", { idempotencyKey: "{{ MessageSid }}" }),
        ],
      },
    },
    { store },
  );
  const part = ["X-Part: 1"];
  const first = await gateway.post("order", { order: { id: 7 } }, part);
  const again = await gateway.post("order", { order: { id: 7 }, attempt: 2 }, part);
  assert.deepEqual([again.status, again.json, again.headers[replayed]], [202, first.json, "true"]);
  assert.notDeepEqual((await gateway.post("order", { order: { id: 7 } }, ["X-Part: 2"])).json, first.json);
  assert.notDeepEqual((await gateway.post("other", { order: { id: 7 } })).json, first.json, "another hook");

  await t.test("a key belongs to its mapping", async () => {
    const opened = await gateway.post("issue", { action: "opened", id: 1 });
    const closed = await gateway.post("issue", { action: "closed", id: 1 });
    assert.notEqual(closed.json["runId"], opened.json["runId"]);
    assert.deepEqual((await gateway.post("issue", { action: "closed", id: 1, more: 1 })).json, closed.json);
  });

  await t.test("a blank key, and one in which a reference is missing, is none", async () => {
    for (const payload of [{}, { order: {} }, { order: { id: " " } }]) {
      const one = await gateway.post("other", payload);
      const two = await gateway.post("other", payload);
      assert.deepEqual([one.status, two.status, two.headers[replayed]], [202, 202, undefined]);
      assert.notEqual(one.json["runId"], two.json["runId"]);
    }
    const [one, two] = [
      await gateway.post("order", { order: { id: 8 } }),
      await gateway.post("order", { order: { id: 8 } }),
    ];
    assert.notEqual(one.json["runId"], two.json["runId"], "its header is missing");
  });

  await t.test("a long key, and one of other than visible ASCII, counts whole", async () => {
    const ids = ["x".repeat(5000), `${"x".repeat(4999)}y`, "a b", "ä", "a\nb"];
    const runs = new Map<string, unknown>();
    for (const id of ids) runs.set(id, (await gateway.post("other", { order: { id } })).json["runId"]);
    assert.equal(new Set(runs.values()).size, ids.length);
    for (const id of ids)
      assert.equal((await gateway.post("other", { order: { id }, again: 1 })).json["runId"], runs.get(id));
  });

  await t.test("with forEach, it is the request's", async () => {
    const body = { batch: "a", items: [1, 2, 3] };
    const one = await gateway.post("list", body);
    assert.equal((one.json["runIds"] as string[]).length, 3);
    assert.deepEqual((await gateway.post("list", { ...body, items: [4, 5, 6] })).json, one.json);
    assert.notDeepEqual((await gateway.post("list", { ...body, items: [4, 5] })).json, one.json);
  });

  await t.test("of a form, too", async () => {
    const type = ["Content-Type: application/x-www-form-urlencoded"];
    const one = await gateway.post("form", "MessageSid=SM1&Body=x", type);
    assert.equal(one.status, 202);
    assert.deepEqual((await gateway.post("form", "Body=x&MessageSid=SM1", type)).json, one.json);
  });

  await t.test("the header wins, and its keys are others", async () => {
    const header = ["Idempotency-Key: 9"];
    const one = await gateway.post("other", { order: { id: 9 } }, header);
    const two = await gateway.post("other", { order: { id: 9 } });
    assert.notEqual(two.json["runId"], one.json["runId"]);
    assert.deepEqual(codeOf(await gateway.post("other", { order: { id: 10 } }, header)), [
      422,
      "idempotency-mismatch",
    ]);
    const written = ["Idempotency-Key: mapping"];
    assert.equal((await gateway.post("other", { order: { id: 9 } }, written)).headers[replayed], undefined);
  });

  await t.test("concurrent requests with one key give one run", async () => {
    const before = (await gateway.runs()).length;
    const all = await Promise.all(
      Array.from({ length: 8 }, (_, at) => gateway.post("other", { order: { id: "twin" }, at })),
    );
    assert.equal(new Set(all.map(({ json }) => json["runId"])).size, 1);
    assert.equal((await gateway.runs()).length, before + 1);
  });
});

/** A transform that does what the payload says. */
const byStep = `export default function ({ payload }) {
  if (payload.step === "fails") throw new Error("broken");
  if (payload.step === "nothing") return null;
  return payload.step === "refused" ? { channel: "pigeon" } : undefined;
}`;

test("the key is looked at before the transform runs; only what was done is kept", async (t) => {
  const gateway = await startTestGateway(
    t,
    {
      hooks: { mappings: [mapping("a", { idempotencyKey: "{{ id }}", transform: { module: "step.mjs" } })] },
    },
    { files: { "transforms/step.mjs": byStep } },
  );
  const steps: [id: number, does: string, status: number, isReplayed: boolean][] = [
    [1, "fails", 500, false],
    [1, "refused", 400, false],
    [1, "accepts", 202, false],
    [1, "fails", 202, true],
    [1, "nothing", 202, true],
    [2, "nothing", 204, false],
    [2, "accepts", 204, true],
  ];
  for (const [id, step, status, isReplayed] of steps) {
    const response = await gateway.post("a", { id, step });
    assert.deepEqual(
      [response.status, response.headers[replayed] === "true"],
      [status, isReplayed],
      `${id} ${step}`,
    );
  }
});

test("a key that cannot be rendered is 500, with the reason for the operator", async (t) => {
  const gateway = await startTestGateway(t, {
    hooks: { mappings: [mapping("a", { idempotencyKey: "{% for i in (1..9) %}{{ text }}{% endfor %}" })] },
  });
  assert.deepEqual(codeOf(await gateway.post("a", { text: "x".repeat(60_000) })), [500, "mapping-failed"]);
  assert.match((await lastRecord(gateway)).reason, /^a: .*it needs more than the 200,000 characters/);
  assert.equal((await gateway.post("a", { text: "x" })).status, 202);
});
