// The suite every agent passes.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Agent, AgentEvent, AgentInput } from "./agent.ts";

export type AgentHarness = {
  /** Replies to any prompt. */
  replying: () => Agent;
  /** Fails; for kinds that can. */
  failing?: () => Agent;
  /** Never replies; for kinds that can take long. */
  endless?: () => Agent;
  /** Replies, and tells its text as it comes; for kinds that do. */
  telling?: () => Agent;
};

export const contractInput = (prompt = "Hello."): AgentInput => ({
  runId: "0198c0de-0000-7000-8000-000000000001",
  agentId: "main",
  sessionKey: "hook:contract",
  prompt,
  instructions: prompt,
  data: [],
  conversation: null,
  trace: null,
  tools: [],
  onActing: async () => true,
  model: null,
  thinking: null,
  timeoutSeconds: 60,
});

export function agentContract(name: string, { replying, failing, endless, telling }: AgentHarness): void {
  describe(`agent contract: ${name}`, () => {
    const going = () => new AbortController().signal;

    test("replies", async () => {
      const outcome = await replying().run(contractInput(), going());
      assert.ok(outcome.kind === "replied" && outcome.reply.trim().length > 0);
    });

    test("takes several runs at once", async () => {
      const agent = replying();
      const inputs = ["one", "two", "three"].map((prompt) => agent.run(contractInput(prompt), going()));
      for (const outcome of await Promise.all(inputs)) assert.equal(outcome.kind, "replied");
    });

    test("takes a long prompt with every kind of character", async () => {
      const prompt = `--help\n$(exit 1)\n"'\\ \u{1f642} ${"ünï ".repeat(50_000)}`;
      assert.equal((await replying().run(contractInput(prompt), going())).kind, "replied");
    });

    test("resolves when the signal fired before the run", async () => {
      await replying().run(contractInput(), AbortSignal.abort());
    });

    if (telling)
      test("tells its reply as it comes, and replies the same when nobody hears it", async () => {
        const events: AgentEvent[] = [];
        const onEvent = (event: AgentEvent) => void events.push(event);
        const told = await telling().run({ ...contractInput(), onEvent }, going());
        const untold = await telling().run(contractInput(), going());
        assert.ok(told.kind === "replied" && untold.kind === "replied");
        const text = events.map((event) => (event.kind === "delta" ? event.text : "")).join("");
        assert.equal(text.trim(), told.reply);
        assert.equal(told.reply, untold.reply);
      });

    if (failing)
      test("a failure is an outcome with a reason", async () => {
        const outcome = await failing().run(contractInput(), going());
        assert.ok(outcome.kind === "failed" && outcome.reason.length > 0);
      });

    if (endless)
      test("stops when its signal fires", { timeout: 10_000 }, async () => {
        const stop = new AbortController();
        const outcome = endless().run(contractInput(), stop.signal);
        setImmediate(() => stop.abort());
        assert.equal((await outcome).kind, "failed");
      });
  });
}
