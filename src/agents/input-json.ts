// An agent's input as JSON, for a service or a program of the user's own.
import type { AgentInput } from "./agent.ts";

export const inputJson = (input: AgentInput): string =>
  JSON.stringify({
    runId: input.runId,
    agentId: input.agentId,
    sessionKey: input.sessionKey,
    instructions: input.instructions,
    data: input.data,
    message: input.prompt,
    model: input.model,
    thinking: input.thinking,
    timeoutSeconds: input.timeoutSeconds,
    ...(input.conversation === null ? {} : { history: input.conversation.history }),
  });
