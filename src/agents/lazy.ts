// An agent whose code is loaded when it is needed: a gateway does not carry the libraries of kinds it never uses.
import type { AgentOutcome } from "../core/outcome.ts";
import { cutWithMark, oneLine } from "../core/text.ts";
import type { Agent } from "./agent.ts";
import { failed } from "./failure.ts";

export type SummarisingAgent = Required<Agent>;

const longestMessage = 300;

export function lazyAgent(load: () => Promise<Agent>): Agent {
  const loaded = onceLoaded(load);
  return { run: (input, signal) => loaded((agent) => agent.run(input, signal)) };
}

export function lazySummarisingAgent(load: () => Promise<SummarisingAgent>): SummarisingAgent {
  const loaded = onceLoaded(load);
  return {
    run: (input, signal) => loaded((agent) => agent.run(input, signal)),
    summarise: (conversation, input, signal) =>
      loaded((agent) => agent.summarise(conversation, input, signal)),
  };
}

function onceLoaded<Loaded>(load: () => Promise<Loaded>) {
  let loading: Promise<Loaded> | null = null;
  return async (use: (loaded: Loaded) => Promise<AgentOutcome>): Promise<AgentOutcome> => {
    let loaded: Loaded;
    try {
      loaded = await (loading ??= load());
    } catch (fault) {
      const message = fault instanceof Error ? fault.message : "unknown fault";
      return failed(`the agent could not be loaded: ${cutWithMark(oneLine(message), longestMessage)}`);
    }
    return use(loaded);
  };
}
