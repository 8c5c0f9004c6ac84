// The agent that needs nothing: it replies with exactly the prompt it was given. For set-up and self-tests.
import type { Agent } from "./agent.ts";

export const createEchoAgent = (): Agent => ({
  run: async ({ prompt }) => ({ kind: "replied", reply: prompt }),
});
