// Hands on what an agent tells while it works: text and tools to who listens, tools to what is kept of the attempt.
// What a stopped agent still tells after the end of its attempt goes nowhere.
import type { AgentEvent } from "../agents/agent.ts";
import type { Live } from "../core/live.ts";
import type { ToolCalls } from "./tool-calls.ts";

export type Telling = { hear(event: AgentEvent): void; end(): void };

const betweenTexts = "\n\n";

export function beginTelling(runId: string, { live, tools }: { live: Live; tools: ToolCalls }): Telling {
  let isOver = false;
  let hasText = false;
  let begins = false;
  live.begin(runId);
  return {
    hear(event) {
      if (isOver) return;
      if (event.kind === "tool") {
        const told = tools.take(event);
        if (told) live.tell(runId, told);
        return;
      }
      begins ||= event.begins === true;
      if (event.text === "") return;
      const text = begins && hasText ? betweenTexts + event.text : event.text;
      hasText = true;
      begins = false;
      live.tell(runId, { kind: "delta", text });
    },
    end() {
      isOver = true;
      live.end(runId);
    },
  };
}
