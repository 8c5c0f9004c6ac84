// A claimed run becomes a turn that an agent can take: its prompt, what was said before, the tools it may use. The
// turn is written down, and held against its hook's budget, before the agent hears of it.
import type { Agent, Conversation, AgentInput } from "../agents/agent.ts";
import { readInstructions } from "../session/instructions.ts";
import type { Agents, ConfiguredAgent } from "../agents/registry.ts";
import type { Clock } from "../core/clock.ts";
import type { Outcome, TokenUse } from "../core/outcome.ts";
import { mainSessionKey, type ClaimedRun, type NewRun } from "../core/run.ts";
import type { Budget } from "../core/spending.ts";
import { grantedTools } from "../core/tool.ts";
import { noHistory, type TranscriptTurn } from "../core/transcript.ts";
import { eventsToRead, heartbeatPrompt, hookPrompt, type Prompt } from "../session/prompt.ts";
import {
  historyLimit,
  historyToRead,
  leftOutMark,
  said,
  splitHistory,
  usualContextTokens,
} from "../session/transcript.ts";
import type { AttemptStarted, AttemptStart } from "../core/attempt.ts";
import type { Store } from "../store/ports/store.ts";

export type InputDependencies = {
  store: Pick<Store, "waitingEvents" | "startRun" | "markActed" | "compact">;
  policy: () => { budget: Budget; contextTokens: Readonly<Record<string, number>> };
  clock: Clock;
};

export type Shown = { shownEventIds: readonly string[]; leftOver: boolean };
const nothingShown: Shown = { shownEventIds: [], leftOver: false };

/** Whom it is told, what, and which of the waiting events with it. */
export type AttemptInput = { who: ConfiguredAgent; made: Prompt; shown: Shown };
export type OpenedInput = { ok: true; opening: AttemptInput } | { ok: false; outcome: Outcome };

export async function open(
  run: ClaimedRun,
  agents: Agents,
  { store, clock }: InputDependencies,
): Promise<OpenedInput> {
  const who = agents.find(run.agentId);
  const instructions = await readInstructions(who.config);
  if (!instructions.ok)
    return { ok: false, outcome: { kind: "failed", reason: instructions.reason, mayPass: false } };
  if (run.kind === "hook") return { ok: true, opening: hookOpening(run, who, instructions.text) };
  const events = await store.waitingEvents(mainSessionKey, eventsToRead);
  const made = heartbeatPrompt(events, clock.now(), instructions.text);
  const shown = { shownEventIds: made.shownEventIds, leftOver: made.leftOver };
  return { ok: true, opening: { who, made, shown } };
}

const hookOpening = (
  run: Pick<NewRun, "request">,
  who: ConfiguredAgent,
  instructions: string | null,
): AttemptInput => ({ who, made: hookPrompt(run, instructions), shown: nothingShown });

/** Of a hook's run that is not stored yet. Null when a file has to be read: a caller does not wait for that. */
export function openEarly(run: NewRun, agents: Agents): AttemptInput | null {
  const who = agents.find(run.agentId);
  const { instructions, instructionsFile } = who.config;
  return instructionsFile === null ? hookOpening(run, who, instructions) : null;
}

/** `echo` costs nothing and is held to no budget; nor is the main session, which is no hook. */
export const startOf = (
  run: NewRun & { lease: string },
  { who: { config }, made }: AttemptInput,
  { policy }: Pick<InputDependencies, "policy">,
): AttemptStart => ({
  id: run.id,
  lease: run.lease,
  hook: run.hook,
  agentId: run.agentId,
  sessionKey: run.sessionKey,
  isolated: run.isolated,
  historyCharacters: historyToRead(limitOf(modelOf(run, config), policy())),
  prompt: made.prompt,
  budget: run.kind === "heartbeat" || config.kind === "echo" ? null : policy().budget,
});

const modelOf = ({ request }: Pick<NewRun, "request">, config: ConfiguredAgent["config"]): string | null =>
  request.model ?? config.model;

/** Of what an agent is reminded of, in characters. */
const limitOf = (model: string | null, { contextTokens }: ReturnType<InputDependencies["policy"]>): number =>
  historyLimit(contextTokens[model ?? ""] ?? usualContextTokens);

/** What the store says of a first turn: nothing was said before it. */
export const firstBegun: Going = { kind: "go", history: noHistory, foreignSession: null };

export const turnOf = (
  run: ClaimedRun,
  { who: { config }, made: { prompt, prepared } }: AttemptInput,
  rest: Pick<AgentInput, "timeoutSeconds" | "onActing">,
): AgentInput => ({
  runId: run.id,
  agentId: config.id,
  sessionKey: run.sessionKey,
  prompt,
  instructions: prepared.instructions,
  data: prepared.data,
  conversation: null,
  tools: grantedTools(config.tools, run.request.tools),
  model: modelOf(run, config),
  thinking: run.request.thinking ?? config.thinking,
  trace: run.request.trace,
  ...rest,
});

export type Going = Extract<AttemptStarted, { kind: "go" }>;

/** What the agent is reminded of. What no longer fits its window is compacted first, by itself if it can. */
export async function conversationOf(
  run: ClaimedRun,
  agent: Agent,
  turn: AgentInput,
  { history, foreignSession }: Going,
  stop: AbortSignal,
  { store, policy, onUsed }: InputDependencies & { onUsed: (usage: TokenUse) => void },
): Promise<Conversation | null> {
  if (run.isolated) return null;
  const limit = limitOf(turn.model, policy());
  const { old, recent } = splitHistory(history, limit);
  // An agent with a memory of its own needs ours only when it has lost it.
  if (old.length === 0 || foreignSession !== null) return { history: recent, foreignSession };
  const summary = await agent.summarise?.(said(old, limit), turn, stop);
  if (summary?.report?.usage) onUsed(summary.report.usage);
  if (summary?.kind !== "replied") return { history: [leftOut, ...recent], foreignSession };
  const { agentId, sessionKey } = run;
  const upTo = Math.max(0, ...old.filter(({ role }) => role !== "summary").map(({ seq }) => seq));
  await store.compact({ agentId, sessionKey, upTo, summary: summary.reply });
  return { history: [{ role: "summary", text: summary.reply }, ...recent], foreignSession };
}

const leftOut = { role: "summary", text: leftOutMark } satisfies Pick<TranscriptTurn, "role" | "text">;
