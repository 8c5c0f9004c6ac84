import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { aSender, senderSecret } from "../../../test/builders/sender-row.ts";
import { createFakeClock } from "../../../test/fakes/clock.ts";
import { createDiagnosis } from "./changed-body.ts";
import { senderRequest } from "./request.ts";

const sender = aSender();
const deps = { now: 0, settings: sender.settings, fetchText: () => Promise.reject(new Error("nothing")) };

/** A request whose signature is for another body. */
function arrived(signed: string, body: string) {
  const mac = createHmac("sha256", senderSecret).update(signed).digest("hex");
  const head = { method: "POST", target: "/", rawHeaders: ["X-Signature", mac] };
  return senderRequest(head, Buffer.from(body));
}

const changes: [what: string, signed: string, arrived: string][] = [
  ["a line end was added", '{"a":1}', '{"a":1}\n'],
  ["a line end was removed", '{"a":1}\n', '{"a":1}'],
  ["line ends became those of Unix", "a\r\nb\r\n", "a\nb\n"],
  ["line ends became those of Windows", "a\nb", "a\r\nb"],
  ["JSON was made pretty", '{"a":[1,{"b":"ü, \\n"}]}', '{\n  "a": [\n    1,\n    { "b": "ü, \\n" }\n  ]\n}'],
  ["JSON was made compact", '{"a": [1, {"b": "x, y"}]}', '{"a":[1,{"b":"x, y"}]}'],
  ["characters were written out", '{"a":"\\u00fc"}', '{"a":"ü"}'],
];

for (const [what, signed, body] of changes)
  test(`is found: ${what}`, async () => {
    const diagnosis = createDiagnosis(createFakeClock());
    assert.equal(await diagnosis.isChanged(sender, arrived(signed, body), deps), true);
  });

test("a wrong secret is no changed body", async () => {
  const diagnosis = createDiagnosis(createFakeClock());
  assert.equal(await diagnosis.isChanged(sender, arrived("something else", '{"a":1}'), deps), false);
});

test("it is tried once in five seconds for each sender, and never for a large body", async () => {
  const clock = createFakeClock();
  const diagnosis = createDiagnosis(clock);
  const request = arrived("{}", "{}\n");
  assert.equal(await diagnosis.isChanged(sender, request, deps), true);
  assert.equal(await diagnosis.isChanged(sender, request, deps), false);
  assert.equal(await diagnosis.isChanged({ ...sender, name: "another" }, request, deps), true);
  await clock.advance(5000);
  const large = "x".repeat(65_537);
  assert.equal(await diagnosis.isChanged(sender, arrived(large, `${large}\n`), deps), false);
  assert.equal(await diagnosis.isChanged(sender, request, deps), true);
});
