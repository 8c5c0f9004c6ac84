// The tokens and tools that a run has used so far; a run can be stopped at any moment.
import type { LanguageModelUsage } from "ai";
import type { AgentReport, TokenUse } from "../../core/outcome.ts";

export type Tally = {
  spent(usage: LanguageModelUsage): void;
  warn(sentence: string): void;
  called(tool: string): void;
  acted(): void;
  report(): AgentReport;
};

export function createTally(): Tally {
  const warnings = new Set<string>();
  const tools = new Set<string>();
  let usage: TokenUse | null = null;
  let acted = false;
  return {
    spent({ inputTokens, outputTokens }) {
      if (inputTokens === undefined && outputTokens === undefined) return;
      usage = {
        inputTokens: (usage?.inputTokens ?? 0) + (inputTokens ?? 0),
        outputTokens: (usage?.outputTokens ?? 0) + (outputTokens ?? 0),
      };
    },
    warn: (sentence) => void warnings.add(sentence),
    called: (tool) => void tools.add(tool),
    acted: () => void (acted = true),
    report: () => ({
      ...(usage !== null && { usage }),
      ...(warnings.size > 0 && { warnings: [...warnings] }),
      ...(tools.size > 0 && { toolsUsed: [...tools] }),
      ...(acted && { acted }),
    }),
  };
}
