// The crash test in the size of a test run. Longer: npm run crash -- --kills 200 --store sqlite --seed N
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { outsideMessage, plainText } from "../../src/core/message.ts";
import type { Run } from "../../src/core/run.ts";
import type { SystemEvent } from "../../src/core/system-event.ts";
import { fence } from "../../src/untrusted/fence.ts";
import { until } from "../support/process.ts";
import { randomSeed } from "../support/random.ts";
import { crashTest, describeResult } from "./crash.ts";
import { type Evidence, faultsIn } from "./crash-check.ts";
import type { Sent } from "./crash-load.ts";
import { runStarted, ended, labFor, type Note, sendAgent } from "./lab.ts";

suite("crashes", { concurrency: true }, () => {
  for (const { store, kills } of [
    { store: "sqlite", kills: 14 },
    { store: "postgres", kills: 6 },
  ] as const) {
    test(`nothing is lost or done twice over ${kills} kills on ${store}`, async (context) => {
      const seed = randomSeed();
      context.diagnostic(`seed ${seed}`);
      const result = await crashTest({ store, kills, seed });
      context.diagnostic(describeResult(result));
      assert.deepEqual(result.faults, [], `seed ${seed}`);
      assert.ok(
        result.succeeded > result.runs * 0.9,
        `only ${result.succeeded} of ${result.runs} runs succeeded`,
      );
      assert.ok(result.interrupted > 0, "no kill met a running agent");
    });
  }

  test("a run whose every attempt was killed fails with that reason and a summary", async (context) => {
    const lab = labFor(context, { settings: { maxAttempts: 2 } });
    let runId: string | null = null;
    for (const attempt of [1, 2]) {
      const gateway = await lab.start();
      runId ??= await sendAgent(gateway.url, { message: "[hold never]", name: "doomed" });
      const starts = () => lab.journal().filter(({ kind }) => kind === "start").length;
      await until(`attempt ${attempt} starts`, () => starts() === attempt);
      await gateway.kill();
    }
    assert.ok(runId);
    await lab.start();
    const store = await lab.openStore();
    const run = await ended(store, runId);
    const reason = "the gateway stopped during each of its 2 attempts";
    assert.deepEqual([run.status, run.error], ["failed", reason]);
    const summaries = (await store.listEvents({ limit: null })).filter(({ source }) => source === "summary");
    assert.deepEqual(
      summaries.map(({ text }) => plainText(text)),
      [`Hook doomed (failed): ${reason}`],
    );
    assert.equal((await runStarted(lab, runId)).kind, "start");
  });
});

const runA = "01a1e73e-ec01-712d-9f8a-fac9fb0699ba";
const runB = "01a1e73e-ec02-712d-9f8a-fac9fb0699bb";

const text = (written: string) => outsideMessage("text", "request", written);
const fenced = (id: number, written: string) => fence("0".repeat(32), { id, label: "text", text: written });

/** Two requests of one conversation and a wake, without any fault. */
function evidence(): Evidence {
  const responseWith = (body: Record<string, unknown>) => ({
    status: 202,
    body,
    replayed: false,
    retryAfter: null,
  });
  const request = (order: number, body: Record<string, unknown>, more: Partial<Sent> = {}): Sent => ({
    marker: `marker-${order}-`,
    hook: "agent",
    sessionKey: "lab:a",
    order,
    key: null,
    body: "",
    responses: [responseWith(body)],
    ...more,
  });
  const run = (id: string, order: number) =>
    ({
      id,
      status: "succeeded",
      attempts: 1,
      endedAt: 1,
      error: null,
      reply: `done ${id}`,
      sessionKey: "lab:a",
      request: { message: text(`marker-${order}- [steps 0]`), name: `marker-${order}-` },
    }) as Run;
  const event = (id: string, source: string, written: string) =>
    ({ id, source, text: text(written), shownAt: 1 }) as SystemEvent;
  const note = (kind: Note["kind"], runId: string, sessionKey = "lab:a"): Note => ({
    kind,
    runId,
    attempt: `${runId}/1`,
    sessionKey,
  });
  const first = request(0, { runId: runA }, { key: "key-0" });
  first.responses.push({ ...responseWith({ runId: runA }), replayed: true });
  return {
    sent: [
      first,
      request(1, { runId: runB }),
      request(2, { eventId: "wake" }, { hook: "wake", sessionKey: null }),
    ],
    runs: [run(runA, 0), run(runB, 1)],
    events: [
      event("wake", "wake", "marker-2-"),
      event("one", "summary", `Hook marker-0-: done ${runA}`),
      event("two", "summary", `Hook marker-1-: done ${runB}`),
    ],
    journal: [
      note("start", runA),
      note("end", runA),
      note("start", runB),
      note("end", runB),
      note("start", "beat", "main"),
      note("end", "beat", "main"),
    ],
    prompts: new Map([
      [
        "beat/1",
        [
          fenced(1, "marker-2-"),
          fenced(2, `Hook marker-0-: done ${runA}`),
          fenced(3, `Hook marker-1-: done ${runB}`),
        ].join("\n\n"),
      ],
    ]),
    maxAttempts: 3,
  };
}

