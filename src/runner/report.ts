// Adds an agent's report of one attempt to the report of its run.
import type { AgentReport } from "../core/outcome.ts";
import type { RunReport } from "../core/run.ts";

export type Price = { input: number; output: number };
export type Used = { inputTokens: number; outputTokens: number; cost: number };

const mostWarnings = 20;

/** Null when the attempt used no tokens. */
export function usedBy(report: AgentReport | undefined, price: Price | undefined): Used | null {
  const usage = report?.usage;
  if (!usage || usage.inputTokens + usage.outputTokens === 0) return null;
  const { inputTokens, outputTokens } = usage;
  const cost = price ? (inputTokens * price.input + outputTokens * price.output) / 1_000_000 : 0;
  return { inputTokens, outputTokens, cost };
}

export function addReport(
  before: RunReport | null,
  report: AgentReport | undefined,
  used: Used | null,
  toolsGranted: readonly string[],
): RunReport {
  const distinct = (...lists: (readonly string[] | undefined)[]) => [
    ...new Set(lists.flatMap((list) => list ?? [])),
  ];
  return {
    inputTokens: (before?.inputTokens ?? 0) + (used?.inputTokens ?? 0),
    outputTokens: (before?.outputTokens ?? 0) + (used?.outputTokens ?? 0),
    cost: (before?.cost ?? 0) + (used?.cost ?? 0),
    warnings: distinct(before?.warnings, report?.warnings).slice(0, mostWarnings),
    toolsGranted,
    toolsUsed: distinct(before?.toolsUsed, report?.toolsUsed),
  };
}
