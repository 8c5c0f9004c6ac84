// Finds programs, model servers and keys on this machine that could serve as an agent, and the config lines for each.
// Reads only the names of variables that hold keys, and sends requests only to servers on this machine.
import { z } from "zod";
import { commandPresets, type Config, type ProviderConfig } from "../../config/config.ts";
import { readText } from "../../core/response-body.ts";
import type { Finding } from "./finding.ts";
import { findProgram } from "./programs.ts";

export type Found = {
  name: string;
  what: string;
  /** The line for `agents`. */
  agents: string;
  /** The line for the top of the config; null when none is needed. */
  models: string | null;
};

export type LocalServer = { name: string; words: string; origin: string; list: string };

const localServers: readonly LocalServer[] = [
  { name: "ollama", words: "Ollama", origin: "http://127.0.0.1:11434", list: "/api/tags" },
  { name: "llama", words: "llama.cpp", origin: "http://127.0.0.1:8080", list: "/v1/models" },
  { name: "lmstudio", words: "LM Studio", origin: "http://127.0.0.1:1234", list: "/v1/models" },
  { name: "vllm", words: "vLLM", origin: "http://127.0.0.1:8000", list: "/v1/models" },
];

type Written = { kind: ProviderConfig["kind"]; baseUrl?: string; apiKey?: string };
type KeyHolder = { name: string; variables: readonly string[]; model: string; provider: Written };

const keyHolders: readonly KeyHolder[] = [
  {
    name: "anthropic",
    variables: ["ANTHROPIC_API_KEY"],
    model: "claude-sonnet-5-5",
    provider: { kind: "anthropic" },
  },
  { name: "openai", variables: ["OPENAI_API_KEY"], model: "gpt-5.4", provider: { kind: "openai" } },
  {
    name: "google",
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    model: "gemini-flash-latest",
    provider: { kind: "google" },
  },
  {
    name: "openrouter",
    variables: ["OPENROUTER_API_KEY"],
    model: "openrouter/auto",
    provider: { kind: "openai-compatible", baseUrl: "https://openrouter.ai/api/v1" },
  },
];

const mostBytes = 1_048_576;
/** A local server responds at once; one that hangs must not delay the command. */
const defaultTimeoutMs = 1000;

export const isEchoAlone = ({ agents }: Config): boolean => agents.list.every(({ kind }) => kind === "echo");

/** Programs come first: they need no further setting. */
export async function findOnMachine(
  env: NodeJS.ProcessEnv,
  servers: readonly LocalServer[] = localServers,
  timeoutMs = defaultTimeoutMs,
): Promise<Found[]> {
  const asked = await Promise.all(servers.map((server) => askServer(server, timeoutMs)));
  return [...findPrograms(env), ...asked.flat(), ...findKeys(env)];
}

const findPrograms = (env: NodeJS.ProcessEnv): Found[] =>
  commandPresets.flatMap((preset) => {
    const program = findProgram(preset, env["PATH"] ?? "");
    if (program === null) return [];
    return [
      {
        name: preset,
        what: `${preset} (${program})`,
        agents: listOf({ kind: "command", preset }),
        models: null,
      },
    ];
  });

const findKeys = (env: NodeJS.ProcessEnv): Found[] =>
  keyHolders.flatMap(({ name, variables, model, provider }) => {
    const variable = variables.find((each) => (env[each] ?? "").trim() !== "");
    if (variable === undefined) return [];
    const written = { ...provider, apiKey: `\${${variable}}` };
    return [{ name, what: `a key in ${variable}`, ...modelLines(name, model, written) }];
  });

const listed = z.union([
  z
    .object({ models: z.array(z.object({ name: z.string() })) })
    .transform(({ models }) => models.map(({ name }) => name)),
  z.object({ data: z.array(z.object({ id: z.string() })) }).transform(({ data }) => data.map(({ id }) => id)),
]);
/** Any program may listen on these ports: a response without model names is ignored. */
const modelName = /^\w[\w.:/@+-]{0,150}$/;

async function askServer({ name, words, origin, list }: LocalServer, timeoutMs: number): Promise<Found[]> {
  try {
    const response = await fetch(origin + list, {
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const names =
      listed
        .safeParse(JSON.parse(await readText(response, mostBytes)))
        .data?.filter((each) => modelName.test(each)) ?? [];
    const model = names.find((each) => !/embed/i.test(each));
    if (!response.ok || model === undefined) return [];
    const provider: Written = { kind: "openai-compatible", baseUrl: `${origin}/v1` };
    return [{ name, what: `${words} with ${model} (${origin})`, ...modelLines(name, model, provider) }];
  } catch {
    return [];
  }
}

const modelLines = (name: string, model: string, provider: Written): Pick<Found, "agents" | "models"> => ({
  agents: listOf({ kind: "model", model: `${name}/${model}` }),
  models: `"models": ${onOneLine({ providers: { [name]: provider } })},`,
});

const listOf = (agent: object): string => `"list": ${onOneLine([{ id: "main", ...agent }])},`;

const onOneLine = (value: object): string => JSON.stringify(value, null, 1).replace(/\n\s*/g, " ");

export const linesOf = ({ agents, models }: Found): string[] => [
  `in "agents":  ${agents}`,
  ...(models === null ? [] : [`at the top:   ${models}`]),
];

export const foundFinding = (found: Found): Finding => ({
  check: `found ${found.name}`,
  status: "ok",
  message: `${found.what}. To use it instead of echo, write into the config:`,
  fix: linesOf(found).join("\n        "),
});
