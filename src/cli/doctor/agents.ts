// The agents: can each one work where it should, and is its program there?
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { AgentConfig } from "../../config/config.ts";
import { faultKind } from "../../core/errors.ts";
import { fail, type Finding, ok } from "./finding.ts";
import { existingFolder } from "./machine.ts";

export const checkAgents = (list: readonly AgentConfig[], env: NodeJS.ProcessEnv): Finding[] =>
  list.map((agent) => checkAgent(agent, env));

function checkAgent(agent: AgentConfig, env: NodeJS.ProcessEnv): Finding {
  const check = `agent ${agent.id}`;
  const fault = workspaceFault(agent.workspace);
  if (fault)
    return fail(check, `its workspace ${agent.workspace} ${fault}`, "Make it writable for this user.");
  if (agent.kind === "echo") return ok(check, "echoes what it is sent; its workspace can be used");
  const program = findProgram(agent.command, env["PATH"] ?? "");
  return program
    ? ok(check, `runs ${program}; its workspace can be used`)
    : fail(
        check,
        `its command ${agent.command} was not found as a program that this user may run`,
        "Install it, or write its whole path as the agent's command. A service may have another PATH than this shell.",
      );
}

/** Null when the folder can be written, or made. */
function workspaceFault(workspace: string): string | null {
  const folder = existingFolder(workspace);
  try {
    if (!statSync(folder).isDirectory()) return `cannot be made: ${folder} is no folder`;
    accessSync(folder, constants.W_OK | constants.X_OK);
    return null;
  } catch (fault) {
    return `cannot be ${folder === workspace ? "written" : "made"} (${faultKind(fault)})`;
  }
}

function findProgram(command: string, path: string): string | null {
  if (command.includes("/")) return isProgram(command) ? command : null;
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, command)).find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
