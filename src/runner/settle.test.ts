import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { outsideMessage, plainText } from "../core/message.ts";
import type { NewEvent } from "../core/system-event.ts";
import {
  failed,
  nothingReported,
  policy,
  recorded,
  replied,
  run,
  settled,
  signals,
} from "../../test/builders/attempt.ts";

const nowhere = { ...policy, lastTarget: null, configured: [] };

const textOf = (event: NewEvent | null) => event && plainText(event.text);

describe("a hook run that replied", () => {
  test("has succeeded, with a summary, a delivery and a heartbeat", () => {
    assert.deepEqual(settled(replied()), {
      next: { kind: "ended", status: "succeeded", reply: "Done.", error: null },
      workedMs: 7,
      signals,
      report: nothingReported,
      used: null,
      ending: {
        agentId: "other",
        sessionKey: "hook:run",
        text: "Done.",
        foreignSession: null,
        carried: true,
      },
      summary: {
        id: "id-1",
        sessionKey: "main",
        source: "summary",
        hook: "agent",
        text: outsideMessage("summary", "reply", "Hook Email: Done."),
      },
      delivery: {
        id: "id-0",
        runId: "run",
        channel: "telegram",
        to: "5",
        text: "Done.",
        status: "waiting",
        error: null,
        fallback: null,
        trace: null,
      },
      callback: null,
      heartbeat: { agentId: "main", delayMs: 250 },
      shownEventIds: [],
      attempt: recorded(),
    });
  });

  test("requests no heartbeat when its summary can wait", () =>
    assert.equal(settled(replied(), { of: run({}, { wakeMode: "next-heartbeat" }) }).heartbeat, null));

  test("has no delivery when none was asked for", () => {
    const { delivery, summary } = settled(replied(), { of: run({}, { deliver: false }) });
    assert.equal(delivery, null);
    assert.equal(textOf(summary), "Hook Email: Done.");
  });

  test("goes to the channel and recipient that were asked for", () => {
    const by = { ...policy, configured: [...policy.configured, { channel: "slack", to: "C1" }] };
    const { delivery } = settled(replied(), { of: run({}, { channel: "slack", to: "C2" }), by });
    assert.deepEqual([delivery?.channel, delivery?.to, delivery?.status], ["slack", "C2", "waiting"]);
  });

  test("has the mapping's fallback, else the agent's", () => {
    const ofAgent = { channel: "signal", to: null };
    const ofMapping = { channel: "slack", to: "C1" };
    const by = { ...policy, fallback: ofAgent };
    assert.deepEqual(settled(replied(), { by }).delivery?.fallback, ofAgent);
    assert.deepEqual(
      settled(replied(), { by, of: run({}, { fallback: ofMapping }) }).delivery?.fallback,
      ofMapping,
    );
  });

  test("goes to the fallback at once when its channel is not configured, with no further fallback", () => {
    const by = { ...policy, fallback: { channel: "last", to: null } };
    const { delivery, summary } = settled(replied(), { of: run({}, { channel: "slack", to: "C1" }), by });
    assert.deepEqual(
      [delivery?.channel, delivery?.to, delivery?.status, delivery?.fallback],
      ["telegram", "5", "waiting", null],
    );
    assert.equal(textOf(summary), "Hook Email: Done.");
  });

  test("gives both reasons when the fallback does not resolve either", () => {
    const by = { ...policy, fallback: { channel: "signal", to: null } };
    const { delivery } = settled(replied(), { of: run({}, { channel: "slack" }), by });
    assert.deepEqual(
      [delivery?.status, delivery?.channel, delivery?.error],
      [
        "failed",
        "slack",
        "the channel slack is not configured; configured: telegram (no fallback: the channel signal is not configured; configured: telegram)",
      ],
    );
  });

  test("keeps its result when it cannot be delivered; the delivery and the summary say why", () => {
    const { next, delivery, summary } = settled(replied(), { of: run({}, { channel: "slack", to: "C1" }) });
    assert.ok(next.kind === "ended" && next.status === "succeeded" && next.reply === "Done.");
    const reason = "the channel slack is not configured; configured: telegram";
    assert.deepEqual(
      [delivery?.status, delivery?.channel, delivery?.to, delivery?.error, delivery?.text],
      ["failed", "slack", "C1", reason, "Done."],
    );
    assert.equal(textOf(summary), `Hook Email: Done.\n(The reply was not delivered: ${reason}.)`);
  });

  test("is kept without a word when there is no channel and none was asked for by name", () => {
    for (const fallback of [null, { channel: "last", to: "9" }]) {
      const { delivery, summary } = settled(replied(), { of: run({}, { fallback }), by: nowhere });
      assert.deepEqual(
        [delivery?.status, delivery?.channel, delivery?.to, delivery?.error, delivery?.text],
        ["suppressed", "last", null, "no channel is configured", "Done."],
      );
      assert.equal(textOf(summary), "Hook Email: Done.");
    }
  });

  test("has failed without a channel when one was asked for by name, or is the fallback or the last target", () => {
    const asked = { of: run({}, { channel: "slack" }), by: nowhere };
    const fallsBack = { of: run({}, { fallback: { channel: "slack", to: "C1" } }), by: nowhere };
    const last = { by: { ...policy, configured: [] } };
    for (const given of [asked, fallsBack, last]) {
      const { delivery, summary } = settled(replied(), given);
      assert.equal(delivery?.status, "failed");
      assert.match(delivery.error ?? "", /the channel (slack|telegram) is not configured, and no other is/);
      assert.match(textOf(summary) ?? "", /The reply was not delivered/);
    }
  });

  test("is recorded but not delivered when it only acknowledges", () => {
    for (const by of [policy, nowhere]) {
      const { delivery, summary } = settled(replied("**HEARTBEAT_OK**"), { by });
      assert.deepEqual(
        [delivery?.status, delivery?.error, delivery?.text],
        ["suppressed", "heartbeat acknowledgement", "**HEARTBEAT_OK**"],
      );
      assert.equal(textOf(summary), "Hook Email: **HEARTBEAT_OK**");
    }
  });

  test("is delivered when it says more than the acknowledgement", () =>
    assert.equal(settled(replied("HEARTBEAT_OK. And more.")).delivery?.status, "waiting"));

  test("with a blank reply has failed", () => {
    for (const reply of ["", " \n "]) {
      const { next, delivery, summary } = settled(replied(reply));
      assert.deepEqual(next, {
        kind: "ended",
        status: "failed",
        reply: null,
        error: "the agent gave no reply",
      });
      assert.match(delivery?.text ?? "", /^Hook `Email` failed: `the agent gave no reply`\. /);
      assert.equal(textOf(summary), "Hook Email (failed): the agent gave no reply");
    }
  });
});

