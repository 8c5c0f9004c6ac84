// An agent's report about its work, as text for people.
import type { RunReport } from "../../core/run.ts";

export function reportWords(report: RunReport | null): string {
  if (report === null) return "-";
  const { inputTokens, outputTokens, cost, warnings, toolsGranted, toolsUsed } = report;
  const words = [
    inputTokens + outputTokens > 0 && `${inputTokens} tokens in, ${outputTokens} out`,
    cost > 0 && `cost ${cost.toFixed(4)}`,
    toolsGranted.length > 0 && `tools granted: ${toolsGranted.join(", ")}`,
    toolsUsed.length > 0 && `tools used: ${toolsUsed.join(", ")}`,
    ...warnings.map((warning) => `warning: ${warning}`),
  ].filter((each) => each !== false);
  return words.length === 0 ? "nothing" : words.join("\n");
}
