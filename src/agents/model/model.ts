// An agent that is a model behind an API, with tools of ours. This file and all it imports are loaded only where such an
// agent is configured.
import type { AgentConfig, McpServerConfig, ModelsConfig } from "../../config/config.ts";
import type { AgentOutcome } from "../../core/outcome.ts";
import type { AgentInput } from "../agent.ts";
import { failed } from "../failure.ts";
import type { SummarisingAgent } from "../lazy.ts";
import { createOutsideTexts } from "../outside-texts.ts";
import { openToolbox as openRealToolbox, type Toolbox } from "../tools/toolbox.ts";
import { ask, type Question } from "./ask.ts";
import { chooseModel } from "./providers.ts";
import { untilStopped } from "./stop.ts";
import type { Tally } from "./tally.ts";

export type ModelAgentConfig = Extract<AgentConfig, { kind: "model" }>;

export type ModelAgentDependencies = {
  models: Pick<ModelsConfig, "providers">;
  mcp: Readonly<Record<string, McpServerConfig>>;
  environment?: NodeJS.ProcessEnv;
  fetch?: typeof fetch;
  openToolbox?: typeof openRealToolbox;
};

export function createModelAgent(
  config: ModelAgentConfig,
  dependencies: ModelAgentDependencies,
): SummarisingAgent {
  const { models, mcp, environment, fetch, openToolbox = openRealToolbox } = dependencies;
  const { workspace, fetchHosts, maxSteps } = config;
  const texts = createOutsideTexts();
  const choose = (model: string | null) => chooseModel(model ?? config.model, models.providers, fetch);
  async function runModel(input: AgentInput, tally: Tally, stop: AbortSignal): Promise<AgentOutcome> {
    const chosen = choose(input.model);
    if (!chosen.ok) return failed(chosen.reason);
    const toolbox = await openToolbox({
      granted: input.tools,
      workspace,
      fetchHosts,
      mcp,
      signal: stop,
      onActing: () => acting(input, tally),
      texts,
      ...(environment && { environment }),
    });
    const close = closing(toolbox, stop);
    try {
      const thinking = input.thinking ?? config.thinking;
      const { onEvent } = input;
      const messages = await texts.messages(input);
      return await ask({ chosen, messages, thinking, toolbox, maxSteps, onEvent }, tally, stop);
    } finally {
      close();
    }
  }

  return {
    run: (input, signal) => untilStopped((tally, stop) => runModel(input, tally, stop), signal),
    summarise: (conversation, { model, thinking }, signal) =>
      untilStopped(async (tally, stop) => {
        const chosen = choose(model);
        if (!chosen.ok) return failed(chosen.reason);
        const messages = await texts.account(conversation);
        return ask({ chosen, messages, thinking, toolbox: noTools, maxSteps: 1 }, tally, stop);
      }, signal),
  };
}

const noTools: Question["toolbox"] = {
  tools: {},
  nameOf: (key) => key,
  callNameOf: (key) => key,
  hasFailed: () => false,
};

async function acting({ onActing }: AgentInput, tally: Tally): Promise<boolean> {
  const may = await onActing();
  if (may) tally.acted();
  return may;
}

/** Closes once: when the run ends, or as soon as it is stopped, because a tool may delay its end. */
function closing(toolbox: Toolbox, stop: AbortSignal): () => void {
  let closed = false;
  const close = () => {
    if (closed) return;
    closed = true;
    stop.removeEventListener("abort", close);
    // Not awaited: a server that does not close must not delay the reply.
    toolbox.close().catch(() => undefined);
  };
  stop.addEventListener("abort", close);
  if (stop.aborted) close();
  return close;
}
