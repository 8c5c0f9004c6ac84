// Rules between the settings of `agents`.
import type { Finding } from "./problem.ts";
import type { Settings } from "./schema/index.ts";

type Agents = Settings["agents"];
type Found = { problems: Finding[]; warnings: Finding[] };

export function agentRules({ agents }: Settings): Found {
  const problems = [...idProblems(agents), ...defaultProblems(agents), ...commandProblems(agents)];
  return { problems: [...problems, ...aliasProblems(agents)], warnings: agentWarnings(agents) };
}

const listed = (at: number, setting: string) => ["agents", "list", at, setting];

function idProblems({ list }: Agents): Finding[] {
  return list.flatMap(({ id }, at) => {
    const first = list.findIndex((other) => other.id === id);
    return first < at ? [{ path: listed(at, "id"), message: "is taken by another agent in the list" }] : [];
  });
}

function defaultProblems({ list }: Agents): Finding[] {
  const marked = list.flatMap((agent, at) => (agent.default ? [at] : []));
  return marked.slice(1).map((at) => ({
    path: listed(at, "default"),
    message: "is true for another agent already: only one can be the default",
  }));
}

function commandProblems({ list, defaults }: Agents): Finding[] {
  if (defaults.command !== undefined) return [];
  const message = "is missing: an agent of kind command needs its program";
  if (list.length === 0 && defaults.kind === "command") {
    return [{ path: ["agents", "defaults", "command"], message }];
  }
  return list.flatMap((agent, at) => {
    const needsCommand = (agent.kind ?? defaults.kind) === "command" && agent.command === undefined;
    return needsCommand ? [{ path: listed(at, "command"), message }] : [];
  });
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

function agentWarnings({ list, defaults }: Agents): Finding[] {
  const places = [
    { agent: defaults, path: ["agents", "defaults"] },
    ...list.map((agent, at) => ({ agent, path: ["agents", "list", at] })),
  ];
  const unusedTools = places.flatMap(({ agent, path }) =>
    agent.tools
      ? [{ path: [...path, "tools"], message: "this version does not use it yet, so it has no effect" }]
      : [],
  );
  const unusedCommands = list.flatMap((agent, at) => {
    const isEcho = (agent.kind ?? defaults.kind ?? "echo") === "echo";
    const message = 'has no effect on an agent of kind echo: add "kind": "command"';
    return isEcho && agent.command !== undefined ? [{ path: listed(at, "command"), message }] : [];
  });
  return [...unusedTools, ...unusedCommands];
}
