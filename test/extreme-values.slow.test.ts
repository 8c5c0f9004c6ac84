// Every number and name that comes from outside is made whole and bounded where it enters, so that neither store refuses
// it: a refused value would lose an end that was decided, or stop a queue.
import assert from "node:assert/strict";
import { test } from "node:test";
import { contractInput } from "../src/agents/agent.contract.ts";
import { createAgents } from "../src/agents/registry.ts";
import { storableOutcome } from "../src/agents/storable.ts";
import { guarded } from "../src/channels/guarded.ts";
import { parseDuration, secondsToMs } from "../src/core/duration.ts";
import type { AgentOutcome } from "../src/core/outcome.ts";
import { retryWaitMs } from "../src/core/retry.ts";
import type { SendOutcome } from "../src/core/delivery.ts";
import { sendPolicy, settleSend } from "../src/delivery/settle.ts";
import { findHook } from "../src/hooks/decide.ts";
import { createGmailApi } from "../src/mail/gmail/api.ts";
import { settle } from "../src/runner/settle.ts";
import { acceptRuns, claimNext, leaseMs, startRun } from "../src/store/ports/harness.contract.ts";
import { policy } from "./builders/attempt.ts";
import { aHeartbeatRequest } from "./builders/acceptance.ts";
import { aRun } from "./builders/run.ts";
import { aDelivery, aSettlement } from "./builders/settlement.ts";
import { mainAgent } from "./fakes/runner.ts";
import { bothStores } from "./support/stores.ts";

const numbers = [
  0.3335,
  1.0005,
  -1,
  -0.5,
  NaN,
  Infinity,
  -Infinity,
  2 ** 53,
  1e300,
  5e-324,
  1_000_000_000_000.5,
];
const names = ["", "a\0b", "\uD800", "x\uDC00y", "x".repeat(5000), "\u202E", "ordinary-id"];

const outcomesOf = (value: number, name: string): AgentOutcome[] => {
  const report = {
    usage: { inputTokens: value, outputTokens: value },
    warnings: [name],
    toolsUsed: [name],
    foreignSession: name,
  };
  return [
    { kind: "replied", reply: `reply ${name}`, report },
    { kind: "failed", reason: `failed ${name}`, mayPass: true, retryAfterMs: value, report },
    { kind: "failed", reason: `failed ${name}`, mayPass: false, report },
  ];
};

let made = 0;
const newId = (): string => `made-${made++}`;

