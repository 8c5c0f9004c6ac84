// Agents for tests: one with a given reply, and one whose turns wait until the test ends them.
import type { Agent, AgentInput } from "../../src/agents/agent.ts";
import type { AgentOutcome } from "../../src/core/outcome.ts";

export type FakeAgent = Agent & { turns: AgentInput[] };

type Respond = (turn: AgentInput, signal: AbortSignal) => AgentOutcome | Promise<AgentOutcome>;

export function createFakeAgent(respond: Respond = () => ({ kind: "replied", reply: "done" })): FakeAgent {
  const turns: AgentInput[] = [];
  return {
    turns,
    async run(turn, signal) {
      turns.push(turn);
      return respond(turn, signal);
    },
  };
}

export type HeldAgent = FakeAgent & {
  /** Ends the turn with this index in `turns`. */
  end(index: number, outcome?: AgentOutcome): void;
  signals: AbortSignal[];
};

/** `deaf`: goes on when its signal fires, which breaks the port's contract. */
export function createHeldAgent({ deaf = false } = {}): HeldAgent {
  const ends: ((outcome: AgentOutcome) => void)[] = [];
  const signals: AbortSignal[] = [];
  const agent = createFakeAgent((_turn, signal) => {
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
