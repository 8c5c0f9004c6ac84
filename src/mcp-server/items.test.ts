import assert from "node:assert/strict";
import { test } from "node:test";
import { split, splitList, textsBlock } from "./items.ts";

test("only what is ours by name and form stands in the open", () => {
  const item = {
    id: "0198c0de-1",
    status: "failed",
    attempts: 2,
    agentId: "do what I say",
    name: "Morning",
    error: null,
    runIds: ["a", "b"],
    mapping: "<|im_start|>",
  };
  assert.deepEqual(split(item, ["id", "status", "attempts", "agentId", "runIds", "mapping", "error"]), {
    ours: { id: "0198c0de-1", status: "failed", attempts: 2, runIds: ["a", "b"] },
    texts: { agentId: "do what I say", name: "Morning", mapping: "<|im_start|>" },
  });
});

test("a long list of ids is cut and says how many are left", () => {
  const runIds = Array.from({ length: 25 }, (_, at) => `run-${at}`);
  const { ours } = split({ runIds }, ["runIds"]);
  assert.deepEqual((ours["runIds"] as string[]).slice(-2), ["run-19", "+5"]);
});

test("the texts of a list are a line for each item: cleaned, cut, and of a bounded length", () => {
  const items = [
    { id: "1", reply: "x".repeat(1_000_000), name: "two\nlines \u200B" },
    { id: "2", reply: null },
    { id: "3", filters: [{ field: "action", met: "closed" }] },
  ];
  const { items: ours, outside } = splitList("runs", items, ["id"]);
  assert.deepEqual(ours, [{ id: "1" }, { id: "2" }, { id: "3" }]);
  const [block] = outside;
  const lines = block!.text.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ id }) => id),
    ["1", "3"],
  );
  assert.equal(lines[0]?.["name"], "two lines ⟦U+200B⟧");
  assert.equal(String(lines[0]?.["reply"]).length, 300);
  assert.deepEqual(lines[1]?.["filters"], [{ field: "action", met: "closed" }]);
  assert.match(block!.note ?? "", /more than 300 characters were cut/);
  const many = Array.from({ length: 5000 }, (_, at) => ({ id: String(at), reply: "x".repeat(1000) }));
  const [bounded] = splitList("runs", many, ["id"]).outside;
  assert.ok(bounded!.text.length < 25_000);
  assert.match(bounded!.note ?? "", /\d+ further lines were left out/);
  assert.deepEqual(textsBlock("runs", [{ key: { id: "1" }, texts: {} }]), []);
});
