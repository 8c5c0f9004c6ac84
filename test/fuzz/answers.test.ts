// The judge is strict: what is not as documented is a fault.
import assert from "node:assert/strict";
import { test } from "node:test";
import { catalogue } from "../../src/core/errors.ts";
import { judge, takeAnswer } from "./answers.ts";
import { createLedger } from "./ledger.ts";
import { riseOf } from "./memory.ts";

const json = "Content-Type: application/json; charset=utf-8";
const answer = (status: number, body: string, ...headers: string[]): string =>
  [`HTTP/1.1 ${status} X`, json, `Content-Length: ${body.length}`, ...headers, "", body].join("\r\n");
const refusal = (code: string, more: object = {}): string =>
  JSON.stringify({ ok: false, code, error: catalogue[code as "unauthorized"].text, ...more });

function faultOf(text: string, hook = "wake"): string | null {
  const taken = takeAnswer(text, false);
  if (taken === null) return "incomplete";
  return "fault" in taken ? taken.fault : judge(taken.answer, false, hook).fault;
}

const id = "01938b2e-0000-7000-8000-000000000000";

test("documented answers pass", () => {
  assert.equal(faultOf(answer(202, `{"ok":true,"runId":"${id}"}`)), null);
  assert.equal(faultOf(answer(401, refusal("unauthorized"), "WWW-Authenticate: Bearer")), null);
  assert.equal(faultOf("HTTP/1.1 204 No Content\r\nDate: x\r\n\r\n"), null);
  assert.equal(faultOf(answer(503, refusal("store-unavailable"), "Retry-After: 1"), "readyz"), null);
});

test("all others are faults", () => {
  const cases: Record<string, string> = {
    "a 500": answer(500, refusal("internal-error")),
    "a store that is away": answer(503, refusal("store-unavailable"), "Retry-After: 1"),
    "another status": answer(400, refusal("unauthorized")),
    "no challenge": answer(401, refusal("unauthorized")),
    "no Retry-After": answer(429, refusal("too-many-failures")),
    "an unknown code": answer(400, JSON.stringify({ ok: false, code: "x", error: "y" })),
    "another sentence": answer(404, JSON.stringify({ ok: false, code: "not-found", error: "y" })),
    "details where there are none": answer(404, refusal("not-found", { details: [] })),
    "a run without an id": answer(202, '{"ok":true}'),
    "an id that is none": answer(202, '{"ok":true,"runId":"1"}'),
    "no JSON": answer(200, "hello"),
    "no HTTP": "hello\r\n\r\n",
    "half an answer": answer(200, '{"ok":true}').slice(0, -1),
    "no length": `HTTP/1.1 200 OK\r\n${json}\r\n\r\n{}`,
  };
  for (const [name, text] of Object.entries(cases)) assert.notEqual(faultOf(text), null, name);
});

const verdict = { fault: null, outcome: "202", eventIds: [], replayed: false, closes: false };

test("what was answered and is not stored is a fault, and what is given or stored twice", () => {
  const faultsOf = (runs: string[], answered: string[], unanswered = 0): number => {
    const ledger = createLedger([]);
    for (const each of answered) ledger.note(1, "agent", { ...verdict, runIds: [each] });
    ledger.unanswered = unanswered;
    ledger.compare({ runs, wakes: [], requests: 0 });
    return ledger.faults.length;
  };
  assert.equal(faultsOf(["a", "b"], ["a", "b"]), 0);
  assert.equal(faultsOf(["a"], ["a", "b"]), 1);
  assert.equal(faultsOf(["a", "a"], ["a"]), 2);
  assert.equal(faultsOf(["a"], ["a", "a"]), 1);
  assert.equal(faultsOf(["a", "b"], ["a"]), 1);
  assert.equal(faultsOf(["a", "b"], ["a"], 1), 0);
});

test("the rise of memory is that of the line, not of its last point", () => {
  const points = (bytes: number[]) => bytes.map((each, at) => ({ requests: at * 10, bytes: each }));
  assert.equal(riseOf(points([1, 2, 3, 4])), 3);
  assert.equal(riseOf(points([5, 5, 5, 5])), 0);
  assert.ok(riseOf(points([5, 5, 5, 5, 5, 5, 5, 9])) < 3);
  assert.equal(riseOf([]), 0);
});