describe("a hook run that failed", () => {
  test("for good has ended, with a summary, a line for its target and a heartbeat", () => {
    const { next, summary, delivery, heartbeat } = settled(failed(false));
    assert.deepEqual(next, { kind: "ended", status: "failed", reply: null, error: "why" });
    assert.equal(textOf(summary), "Hook Email (failed): why");
    assert.deepEqual(delivery, {
      id: "id-0",
      runId: "run",
      channel: "telegram",
      to: "5",
      text: "Hook `Email` failed: `why`. More: `rouse runs show run`",
      status: "waiting",
      error: null,
      fallback: null,
      trace: null,
    });
    assert.deepEqual(heartbeat, { agentId: "main", delayMs: 250 });
  });

  test("tells the fallback when its own target cannot be told", () => {
    const of = run({}, { channel: "slack", fallback: { channel: "telegram", to: "7" } });
    const { delivery } = settled(failed(false), { of });
    assert.deepEqual([delivery?.channel, delivery?.to, delivery?.status], ["telegram", "7", "waiting"]);
  });

  test("tells nobody where no reply was to be sent, or its mapping, or else the hooks, say so", () => {
    const quiet = { ...policy, deliverFailures: false };
    assert.equal(settled(failed(false), { of: run({}, { deliver: false }) }).delivery, null);
    assert.equal(settled(failed(false), { of: run({}, { deliverFailures: false }) }).delivery, null);
    assert.equal(settled(failed(false), { by: quiet }).delivery, null);
    const loud = settled(failed(false), { of: run({}, { deliverFailures: true }), by: quiet });
    assert.equal(loud.delivery?.status, "waiting");
  });

  test("has no failed delivery when there is nobody to tell: the line is kept, and the summary is silent", () => {
    const noRecipient = { ...policy, lastTarget: null };
    for (const [given, reason] of [
      [{ by: nowhere }, "no channel is configured"],
      [{ by: noRecipient }, "no recipient is known for the channel telegram"],
      [{ of: run({}, { channel: "slack" }) }, "the channel slack is not configured; configured: telegram"],
    ] as const) {
      const { delivery, summary } = settled(failed(false), given);
      assert.deepEqual([delivery?.status, delivery?.error], ["suppressed", reason]);
      assert.equal(textOf(summary), "Hook Email (failed): why");
    }
  });

  test("in a way that may pass is retried, and nothing else follows", () => {
    assert.deepEqual(settled(failed(true)), {
      next: { kind: "retry", delayMs: 2000, error: "why" },
      workedMs: 7,
      signals,
      report: nothingReported,
      used: null,
      ending: null,
      summary: null,
      delivery: null,
      callback: null,
      heartbeat: null,
      shownEventIds: [],
      attempt: recorded({ outcome: "retry", reason: "why" }),
    });
  });

  test("waits for the delay that the agent asked for, if that is longer", () => {
    const busy = { kind: "failed", reason: "busy", mayPass: true, retryAfterMs: 30_000 } as const;
    const { next } = settled(busy);
    assert.ok(next.kind === "retry" && next.delayMs === 30_000);
  });

  test("waits its own time where the agent asks for none, or for what is no time", () => {
    for (const retryAfterMs of [0, -1, Number.NaN, -Infinity]) {
      const { next } = settled({ kind: "failed", reason: "busy", mayPass: true, retryAfterMs });
      assert.ok(next.kind === "retry" && next.delayMs >= 2000, String(retryAfterMs));
    }
  });

  test("after a tool that changes something is not retried", () => {
    const outcome = { kind: "failed", reason: "cut", mayPass: true, report: { acted: true } } as const;
    assert.equal(settled(outcome).next.kind, "ended");
  });

  const delays = (random: number, maxAttempts = 6): number[] => {
    const by = { ...policy, random, maxAttempts };
    const waits: number[] = [];
    for (let attempts = 1; ; attempts++) {
      const waitedMs = waits.reduce((sum, wait) => sum + wait, 0);
      const { next } = settled(failed(true), { of: run({ attempts, waitedMs }), by });
      if (next.kind !== "retry") return waits;
      waits.push(next.delayMs);
    }
  };

  test("waits longer each time, in all about five minutes for six attempts", () => {
    assert.deepEqual(delays(0), [2000, 6000, 18_000, 54_000, 120_000]);
    assert.deepEqual(delays(0.5), [3000, 9000, 27_000, 81_000, 180_000]);
    assert.deepEqual(delays(1), [4000, 12_000, 36_000, 108_000, 240_000]);
  });

  test("is not tried for longer than its time, however many attempts it has", () => {
    assert.deepEqual(delays(0.5, 100), [3000, 9000, 27_000, 81_000, 180_000, 180_000]);
  });

  test("runs that fail together do not come back together", () => {
    const together = [0, 0.2, 0.4, 0.6, 0.8].map((random) => delays(random).at(-1));
    assert.equal(new Set(together).size, 5);
  });

  for (const [attempts, kind] of [
    [2, "retry"],
    [3, "ended"],
    [4, "ended"],
  ] as const)
    test(`on attempt ${attempts} of 3: ${kind}`, () =>
      assert.equal(settled(failed(true), { of: run({ attempts }) }).next.kind, kind));

  test("is not retried when its work and its waits would pass its time, and says so", () => {
    const of = (elapsedMs: number, waitedMs = 0) => run({ elapsedMs, waitedMs }, { timeoutSeconds: 10 });
    assert.equal(settled(failed(true), { of: of(7992) }).next.kind, "retry");
    assert.equal(settled(failed(true), { of: of(4000, 3992) }).next.kind, "retry");
    for (const late of [of(7993), of(4000, 3993), of(0, 20_000)]) {
      const { next, summary } = settled(failed(true), { of: late });
      const error =
        "why (not tried again: with another wait of 2 seconds it would pass its time limit of 10 seconds)";
      assert.deepEqual(next, { kind: "ended", status: "failed", reply: null, error });
      assert.equal(textOf(summary), `Hook Email (failed): ${error}`);
    }
  });

  test("is not kept waiting for longer than its time by an agent that asks for it", () => {
    const busy = { kind: "failed", reason: "busy", mayPass: true, retryAfterMs: 3_600_000 } as const;
    const { next } = settled(busy);
    const error =
      "busy (not tried again: with another wait of 3600 seconds it would pass its time limit of 600 seconds)";
    assert.deepEqual(next, { kind: "ended", status: "failed", reply: null, error });
    const patient = run({}, { timeoutSeconds: 7200 });
    assert.equal(settled(busy, { of: patient }).next.kind, "retry");
  });

  test("says nothing of its time after its last attempt", () => {
    const { next } = settled(failed(true), { of: run({ attempts: 3, elapsedMs: 599_999 }) });
    assert.deepEqual(next, { kind: "ended", status: "failed", reply: null, error: "why" });
  });
});

describe("a hook run that was ended from outside", () => {
  test("timed out, without another attempt, and its target is told", () => {
    const { next, summary, delivery, heartbeat } = settled({ kind: "timed-out", afterSeconds: 2 });
    assert.deepEqual(next, {
      kind: "ended",
      status: "timed-out",
      reply: null,
      error: "no reply within 2 seconds",
    });
    assert.equal(textOf(summary), "Hook Email (timed-out): no reply within 2 seconds");
    assert.deepEqual(
      [delivery?.status, delivery?.text],
      ["waiting", "Hook `Email` timed out: `no reply within 2 seconds`. More: `rouse runs show run`"],
    );
    assert.ok(heartbeat);
  });

  test("was cancelled, which nobody is told", () => {
    const { next, summary, delivery, heartbeat } = settled({ kind: "cancelled" });
    assert.equal(delivery, null);
    assert.deepEqual(next, { kind: "ended", status: "cancelled", reply: null, error: "it was cancelled" });
    assert.equal(textOf(summary), "Hook Email (cancelled): it was cancelled");
    assert.ok(heartbeat);
  });
});
