import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryKey } from "./delivery-key.ts";

const signed = [Buffer.from("v0:1:"), Buffer.from("{}")];
const body = { replay: "body" } as const;
const none = { replay: "none" } as const;
const key = (id: string | null, isSigned: boolean, kind: { replay: "body" | "none" }) =>
  deliveryKey({ delivery: id === null ? null : { id, signed: isSigned }, signed }, kind, 300);

test("an id that is signed is the only key", () => {
  assert.deepEqual(key("evt_1", true, body), { key: "sender:evt_1", fingerprint: "", keptMs: 600_000 });
});

test("where the id is not signed, the signed bytes are a second key", () => {
  const found = key("d-1", false, body);
  assert.equal(found?.key, "sender:d-1");
  assert.match(found?.secondKey ?? "", /^signed:[0-9a-f]{64}$/);
});

test("the signed bytes are told apart by each of their bytes", () => {
  const of = (...parts: string[]) =>
    deliveryKey({ delivery: null, signed: parts.map((part) => Buffer.from(part)) }, body, 300)?.key;
  assert.equal(of("a", "bc"), of("ab", "c"), "the bytes count, not their parts");
  assert.notEqual(of("a", "bc"), of("a", "bd"));
});

test("without an id the signed bytes are the only key", () => {
  const found = key(null, false, body);
  assert.match(found?.key ?? "", /^signed:/);
  assert.equal(found?.secondKey, undefined);
});

test("a sender that honestly sends equal bodies has its id alone, or no key", () => {
  assert.equal(key("d-1", false, none)?.secondKey, undefined);
  assert.equal(key(null, false, none), null);
});

test("an id that is long or not visible ASCII is hashed, and never meets another id", () => {
  const keys = ["x".repeat(248), "x".repeat(249), "with a blank", "bücher", "", "sha256:x"].map(
    (id) => key(id, true, body)!.key,
  );
  assert.equal(keys[0], `sender:${"x".repeat(248)}`);
  for (const hashed of keys.slice(1, 5)) assert.match(hashed, /^sender-sha256:[0-9a-f]{64}$/);
  assert.equal(new Set(keys).size, keys.length);
  for (const each of keys) assert.ok(each.length <= 255);
});
