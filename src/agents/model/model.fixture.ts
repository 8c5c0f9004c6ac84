// A model server we did not write, and agents that ask it.
import { after } from "node:test";
import { LLMock } from "@copilotkit/aimock";
import { tool, type Tool } from "ai";
import { z } from "zod";
import type { ModelsConfig, ProviderKind } from "../../config/config.ts";
import { contractTurn } from "../agent.contract.ts";
import type { Turn } from "../agent.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import { createModelAgent, type ModelAgentConfig, type ModelAgentDependencies } from "./model.ts";

export async function startServer() {
  const server = new LLMock({ port: 0, logLevel: "silent" });
  await server.start();
  after(() => server.stop());
  const models = modelsAt(server.url);

  const agent = (options: Partial<ModelAgentDependencies & ModelAgentConfig> = {}) =>
    createModelAgent(
      { ...config, ...options },
      { models, mcp: {}, openToolbox: async () => toolboxOf({}), ...options },
    );

  return {
    server,
    models,
    agent,
    run: (prompt: string, options: Parameters<typeof agent>[0] = {}, turn: Partial<Turn> = {}) =>
      agent(options).run({ ...contractTurn(prompt), ...turn }, going()),
  };
}

export const going = (): AbortSignal => new AbortController().signal;
export const turnFor = contractTurn;

export const kinds: readonly ProviderKind[] = ["openai-compatible", "openai", "anthropic", "google"];

/** Names that the libraries know, so that they have nothing to warn of. */
const names: Readonly<Record<ProviderKind, string>> = {
  "openai-compatible": "small",
  openai: "gpt-5.4",
  anthropic: "claude-opus-4-6",
  google: "gemini-3-pro",
};
export const modelOf = (kind: ProviderKind): string => `${kind}/${names[kind]}`;

const modelsAt = (url: string): Pick<ModelsConfig, "providers"> => ({
  providers: {
    local: { kind: "openai-compatible", baseUrl: `${url}/v1`, apiKey: null },
    "openai-compatible": { kind: "openai-compatible", baseUrl: `${url}/v1`, apiKey: "key-of-mine" },
    openai: { kind: "openai", baseUrl: `${url}/v1`, apiKey: "key-of-mine" },
    anthropic: { kind: "anthropic", baseUrl: `${url}/v1`, apiKey: "key-of-mine" },
    google: { kind: "google", baseUrl: `${url}/v1beta`, apiKey: "key-of-mine" },
  },
});

export const config: ModelAgentConfig = {
  kind: "model",
  id: "main",
  default: true,
  workspace: "/nowhere",
  instructions: null,
  instructionsFile: null,
  fallback: null,
  tools: [],
  model: "local/small",
  thinking: null,
  maxSteps: 5,
  fetchHosts: [],
};

export type FakeTools = Record<string, (input: unknown, signal: AbortSignal | undefined) => unknown>;

type FakeToolbox = { onClose?: () => void; onActing?: () => Promise<boolean> };

/** `write` changes something; every tool takes `{ "path": string }`. */
export function toolboxOf(tools: FakeTools, { onClose, onActing }: FakeToolbox = {}): Toolbox {
  const made = Object.entries(tools).map(([name, execute]): [string, Tool] => [
    name,
    tool({
      description: name,
      inputSchema: z.object({ path: z.string() }),
      async execute(input: unknown, { abortSignal }) {
        if (name === "write" && onActing && !(await onActing())) return "not allowed";
        return execute(input, abortSignal);
      },
    }),
  ]);
  return {
    tools: Object.fromEntries(made),
    changes: new Set(["write"]),
    nameOf: (key) => key,
    close: async () => onClose?.(),
  };
}

export type Captured = {
  url: string;
  headers: Headers;
  body: Record<string, unknown>;
  signal: AbortSignal | null | undefined;
};

/** A `fetch` that keeps what is sent, and may change what comes back. */
export function capturingFetch(
  change: (response: Response) => Response | Promise<Response> = (same) => same,
) {
  const sent: Captured[] = [];
  const capturing: typeof fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = JSON.parse(init?.body as string) as Record<string, unknown>;
    sent.push({ url, headers: new Headers(init?.headers), body, signal: init?.signal });
    return change(await fetch(input, init));
  };
  return { sent, fetch: capturing };
}
