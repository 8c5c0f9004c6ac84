// Agents for tests: one with a given reply, and one whose runs wait until the test ends them.
import type { Agent, AgentInput } from "../../src/agents/agent.ts";
import type { AgentOutcome } from "../../src/core/outcome.ts";

export type FakeAgent = Agent & { inputs: AgentInput[] };

type Respond = (input: AgentInput, signal: AbortSignal) => AgentOutcome | Promise<AgentOutcome>;

export function createFakeAgent(respond: Respond = () => ({ kind: "replied", reply: "done" })): FakeAgent {
  const inputs: AgentInput[] = [];
  return {
    inputs,
    async run(input, signal) {
      inputs.push(input);
      return respond(input, signal);
    },
  };
}

export type HeldAgent = FakeAgent & {
  /** Ends the run with this index in `inputs`. */
  end(index: number, outcome?: AgentOutcome): void;
  signals: AbortSignal[];
};

/** `deaf`: goes on when its signal fires, which breaks the port's contract. */
export function createHeldAgent({ deaf = false } = {}): HeldAgent {
  const ends: ((outcome: AgentOutcome) => void)[] = [];
  const signals: AbortSignal[] = [];
  const agent = createFakeAgent((_input, signal) => {
    const { promise, resolve } = Promise.withResolvers<AgentOutcome>();
    ends.push(resolve);
    signals.push(signal);
    const stopped = () => resolve({ kind: "failed", reason: "it was stopped", mayPass: true });
    if (!deaf && signal.aborted) stopped();
    else if (!deaf) signal.addEventListener("abort", stopped, { once: true });
    return promise;
  });
  return {
    ...agent,
    signals,
    end(index, outcome = { kind: "replied", reply: `reply ${index}` }) {
      ends[index]!(outcome);
    },
  };
}
