import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { mappingsOf } from "../../../test/fixtures/mapping-config.ts";
import { requestLimits } from "../template/budget.ts";
import type { RenderJob } from "./render-job.ts";
import { createRenderThread } from "./render-thread.ts";

const limits = requestLimits(0);
const jobOf = (payload: unknown, more: Partial<RenderJob> = {}): RenderJob => ({
  mapping: 0,
  request: { name: "a", headers: {}, query: {}, now: "" },
  body: Buffer.from(JSON.stringify(payload)),
  perElement: true,
  limits,
  left: limits,
  ...more,
});

function start(t: TestContext, more: Parameters<typeof createRenderThread>[1] = {}) {
  const loop = "{% for i in (1..n) %}{% for j in (1..n) %}{% endfor %}{% endfor %}";
  const mapping = { match: { path: "a" }, forEach: "items", messageTemplate: `${loop}{{ items[0] }}` };
  const thread = createRenderThread(mappingsOf([mapping]), more);
  t.after(() => thread.close());
  return thread;
}

test("renders each element, and says what is left of the budget", async (t) => {
  const result = await start(t).render(jobOf({ n: 0, items: ["x", "y"] }));
  assert.ok(result.kind === "drafts");
  assert.deepEqual(
    result.drafts.map(({ message }) => message),
    ["x", "y"].map((text) => [{ label: "items[0]", source: "request", text }]),
  );
  assert.ok(result.left.characters < limits.characters);
});

test("a job over its budget fails, and the next one is done", async (t) => {
  const thread = start(t);
  const results = await Promise.all([
    thread.render(jobOf({ n: 100_000, items: [1] }, { left: { ...limits, ms: 20 } })),
    thread.render(jobOf({ n: 0, items: ["long"] }, { left: { ...limits, characters: 3 } })),
    thread.render(jobOf({ n: 0, items: ["x"] })),
  ]);
  const [slow, long, last] = results.map((result) => ("reason" in result ? result.reason : result.kind));
  assert.match(slow!, /it took longer than the 1000 ms of processor time/);
  assert.match(long!, /it needs more than the 4,000,000 characters/);
  assert.equal(last, "drafts");
});

test("a job that does not end is ended with its thread, and the next one gets another", async (t) => {
  const endless = jobOf({ n: 1e9, items: [1] }, { left: { characters: 1e12, ms: 1e9 } });
  const thread = start(t, { longestMs: 1_000 });
  const [first, second] = await Promise.all([thread.render(endless), thread.render(endless)]);
  for (const result of [first, second])
    assert.ok(result?.kind === "failed" && /took longer/.test(result.reason));
});

test("when too many jobs wait, the next is refused at once", async (t) => {
  const thread = start(t, { waiting: 1 });
  const job = jobOf({ n: 0, items: ["x"] });
  const results = await Promise.all([thread.render(job), thread.render(job), thread.render(job)]);
  assert.deepEqual(
    results.map(({ kind }) => kind),
    ["drafts", "drafts", "busy"],
  );
});
