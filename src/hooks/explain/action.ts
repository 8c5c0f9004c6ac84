// Explains one action of a request: its fields, the policy's verdict, and the prompt that its agent would get.
import { type Instructions, readInstructions } from "../../session/instructions.ts";
import { type AgentConfig, type Config, defaultAgent } from "../../config/config.ts";
import type { Action, AgentAction, WakeAction } from "../../core/action.ts";
import { catalogue, isRefusal, type Refusal } from "../../core/errors.ts";
import { plainText } from "../../core/message.ts";
import type { Signals } from "../../core/signals.ts";
import { grantedTools } from "../../core/tool.ts";
import { acceptOne } from "../acceptance.ts";
import type { RequestedActions } from "../decide.ts";
import { allow, type Allowed } from "../policy.ts";
import type { HookSettings } from "../settings.ts";
import { heartbeatPrompt, hookPrompt, type Prompt } from "../../session/prompt.ts";

export type Verdict = { allowed: true } | { allowed: false; status: number; code: string; error: string };

type Common = {
  policy: Verdict;
  /** The agent that would run; null when the action is refused. */
  agentId: string | null;
  prompt: string | null;
  /** Why an accepted run would fail before there is a prompt. */
  fault: string | null;
  signals: Signals | null;
};

export type ExplainedAgent = Common &
  Pick<
    AgentAction,
    | "name"
    | "wakeMode"
    | "deliver"
    | "channel"
    | "to"
    | "fallback"
    | "model"
    | "thinking"
    | "timeoutSeconds"
    | "callback"
    | "results"
  > & {
    action: "agent";
    message: string;
    /** As the request or mapping names it. */
    requestedAgentId: string | null;
    /** "…" is for the run's id; null when none is set and the action is refused. */
    sessionKey: string | null;
    /** What the agent may use in this run; null when the action is refused. */
    tools: readonly string[] | null;
    /** Whether a failure is told where the reply would have gone. */
    deliverFailures: boolean;
    allowUnsafeExternalContent: boolean;
  };

export type ExplainedWake = Common & { action: "wake"; text: string; wakeMode: WakeAction["mode"] };

export type ExplainedAction = ExplainedAgent | ExplainedWake;

type ExplainOptions = { settings: HookSettings; config: Config; now: number };

/** Reads the instructions of each agent once. */
export function explainActions(
  hook: string,
  { actions }: RequestedActions,
  options: ExplainOptions,
): Promise<ExplainedAction[]> {
  const read = new Map<string, Promise<Instructions>>();
  const instructionsOf = (agent: AgentConfig): Promise<Instructions> => {
    const known = read.get(agent.id) ?? readInstructions(agent);
    read.set(agent.id, known);
    return known;
  };
  const context = { hook, instructionsOf, ...options };
  return Promise.all(actions.map((action) => explainAction(action, context)));
}

type ActionContext = ExplainOptions & {
  hook: string;
  instructionsOf: (agent: AgentConfig) => Promise<Instructions>;
};

async function explainAction(action: Action, context: ActionContext): Promise<ExplainedAction> {
  if (action.kind === "wake") return { ...wakeFields(action), ...(await explainWake(action, context)) };
  const allowed = allow(action, context.settings);
  const fields = agentFields(action, context.config);
  if (isRefusal(allowed)) return { ...fields, policy: verdictOf(allowed), ...notRun };
  return { ...fields, ...(await explainRun(allowed, context)) };
}

const wakeFields = ({ text, mode }: WakeAction) => ({
  action: "wake" as const,
  text: plainText(text),
  wakeMode: mode,
});

function agentFields(action: AgentAction, { hooks }: Config) {
  const {
    kind,
    message,
    agentId: requestedAgentId,
    unsafe,
    tools: _,
    origin: __,
    budget: ___,
    ...fields
  } = action;
  return {
    action: kind,
    ...fields,
    message: plainText(message),
    requestedAgentId,
    deliverFailures: action.deliver && (action.deliverFailures ?? hooks.deliverFailures),
    allowUnsafeExternalContent: unsafe,
  };
}

const notRun = { agentId: null, tools: null, prompt: null, fault: null, signals: null };

const verdictOf = ({ refused }: Refusal): Verdict => ({
  allowed: false,
  status: catalogue[refused].status,
  code: refused,
  error: catalogue[refused].text,
});

/** The run as it would be stored, and the prompt as its agent would get it. */
async function explainRun(allowed: Allowed, { hook, settings, config, instructionsOf }: ActionContext) {
  const [run] = acceptOne(hook, allowed, settings, null).runs;
  if (!run) throw new Error("an agent action becomes a run");
  const agent = config.agents.list.find(({ id }) => id === run.agentId) ?? defaultAgent(config.agents.list);
  return {
    policy: { allowed: true } as const,
    agentId: agent.id,
    sessionKey: run.sessionKey.replaceAll(run.id, "…"),
    model: run.request.model,
    tools: grantedTools(agent.tools, run.request.tools),
    ...prompted(await instructionsOf(agent), (text) => hookPrompt(run, text)),
  };
}

/** The next heartbeat, as if nothing else were waiting. */
async function explainWake(wake: WakeAction, { hook, settings, config, now, instructionsOf }: ActionContext) {
  const { events } = acceptOne(hook, wake, settings, null);
  const waiting = events.map((event, seq) => ({ ...event, seq, createdAt: now, shownAt: null }));
  const agent = defaultAgent(config.agents.list);
  return {
    policy: { allowed: true } as const,
    agentId: agent.id,
    ...prompted(await instructionsOf(agent), (text) => heartbeatPrompt(waiting, now, text)),
  };
}

function prompted(instructions: Instructions, make: (text: string | null) => Prompt) {
  if (!instructions.ok) return { prompt: null, fault: instructions.reason, signals: null };
  const { prompt, signals } = make(instructions.text);
  return { prompt, fault: null, signals };
}
