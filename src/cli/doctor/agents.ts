// Checks each agent: can its workspace be used, and is the program or service behind it there?
import { accessSync, constants, statSync } from "node:fs";
import type { AgentConfig, CommandPreset, Config } from "../../config/config.ts";
import { faultKind } from "../../core/errors.ts";
import { givenVariables, namesOf, type Variables } from "../../core/variables.ts";
import { readInstructions } from "../../session/instructions.ts";
import { fail, type Finding } from "./finding.ts";
import { existingFolder } from "./machine.ts";
import { findProgram } from "./programs.ts";
import { findSignIn, programs, type SignIn } from "./sign-in.ts";
import { providerOf, type Reached, reachProvider, reachService } from "./reach.ts";

type Agents = Pick<Config, "agents" | "models">;

export async function checkAgents(config: Agents, env: NodeJS.ProcessEnv, now: number): Promise<Finding[]> {
  const asked = new Map<string, Promise<Reached>>();
  const once = (key: string, ask: () => Promise<Reached>): Promise<Reached> => {
    const known = asked.get(key) ?? ask();
    asked.set(key, known);
    return known;
  };
  return Promise.all(
    config.agents.list.map(async (agent) => {
      const check = `agent ${agent.id}`;
      const fault = workspaceFault(agent.workspace);
      if (fault)
        return fail(check, `its workspace ${agent.workspace} ${fault}`, "Make it writable for this user.");
      const instructions = await readInstructions(agent);
      if (!instructions.ok)
        return fail(
          check,
          `${instructions.reason}, so each of its runs would fail`,
          `Write it as a text file: ${agent.instructionsFile}`,
        );
      const { status, message, fix } = await checkOne(agent, config, env, now, once);
      return {
        check,
        status,
        message: status === "ok" ? `${message}; its workspace can be used` : message,
        fix,
      };
    }),
  );
}

async function checkOne(
  agent: AgentConfig,
  config: Agents,
  env: NodeJS.ProcessEnv,
  now: number,
  once: (key: string, ask: () => Promise<Reached>) => Promise<Reached>,
): Promise<Reached> {
  switch (agent.kind) {
    case "echo":
      return { status: "ok", message: "echoes what it is sent", fix: null };
    case "http":
      return once(agent.url, () => reachService(agent.url));
    case "model": {
      const found = providerOf(agent.model, config);
      if (found === null)
        return { status: "fail", message: "its model has no provider", fix: "See models.providers." };
      const { status, message, fix } = await once(found.name, () =>
        reachProvider(found.name, found.provider),
      );
      return { status, message: `asks ${agent.model}; ${message}`, fix };
    }
    case "acp":
      return checkProgram(agent.command, seenBy(agent.env, env));
    case "command": {
      const seen = seenBy(agent.env, env);
      const program = checkProgram(agent.command, seen);
      if (agent.preset === null || program.status !== "ok") return program;
      const named = namesOf(agent.env);
      return checkSignIn(program, agent.preset, findSignIn(agent.preset, { env: seen, named, now }));
    }
  }
}

function checkSignIn(program: Reached, preset: CommandPreset, found: SignIn): Reached {
  if (found.kind === "found")
    return {
      ...program,
      message: `${program.message}, with ${found.where} (not tried whether it is still valid)`,
    };
  const { remedy } = programs[preset];
  const why =
    found.kind === "missing"
      ? `no key or login was found in ${found.looked}`
      : `not checked whether it is signed in: ${found.why}`;
  return { status: "warn", message: `${program.message}, but ${why}`, fix: remedy };
}

/** Values in the agent's own `env` come before ours; the `PATH` among them is where its program is looked for. */
const seenBy = (own: Variables, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  ...givenVariables(own, env),
});

function checkProgram(command: string, env: NodeJS.ProcessEnv): Reached {
  const program = findProgram(command, env["PATH"] ?? "");
  if (program !== null) return { status: "ok", message: `runs ${program}`, fix: null };
  return {
    status: "fail",
    message: `its command ${command} was not found as a program that this user may run`,
    fix: "Install it, or write its whole path as the agent's command. A service may have another PATH than this shell.",
  };
}

/** Null when the folder can be written or created. */
function workspaceFault(workspace: string): string | null {
  const folder = existingFolder(workspace);
  try {
    if (!statSync(folder).isDirectory()) return `cannot be made: ${folder} is not a folder`;
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (fault) {
    return `cannot be ${folder === workspace ? "written" : "made"} (${faultKind(fault)})`;
  }
}
