import assert from "node:assert/strict";
import { test } from "node:test";
import { aClaimedRun } from "../../test/builders/run.ts";
import { timeOfId, newId } from "./id.ts";
import { hasEnded, resultResource, stateNumber } from "./result.ts";
import { type RunStatus, runStatuses } from "./run.ts";

const numberOf = (status: RunStatus, attempts: number): number => stateNumber({ status, attempts });

test("the number of a state grows along the life of a run", () => {
  const life = [
    numberOf("queued", 0),
    numberOf("parked", 0),
    numberOf("running", 1),
    numberOf("queued", 1),
    numberOf("parked", 1),
    numberOf("running", 2),
    numberOf("succeeded", 2),
  ];
  assert.deepEqual(
    life,
    life.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(life).size, life.length);
});

test("no end has the number of another state, whatever happened between them", () => {
  for (const status of runStatuses)
    for (let attempts = 0; attempts < 10; attempts++)
      assert.equal(numberOf(status, attempts) % 4 === 0, hasEnded({ status }), `${status} ${attempts}`);
});

test("a result shows what its reader may see, and nothing of the request", () => {
  const run = aClaimedRun({
    status: "failed",
    reply: "half of it",
    error: "no space left",
    createdAt: 0,
    startedAt: 1000,
    endedAt: 2000,
    report: {
      inputTokens: 12,
      outputTokens: 3,
      cost: 0.001,
      warnings: ["w"],
      toolsGranted: [],
      toolsUsed: ["read"],
    },
  });
  const whole = resultResource(run, "reply");
  assert.deepEqual(whole, {
    ok: true,
    runId: run.id,
    status: "failed",
    reply: "half of it",
    error: "no space left",
    attempts: 1,
    createdAt: "1970-01-01T00:00:00.000Z",
    startedAt: "1970-01-01T00:00:01.000Z",
    endedAt: "1970-01-01T00:00:02.000Z",
    usage: { inputTokens: 12, outputTokens: 3, cost: 0.001 },
  });
  const { reply: _reply, error: _error, ...rest } = whole;
  assert.deepEqual(resultResource(run, "status"), rest);
  assert.equal(resultResource(aClaimedRun(), "reply").usage, null);
});

test("an id of version 7 holds its time, and no other text does", () => {
  const before = Date.now();
  const time = timeOfId(newId());
  assert.ok(time !== null && time >= before && time <= Date.now());
  for (const other of ["", "x", "00000000-0000-4000-8000-000000000000", newId().toUpperCase(), `${newId()}0`])
    assert.equal(timeOfId(other), null, other);
});
