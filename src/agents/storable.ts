// An agent whose outcomes can be stored whatever it reports: numbers are whole and bounded, names and its session id are
// text that every database takes. Any kind of agent may report anything, so this is where it is mended, once for all.
import { cutWithMark, oneLine } from "../core/text.ts";
import type { AgentOutcome, AgentReport, TokenUse } from "../core/outcome.ts";
import type { Agent } from "./agent.ts";

/** In one attempt: more than any model reads or writes in a week. As much as `hooks.budget.tokensPerDay` allows. */
const mostTokens = 1_000_000_000_000;
const mostWarnings = 20;
const mostTools = 200;
const longest = { warning: 1000, tool: 200, session: 1000 };

export const storable = (agent: Agent): Agent => ({
  run: async (input, signal) => storableOutcome(await agent.run(input, signal)),
  ...(agent.summarise && {
    summarise: async (conversation, input, signal) =>
      storableOutcome(await agent.summarise!(conversation, input, signal)),
  }),
});

export function storableOutcome(outcome: AgentOutcome): AgentOutcome {
  const report = outcome.report && { report: storableReport(outcome.report) };
  if (outcome.kind === "replied") return { ...outcome, ...report };
  const { retryAfterMs, ...rest } = outcome;
  const isDelay = typeof retryAfterMs === "number" && Number.isFinite(retryAfterMs);
  return {
    ...rest,
    ...(isDelay && { retryAfterMs: wholeUpTo(Number.MAX_SAFE_INTEGER, retryAfterMs) }),
    ...report,
  };
}

function storableReport({ usage, warnings, toolsUsed, foreignSession, ...rest }: AgentReport): AgentReport {
  const isKept = foreignSession === undefined || sessionId.test(foreignSession);
  const all = [...(isKept ? [] : [unusableSession]), ...(warnings ?? [])];
  return {
    ...rest,
    ...(usage && { usage: wholeUse(usage) }),
    ...(all.length > 0 && { warnings: lines(all, mostWarnings, longest.warning) }),
    ...(toolsUsed && { toolsUsed: lines(toolsUsed, mostTools, longest.tool) }),
    ...(foreignSession !== undefined && isKept && { foreignSession }),
  };
}

/** Compared byte for byte when it is given back, so it is kept whole or not at all. */
const sessionId = new RegExp(`^[^\\p{Cc}\\p{Cs}]{1,${longest.session}}$`, "u");
const unusableSession =
  `The agent's session id is empty, longer than ${longest.session} characters, or has control characters in it: ` +
  "the next run does not continue this session.";

const lines = (texts: readonly string[], most: number, length: number): string[] =>
  texts.slice(0, most).map((text) => cutWithMark(oneLine(text), length));

const wholeUse = ({ inputTokens, outputTokens }: TokenUse): TokenUse => ({
  inputTokens: wholeUpTo(mostTokens, inputTokens),
  outputTokens: wholeUpTo(mostTokens, outputTokens),
});

/** Zero for what is no number. */
const wholeUpTo = (most: number, value: number): number =>
  Number.isNaN(value) ? 0 : Math.min(Math.max(Math.ceil(value), 0), most);
