// Any JSON as a payload, and any header as a key: an action within its limits, or a refusal with the path.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../../test/support/cases.ts";
import { isRefusal } from "../../core/errors.ts";
import { plainText } from "../../core/message.ts";
import { longestRunSeconds } from "../../core/run.ts";
import { readIdempotency } from "../acceptance.ts";
import { readAgent } from "./agent.ts";
import { readWake } from "./wake.ts";

const names =
  "text mode message name agentId sessionKey wakeMode deliver channel to model thinking timeoutSeconds __proto__";
const word = fc.constantFrom(
  "",
  " ",
  "now",
  "next-heartbeat",
  "main",
  "x".repeat(300),
  "a b",
  "\0",
  "\ud800",
);
const field = fc.oneof(fc.jsonValue(), word, fc.string({ unit: "binary" }), fc.double());
const payload = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.constantFrom(...names.split(" ")), field),
  fc.record({ text: fc.string(), message: fc.string() }),
);

function checkDetails(refusal: {
  refused: string;
  details?: readonly { path: string; message: string }[];
}): void {
  assert.equal(refusal.refused, "invalid-payload");
  assert.ok(refusal.details && refusal.details.length > 0);
  for (const { path, message } of refusal.details)
    assert.ok(message !== "" && (path === "" || names.includes(path)), path);
}

test("any JSON is a wake action, or refused with the path", () => {
  fc.assert(
    fc.property(payload, (value) => {
      const action = readWake(value);
      if (isRefusal(action)) return checkDetails(action);
      assert.ok(plainText(action.text).trim() !== "");
      assert.ok(action.mode === "now" || action.mode === "next-heartbeat");
    }),
    cases(1500),
  );
});

test("any JSON is an agent action within its limits, or refused with the path", () => {
  fc.assert(
    fc.property(payload, (value) => {
      const action = readAgent(value);
      if (isRefusal(action)) return checkDetails(action);
      assert.ok(plainText(action.message).trim() !== "");
      assert.ok((action.name?.length ?? 0) <= 500 && (action.to?.length ?? 0) <= 500);
      assert.ok((action.sessionKey?.length ?? 0) <= 200 && (action.thinking?.length ?? 0) <= 32);
      assert.ok(
        action.timeoutSeconds === null ||
          (action.timeoutSeconds > 0 && action.timeoutSeconds <= longestRunSeconds),
      );
      assert.equal(action.unsafe, false);
      assert.equal(action.tools, null);
    }),
    cases(1500),
  );
});

test("an Idempotency-Key consists of visible characters, or is refused", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string(),
    fc.constantFrom("k".repeat(255), "k".repeat(256)),
  );
  const header = fc.tuple(fc.constantFrom("Idempotency-Key", "idempotency-key", "x"), value);
  fc.assert(
    fc.property(fc.array(header, { maxLength: 3 }), (pairs) => {
      const keys = pairs.filter(([name]) => name !== "x").map(([, key]) => key);
      const read = readIdempotency(pairs.flat(), Buffer.from("body"));
      if (keys.length === 0) return assert.equal(read, null);
      const isGood = keys.length === 1 && /^[!-~]{1,255}$/.test(keys[0]!);
      assert.ok(read !== null);
      if (isRefusal(read)) assert.ok(!isGood && read.refused === "invalid-idempotency-key");
      else assert.ok(isGood && read.key === keys[0]);
    }),
    cases(2000),
  );
});
