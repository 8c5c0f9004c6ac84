// Makes an agent's input from a claimed run: its prompt, the conversation so far, the tools it may use. The prompt is
// stored, and the run counted against its budget, before the agent is called.
import { largest } from "../core/largest.ts";
import type { Agent, AgentInput, Conversation } from "../agents/agent.ts";
import type { Agents, ConfiguredAgent } from "../agents/registry.ts";
import type { AttemptStarted, AttemptStart } from "../core/attempt.ts";
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Outcome, TokenUse } from "../core/outcome.ts";
import { mainSessionKey, type ClaimedRun, type NewRun } from "../core/run.ts";
import { type Budget, budgetOf } from "../core/spending.ts";
import { grantedTools } from "../core/tool.ts";
import { noHistory, type TranscriptTurn } from "../core/transcript.ts";
import { readInstructions } from "../session/instructions.ts";
import { eventsToRead, type Prompt } from "../session/prompt.ts";
import type { PromptMaker } from "../session/prompt-maker.ts";
import {
  historyLimit,
  historyToRead,
  leftOutMark,
  transcriptText,
  splitHistory,
  usualContextTokens,
} from "../session/transcript.ts";
import type { Store } from "../store/ports/store.ts";
import { untilStored } from "../work/persist.ts";

export type InputDependencies = {
  store: Pick<Store, "waitingEvents" | "countWaitingEvents" | "startRun" | "markActed" | "compact">;
  policy: () => { budget: Budget; contextTokens: Readonly<Record<string, number>> };
  clock: Clock;
  prompts: Pick<PromptMaker, "hook" | "heartbeat">;
};

/** Which of the waiting events a prompt shows, and whether some did not fit. */
export type Shown = { shownEventIds: readonly string[]; leftOver: boolean };
const nothingShown: Shown = { shownEventIds: [], leftOver: false };

/** What an attempt starts with: the agent it goes to, its prompt, and the events shown in it. */
export type AttemptInput = { configured: ConfiguredAgent; prompt: Prompt; shown: Shown };
export type PreparedInput = { ok: true; input: AttemptInput } | { ok: false; outcome: Outcome };

export async function prepareInput(
  run: ClaimedRun,
  agents: Agents,
  { store, clock, prompts }: Pick<InputDependencies, "store" | "clock" | "prompts">,
): Promise<PreparedInput> {
  const configured = agents.find(run.agentId);
  const instructions = await readInstructions(configured.config);
  if (!instructions.ok) return failed(instructions.reason);
  if (run.kind === "hook") return prepareHook(run, configured, instructions.text, prompts);
  const { count } = await store.countWaitingEvents();
  const events = await store.waitingEvents(mainSessionKey, eventsToRead.count, eventsToRead.bytes);
  const prompt = await prompts.heartbeat({ events, count }, clock.now(), instructions.text);
  const shown = { shownEventIds: prompt.shownEventIds, leftOver: prompt.leftOver };
  return { ok: true, input: { configured, prompt, shown } };
}

const failed = (reason: string): PreparedInput => ({
  ok: false,
  outcome: { kind: "failed", reason, mayPass: false },
});

/** What cannot be prepared now could not be later either. */
async function prepareHook(
  run: ClaimedRun,
  configured: ConfiguredAgent,
  instructions: string | null,
  prompts: Pick<PromptMaker, "hook">,
): Promise<PreparedInput> {
  try {
    return { ok: true, input: hookInput(configured, await prompts.hook(run, instructions)) };
  } catch (fault) {
    return failed(`its prompt could not be made: ${faultKind(fault)}`);
  }
}

const hookInput = (configured: ConfiguredAgent, prompt: Prompt): AttemptInput => ({
  configured,
  prompt,
  shown: nothingShown,
});

/** For a hook's run that is not stored yet. Null when its caller would wait: for a file, or for much work. */
export function earlyInput(
  run: NewRun,
  agents: Agents,
  prompts: Pick<PromptMaker, "now">,
): AttemptInput | null {
  const configured = agents.find(run.agentId);
  const { instructions, instructionsFile } = configured.config;
  const prompt = instructionsFile === null ? prompts.now(run, instructions) : null;
  return prompt && hookInput(configured, prompt);
}

/** Only runs of hooks have a budget, unless their agent is `echo`, which costs nothing. */
export const attemptStart = (
  run: NewRun & { lease: string },
  { configured: { config }, prompt: { prompt } }: AttemptInput,
  { policy }: Pick<InputDependencies, "policy">,
): AttemptStart => ({
  id: run.id,
  lease: run.lease,
  hook: budgetOf(run),
  agentId: run.agentId,
  sessionKey: run.sessionKey,
  isolated: run.isolated,
  historyCharacters: historyToRead(historyCharacters(modelOf(run, config), policy())),
  prompt,
  budget: run.kind === "heartbeat" || config.kind === "echo" ? null : policy().budget,
});

const modelOf = ({ request }: Pick<NewRun, "request">, config: ConfiguredAgent["config"]): string | null =>
  request.model ?? config.model;

/** How many characters of the conversation fit into the model's window. */
const historyCharacters = (
  model: string | null,
  { contextTokens }: ReturnType<InputDependencies["policy"]>,
): number => historyLimit(contextTokens[model ?? ""] ?? usualContextTokens);

export type Started = Extract<AttemptStarted, { kind: "go" }>;

/** For a run that was started when it was accepted: an isolated one, which has no history. */
export const firstStarted: Started = { kind: "go", history: noHistory, foreignSession: null };

export const agentInput = (
  run: ClaimedRun,
  { configured: { config }, prompt: { prompt, prepared } }: AttemptInput,
  rest: Pick<AgentInput, "timeoutSeconds" | "onActing" | "onErrorOutput" | "onEvent">,
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

/** The earlier turns for the agent. Turns that no longer fit are compacted first, by the agent itself if it can. */
export async function conversationOf(
  run: ClaimedRun,
  agent: Agent,
  input: AgentInput,
  { history, foreignSession }: Started,
  stop: AbortSignal,
  {
    store,
    policy,
    clock,
    onUsed,
  }: Pick<InputDependencies, "store" | "policy" | "clock"> & { onUsed: (usage: TokenUse) => void },
): Promise<Conversation | null> {
  if (run.isolated) return null;
  const limit = historyCharacters(input.model, policy());
  const { old, recent } = splitHistory(history, limit);
  // An agent that keeps the conversation itself needs our summary only after it has lost it.
  if (old.length === 0 || foreignSession !== null) return { history: recent, foreignSession };
  const summary = await agent.summarise?.(transcriptText(old, limit), input, stop);
  if (summary?.report?.usage) onUsed(summary.report.usage);
  if (summary?.kind !== "replied") return { history: [leftOut, ...recent], foreignSession };
  const { agentId, sessionKey } = run;
  const upTo = largest(
    old.filter(({ role }) => role !== "summary").map(({ seq }) => seq),
    0,
  );
  const compaction = { runId: run.id, lease: run.lease, agentId, sessionKey, upTo, summary: summary.reply };
  const isOurs = await untilStored(() => store.compact(compaction), { clock, giveUp: () => stop.aborted });
  if (isOurs !== true) throw new Error("the run's lease was lost");
  return { history: [{ role: "summary", text: summary.reply }, ...recent], foreignSession };
}

const leftOut = { role: "summary", text: leftOutMark } satisfies Pick<TranscriptTurn, "role" | "text">;
