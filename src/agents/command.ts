// An agent that is any program: the prompt on its standard input (never in its arguments, where others could read
// it and it could pass for an option), the reply on its standard output.
import { mkdir } from "node:fs/promises";
import type { AgentConfig } from "../config/config.ts";
import type { AgentOutcome } from "../core/outcome.ts";
import { oneLine } from "../core/text.ts";
import type { Agent, Turn } from "./agent.ts";
import { createReaper } from "./reaper.ts";
import { codeOf, runProcess, type ProcessEnd } from "./process.ts";

export type CommandConfig = Extract<AgentConfig, { kind: "command" }>;

const sharedNames = ["PATH", "HOME", "LANG", "LC_ALL", "TERM", "TZ", "TMPDIR", "USER", "SHELL"];
/** EX_TEMPFAIL of sysexits.h: the program itself says that a later try may work. */
const temporaryFailure = 75;
const passingCodes = new Set(["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ENOSPC"]);
const longestTail = 500;

export function createCommandAgent(
  config: CommandConfig,
  { graceMs = 5000, environment = process.env } = {},
): Agent {
  const reaper = createReaper();
  return {
    async run(turn, signal) {
      if (signal.aborted) return failed("it was stopped", true);
      try {
        await mkdir(config.workspace, { recursive: true });
      } catch (fault) {
        return failed(`the workspace ${config.workspace} could not be made: ${codeOf(fault)}`);
      }
      const held = reaper.hold();
      try {
        const end = await runProcess(
          {
            command: config.command,
            args: config.args,
            folder: config.workspace,
            env: programEnvironment(turn, config.env, environment),
            input: turn.prompt,
            outputLimitBytes: config.outputLimitBytes,
            graceMs,
            onStarted: held.watch,
          },
          signal,
        );
        return outcomeOf(end, config);
      } catch (fault) {
        return outcomeOf({ kind: "not-started", code: codeOf(fault) }, config);
      } finally {
        held.letGo();
      }
    },
  };
}

function outcomeOf(end: ProcessEnd, { command, outputLimitBytes }: CommandConfig): AgentOutcome {
  if (end.kind === "stopped") return failed("it was stopped", true);
  if (end.kind === "too-much-output") return failed(`the command wrote more than ${outputLimitBytes} bytes`);
  if (end.kind === "not-started")
    return end.code === "ENOENT"
      ? failed(`the command ${command} was not found`)
      : failed(`the command ${command} could not be started: ${end.code}`, passingCodes.has(end.code));
  if (end.kind === "killed")
    return failed(withTail(`the command was ended by ${end.by}`, end.errorTail), true);
  if (end.exitCode !== 0) {
    const reason = withTail(`the command ended with exit code ${end.exitCode}`, end.errorTail);
    return failed(reason, end.exitCode === temporaryFailure);
  }
  const reply = end.output.trim();
  return reply === "" ? failed("the command gave no reply") : { kind: "replied", reply };
}

const failed = (reason: string, mayPass = false): AgentOutcome => ({ kind: "failed", reason, mayPass });

function withTail(reason: string, errorTail: string): string {
  const tail = oneLine(errorTail).slice(-longestTail).trim();
  return tail === "" ? reason : `${reason}: ${tail}`;
}

function programEnvironment(
  turn: Turn,
  configuredNames: readonly string[],
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const name of [...sharedNames, ...configuredNames]) {
    const value = environment[name];
    if (value !== undefined) env[name] = value;
  }
  env["ROUSE_RUN_ID"] = turn.runId;
  env["ROUSE_AGENT_ID"] = turn.agentId;
  env["ROUSE_SESSION_KEY"] = turn.sessionKey;
  if (turn.model !== null) env["ROUSE_MODEL"] = turn.model;
  if (turn.thinking !== null) env["ROUSE_THINKING"] = turn.thinking;
  return env;
}