type Doctor = (good: Evidence) => Partial<Evidence>;
const doctored: Record<string, Doctor> = {
  "is there twice": ({ runs }) => ({ runs: [...runs, runs[0]!] }),
  "which is not stored": ({ events }) => ({ events: events.slice(1) }),
  "is stored 2 times": ({ runs }) => ({ runs: [...runs, { ...runs[0]!, id: "other" }] }),
  "got no response": ({ sent }) => ({ sent: [{ ...sent[0]!, responses: [] }, ...sent.slice(1)] }),
  "not marked as replayed": ({ sent }) => ({
    sent: sent.map((each) => ({
      ...each,
      responses: each.responses.map((one) => ({ ...one, replayed: false })),
    })),
  }),
  "got another response": ({ sent }) => ({
    sent: sent.map((each) => ({
      ...each,
      responses: each.responses.map((one, at) => ({ ...one, status: one.status + at })),
    })),
  }),
  "never ended": ({ runs }) => ({ runs: runs.map((run) => ({ ...run, endedAt: null })) }),
  "was given up after 1": ({ runs }) => ({
    runs: runs.map((run) => ({ ...run, status: "failed", error: "the gateway stopped during x" })),
  }),
  "ended as cancelled": ({ runs }) => ({ runs: runs.map((run) => ({ ...run, status: "cancelled" })) }),
  "took 4 attempts": ({ runs }) => ({ runs: runs.map((run) => ({ ...run, attempts: 4 })) }),
  "never finished": ({ journal }) => ({
    journal: journal.filter(({ runId, kind }) => runId !== runB || kind === "start"),
  }),
  "wrong reply": ({ runs }) => ({ runs: runs.map((run) => ({ ...run, reply: "done" })) }),
  "has 0 summaries": ({ events }) => ({ events: events.slice(0, 2) }),
  "has 2 summaries": ({ events }) => ({ events: [...events, { ...events[2]!, id: "three" }] }),
  "3 summaries for 2 runs": ({ events }) => ({
    events: [...events, { ...events[2]!, id: "x", text: text("Hook: x") }],
  }),
  "had started in lab:a": ({ journal }) => ({
    journal: [journal[0]!, journal[2]!, journal[1]!, ...journal.slice(3)],
  }),
  "started after request": ({ journal }) => ({
    journal: [...journal.slice(2, 4), ...journal.slice(0, 2), ...journal.slice(4)],
  }),
  "still waits": ({ events }) => ({ events: events.map((event) => ({ ...event, shownAt: null })) }),
  "was in no turn": ({ journal }) => ({ journal: journal.slice(0, -1) }),
  "counts as shown but": ({ prompts }) => ({
    prompts: new Map(Array.from(prompts, ([attempt, prompt]) => [attempt, prompt.replaceAll("| ", "")])),
  }),
};

test("the judge finds nothing wrong with a good outcome", () => {
  assert.deepEqual(faultsIn(evidence()), []);
});

for (const [fault, doctor] of Object.entries(doctored)) {
  test(`the judge reports: ${fault}`, () => {
    const good = evidence();
    const faults = faultsIn({ ...good, ...doctor(good) });
    assert.ok(
      faults.some((each) => each.includes(fault)),
      JSON.stringify(faults),
    );
  });
}