for (const [store, open] of Object.entries(bothStores)) {
  test(`${store}: whatever an agent reports, its attempt is stored`, async (t) => {
    const opened = await open(t);
    const reports: (readonly [number, string])[] = [
      ...numbers.map((each) => [each, "id"] as const),
      ...names.map((each) => [1, each] as const),
    ];
    for (const [value, name] of reports) {
      for (const outcome of outcomesOf(value, name).map(storableOutcome)) {
        await acceptRuns(opened.store, aRun({ sessionKey: newId() }));
        const run = await claimNext(opened.store);
        await startRun(opened.store, run);
        const attempt = {
          kind: "ended",
          outcome,
          workedMs: 1,
          signals: null,
          agentCalled: true,
          model: "costly/model",
          toolsGranted: [],
          toolCalls: [],
          shownEventIds: [],
          leftOver: false,
        } as const;
        const prices = { "costly/model": { input: 1_000_000, output: 1_000_000 } };
        const settlement = settle(run, attempt, { ...policy, prices }, newId);
        assert.equal(await opened.store.settleRun(run, settlement), true, `${value} ${JSON.stringify(name)}`);
        const { status } = (await opened.store.findRun(run.id))!;
        assert.equal(status, settlement.next.kind === "ended" ? settlement.next.status : "queued");
        if (status === "queued")
          await opened.store.cancelRun(run.id, { error: "done", summary: null, heartbeat: null });
      }
    }
    for (const { inputTokens, cost } of await opened.store.listSpending())
      assert.ok(Number.isSafeInteger(inputTokens) && Number.isFinite(cost));
  });

  test(`${store}: sums of tokens stop at the largest number that can be read exactly`, async (t) => {
    const opened = await open(t);
    const used = {
      inputTokens: Number.MAX_SAFE_INTEGER,
      outputTokens: Number.MAX_SAFE_INTEGER - 1,
      cost: 1e15,
    };
    for (let times = 0; times < 3; times++) {
      await acceptRuns(opened.store, aRun());
      assert.equal(await opened.store.settleRun(await claimNext(opened.store), aSettlement({ used })), true);
    }
    const [spent] = await opened.store.listSpending();
    assert.deepEqual(
      [spent?.inputTokens, spent?.outputTokens],
      [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    );
  });

  test(`${store}: whatever delay a channel asks for, the delivery's attempt is stored`, async (t) => {
    const opened = await open(t);
    for (const afterMs of [...numbers, "soon" as unknown as number]) {
      await acceptRuns(opened.store, aRun());
      const run = await claimNext(opened.store);
      await opened.store.settleRun(run, aSettlement({ delivery: aDelivery({ runId: run.id, to: newId() }) }));
      const { claimed } = await opened.store.claimDeliveries({
        channel: "telegram",
        limit: 1,
        lease: "l",
        leaseMs,
      });
      const outcome = await guarded({
        idempotent: false,
        recipientFault: () => null,
        render: (text) => [text],
        send: async (): Promise<SendOutcome> => ({ kind: "retry", reason: "a\0\uD800", afterMs }),
        check: async () => ({ ok: true, detail: "" }),
      }).send({ id: "1", to: "1", text: "x" }, new AbortController().signal);
      const moment = { waitedMs: 1, random: 0.3335, newId, idempotent: false };
      const settlement = settleSend(
        claimed[0]!,
        { sentMessages: 0, uncertainSends: 0, outcome },
        sendPolicy,
        moment,
      );
      assert.ok(await opened.store.settleDelivery(claimed[0]!, settlement), String(afterMs));
    }
  });

  test(`${store}: seconds and durations with fractions`, async (t) => {
    const opened = await open(t);
    for (const seconds of [1.0005, 1.001, 3599.9999, 0.3335]) {
      const ms = secondsToMs(seconds);
      assert.ok(Number.isSafeInteger(ms));
      await opened.store.claimRuns({ kind: "hook", limit: 1, lease: "l", leaseMs: ms });
      await opened.store.claimDeliveries({ channel: "telegram", limit: 1, lease: "l", leaseMs: ms });
      await opened.store.claimMailbox({ id: "m", lease: "l", leaseMs: ms });
      await opened.store.countFailure({ address: "127.0.0.1", windowMs: ms });
    }
    const period = parseDuration("1.0005s")!;
    assert.ok((await opened.store.beatIfDue(aHeartbeatRequest(), period)) > 0);
    const finishedMs = parseDuration("1.00005m")!;
    const retention = {
      finishedMs,
      requestsMs: finishedMs,
      idempotencyMs: finishedMs,
      conversationTurns: 10,
    };
    assert.equal(await opened.store.sweep(retention, 10), 0);
    for (const asked of numbers)
      assert.ok(Number.isSafeInteger(retryWaitMs(3, asked, { firstMs: 1000, longestMs: 60_000 }, 0.3335)));
  });

  test(`${store}: ids and times that Google sends`, async (t) => {
    const opened = await open(t);
    const answers = (body: object) =>
      createGmailApi({ call: async () => body as never, endpoint: "https://g" });
    const { signal } = new AbortController();
    await opened.store.claimMailbox({ id: "m", lease: "l", leaseMs });
    for (const expiration of ["1e400", "-1", "0.5", "", "NaN"])
      await assert.rejects(answers({ expiration }).watch("t", "l", signal), /no expiration/);
    for (const expiration of ["0", "99999999999999999999"]) {
      const until = await answers({ expiration }).watch("t", "l", signal);
      await opened.store.noteSubscription("m", { lease: null, expiration: until, dueInMs: 1 });
    }
    const messages = ["18c2f", ...names.slice(0, -1)].map((id) => ({ id }));
    const { ids } = await answers({ messages }).list({ labelId: "l", query: "", page: "" }, signal);
    assert.deepEqual(await opened.store.unseenMail("m", ids), ["18c2f"]);
  });
}

test("a hook's name that is too long for a key of the store names no hook", () => {
  const mappings = { couldTake: () => true } as never;
  assert.equal(findHook("x".repeat(201), { mappings }), undefined);
  assert.equal(findHook("x".repeat(200), { mappings })?.name.length, 200);
});

test("every configured agent's outcomes are made storable", async () => {
  const agents = createAgents([mainAgent], () => ({ run: async () => outcomesOf(0.5, "a\0b")[0]! }));
  const outcome = await agents.main.agent.run(contractInput(), new AbortController().signal);
  assert.deepEqual(outcome.report?.usage, { inputTokens: 1, outputTokens: 1 });
  assert.equal(outcome.report?.foreignSession, undefined);
});

test("a session id is kept whole or not at all, and the run says so", () => {
  for (const name of names) {
    const { report } = storableOutcome(outcomesOf(1, name)[0]!);
    const isKept = name === "ordinary-id" || name === "\u202E";
    assert.equal(report?.foreignSession, isKept ? name : undefined);
    assert.equal(
      report?.warnings?.some((each) => each.includes("session id")),
      !isKept,
    );
  }
});

test("fractions of tokens are rounded up, and nothing is negative or beyond its bound", () => {
  const use = (value: number) => storableOutcome(outcomesOf(value, "id")[0]!).report?.usage?.inputTokens;
  assert.deepEqual(numbers.map(use), [1, 2, 0, 0, 0, 1e12, 0, 1e12, 1e12, 1, 1e12]);
});
