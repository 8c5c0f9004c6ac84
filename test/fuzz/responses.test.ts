// The judge is strict: any response that is not as documented is a fault.
import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue } from "../../src/core/errors.ts";
import { judge, takeResponse } from "./responses.ts";
import { createLedger } from "./ledger.ts";
import { riseOf } from "./memory.ts";

const json = "Content-Type: application/json; charset=utf-8";
const response = (status: number, body: string, ...headers: string[]): string =>
  [`HTTP/1.1 ${status} X`, json, `Content-Length: ${body.length}`, ...headers, "", body].join("\r\n");
const refusal = (code: string, more: object = {}): string =>
  JSON.stringify({ ok: false, code, error: catalogue[code as "unauthorized"].text, ...more });

function faultOf(text: string, hook = "wake"): string | null {
  const taken = takeResponse(text, false);
  if (taken === null) return "incomplete";
  return "fault" in taken ? taken.fault : judge(taken.response, false, hook).fault;
}

const id = "01938b2e-0000-7000-8000-000000000000";

test("documented responses pass", () => {
  assert.equal(faultOf(response(202, `{"ok":true,"runId":"${id}"}`)), null);
  assert.equal(faultOf(response(401, refusal("unauthorized"), "WWW-Authenticate: Bearer")), null);
  assert.equal(faultOf("HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n"), null);
  assert.equal(faultOf(response(503, refusal("store-unavailable"), "Retry-After: 1"), "readyz"), null);
});

test("all others are faults", () => {
  const cases: Record<string, string> = {
    "a 500": response(500, refusal("internal-error")),
    "a store that is away": response(503, refusal("store-unavailable"), "Retry-After: 1"),
    "another status": response(400, refusal("unauthorized")),
    "no challenge": response(401, refusal("unauthorized")),
    "no Retry-After": response(429, refusal("too-many-failures")),
    "an unknown code": response(400, JSON.stringify({ ok: false, code: "x", error: "y" })),
    "another sentence": response(404, JSON.stringify({ ok: false, code: "not-found", error: "y" })),
    "details where there are none": response(404, refusal("not-found", { details: [] })),
    "a run without an id": response(202, '{"ok":true}'),
    "an id that is none": response(202, '{"ok":true,"runId":"1"}'),
    "no JSON": response(200, "hello"),
    "no HTTP": "hello\r\n\r\n",
    "half a response": response(200, '{"ok":true}').slice(0, -1),
    "no length": `HTTP/1.1 200 OK\r\n${json}\r\n\r\n{}`,
  };
  for (const [name, text] of Object.entries(cases)) assert.notEqual(faultOf(text), null, name);
});

const verdict = { fault: null, outcome: "202", eventIds: [], replayed: false, closes: false };

test("an id in a response that is not stored is a fault, and so is one that is given or stored twice", () => {
  const faultsOf = (runs: string[], given: string[], withoutResponse = 0): number => {
    const ledger = createLedger([]);
    for (const each of given) ledger.note(1, "agent", { ...verdict, runIds: [each] });
    ledger.withoutResponse = withoutResponse;
    ledger.compare({ runs, wakes: [], requests: 0, mails: 0 });
    return ledger.faults.length;
  };
  assert.equal(faultsOf(["a", "b"], ["a", "b"]), 0);
  assert.equal(faultsOf(["a"], ["a", "b"]), 1);
  assert.equal(faultsOf(["a", "a"], ["a"]), 2);
  assert.equal(faultsOf(["a"], ["a", "a"]), 1);
  assert.equal(faultsOf(["a", "b"], ["a"]), 1);
  assert.equal(faultsOf(["a", "b"], ["a"], 1), 0);
});

test("the rise of memory is that of the fitted line, not of its last point", () => {
  const points = (bytes: number[]) => bytes.map((each, at) => ({ requests: at * 10, bytes: each }));
  assert.equal(riseOf(points([1, 2, 3, 4])), 3);
  assert.equal(riseOf(points([5, 5, 5, 5])), 0);
  assert.ok(riseOf(points([5, 5, 5, 5, 5, 5, 5, 9])) < 3);
  assert.equal(riseOf([]), 0);
});
