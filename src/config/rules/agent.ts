// Rules between the settings of `agents`.
import { resolveModel } from "../../core/model.ts";
import { mcpPrefix } from "../../core/tool.ts";
import type { Finding, Path } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

type Agents = Settings["agents"];
type Found = { problems: Finding[]; warnings: Finding[] };

export function agentRules(settings: Settings): Found {
  const { agents } = settings;
  const problems = [...idProblems(agents), ...defaultProblems(agents), ...kindProblems(settings)];
  return {
    problems: [...problems, ...aliasProblems(agents), ...providerProblems(settings)],
    warnings: agentWarnings(agents),
  };
}

const listed = (at: number, setting: string) => ["agents", "list", at, setting];

function idProblems({ list }: Agents): Finding[] {
  return list.flatMap(({ id }, at) => {
    const first = list.findIndex((other) => other.id === id);
    return first < at
      ? [
          {
            path: listed(at, "id"),
            message: `is the id of agents.list[${first}] already: choose another (upper and lower case are the same)`,
          },
        ]
      : [];
  });
}

function defaultProblems({ list }: Agents): Finding[] {
  const marked = list.flatMap((agent, at) => (agent.default ? [at] : []));
  return marked.slice(1).map((at) => ({
    path: listed(at, "default"),
    message: "is true for another agent already: only one can be the default",
  }));
}

type Agent = Omit<Agents["list"][number], "id" | "default">;

/** Every agent completed from the defaults, with its path. */
const completed = ({ list, defaults }: Agents): { agent: Agent; path: Path }[] =>
  list.length === 0
    ? [{ agent: defaults, path: ["agents", "defaults"] }]
    : list.map((own, at) => ({ agent: { ...defaults, ...own }, path: ["agents", "list", at] }));

function kindProblems(settings: Settings): Finding[] {
  return completed(settings.agents).flatMap(({ agent, path }) => {
    const missing = (setting: string, message: string) => [{ path: [...path, setting], message }];
    const { kind } = agent;
    if (kind === "command" && agent.command === undefined && agent.preset === undefined)
      return missing("command", "is missing: an agent of kind command needs its program, or a preset");
    if (kind === "acp" && agent.command === undefined)
      return missing("command", "is missing: an agent of kind acp needs its program");
    if (kind === "http" && agent.url === undefined)
      return missing("url", "is missing: an agent of kind http needs its address");
    return kind === "model" ? modelProblems(agent, path, settings) : [];
  });
}

function modelProblems(agent: Agent, path: Path, { models, mcp, agents }: Settings): Finding[] {
  const servers = (agent.tools ?? []).flatMap((tool) =>
    tool.startsWith(mcpPrefix) && !Object.hasOwn(mcp.servers, tool.slice(mcpPrefix.length)) ? [tool] : [],
  );
  const found = servers.map((tool) => ({
    path: [...path, "tools"],
    message: `has ${tool}, but there is no mcp.servers.${tool.slice(mcpPrefix.length)}`,
  }));
  if (agent.model === undefined)
    return [...found, { path: [...path, "model"], message: "is missing: an agent of kind model needs one" }];
  const id = resolveModel(agent.model, agents.defaults.models) ?? agent.model;
  const provider = id.includes("/") ? id.slice(0, id.indexOf("/")) : null;
  if (provider !== null && Object.hasOwn(models.providers, provider)) return found;
  const message =
    provider === null
      ? "must be provider/model, with the provider from models.providers"
      : `names the provider ${provider}, which is not in models.providers`;
  return [...found, { path: [...path, "model"], message }];
}

function providerProblems({ models }: Settings): Finding[] {
  return Object.entries(models.providers).flatMap(([name, { kind, baseUrl }]) =>
    kind === "openai-compatible" && baseUrl === undefined
      ? [{ path: ["models", "providers", name, "baseUrl"], message: "is missing: where is this server?" }]
      : [],
  );
}

function aliasProblems({ defaults: { models = {} } }: Agents): Finding[] {
  const taken = new Set(Object.keys(models));
  return Object.entries(models).flatMap(([id, { alias }]) => {
    if (alias === undefined) return [];
    const path = ["agents", "defaults", "models", id, "alias"];
    const message = Object.hasOwn(models, alias)
      ? "is the id of a model"
      : "is the alias of another model already";
    if (taken.has(alias)) return [{ path, message }];
    taken.add(alias);
    return [];
  });
}

type Kind = NonNullable<Agent["kind"]>;

/** Settings that only some kinds of agents have. */
const kindsWith: Partial<Record<keyof Agent, readonly Kind[]>> = {
  command: ["command", "acp"],
  args: ["command", "acp"],
  env: ["command", "acp"],
  preset: ["command"],
  input: ["command"],
  outputLimitBytes: ["command"],
  allow: ["acp"],
  url: ["http"],
  secret: ["http"],
  tools: ["model"],
  maxSteps: ["model"],
  fetchHosts: ["model"],
};

function agentWarnings({ list, defaults }: Agents): Finding[] {
  return list.flatMap((agent, at) => {
    const kind = agent.kind ?? defaults.kind ?? "echo";
    if (kind === "command" && agent.input !== undefined && (agent.preset ?? defaults.preset) !== undefined)
      return [{ path: listed(at, "input"), message: "has no effect beside a preset, which gets the prompt" }];
    return Object.entries(kindsWith).flatMap(([setting, kinds]) =>
      agent[setting as keyof Agent] === undefined || kinds.includes(kind)
        ? []
        : [{ path: listed(at, setting), message: noEffect(kind, kinds) }],
    );
  });
}

const noEffect = (kind: Kind, kinds: readonly Kind[]): string =>
  kind === "echo"
    ? `has no effect on an agent of kind echo: add "kind": "${kinds[0]}"`
    : `has no effect on an agent of kind ${kind}: it is for kind ${kinds.join(" and ")}`;
