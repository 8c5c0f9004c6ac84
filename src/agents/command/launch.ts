// Starts the program of a `command` agent for one run, and describes its failure.
import { errorOutputOf, programEnvironment } from "../environment.ts";
import type { AgentInput } from "../agent.ts";
import type { AgentConfig } from "../../config/config.ts";
import { failed, type Failed, failedToStart } from "../failure.ts";
import { withTail } from "../../processes/failure.ts";
import type { Mask } from "../../processes/mask.ts";
import { runProcess, type ProcessEnd, type ProcessOptions } from "../../processes/run.ts";
import { createReaper } from "../../processes/reaper.ts";

export type CommandConfig = Extract<AgentConfig, { kind: "command" }>;

export type Start = Pick<ProcessOptions, "args" | "input" | "onOutput" | "onKept">;
export type Launch = (input: AgentInput, start: Start, signal: AbortSignal) => Promise<ProcessEnd>;
type Exited = Extract<ProcessEnd, { kind: "exited" }>;

/** EX_TEMPFAIL of sysexits.h: the program itself says that a later try may work. */
const temporaryFailure = 75;

export type LaunchOptions = {
  graceMs: number;
  environment: NodeJS.ProcessEnv;
  /** The variables that the preset and the config give it, beside the common ones. */
  given: Readonly<Record<string, string>>;
  mask: Mask;
};

export function createLaunch(
  config: CommandConfig,
  { graceMs, environment, given, mask }: LaunchOptions,
): Launch {
  const { command, workspace: folder, outputLimitBytes } = config;
  const reaper = createReaper();
  return async (input, start, signal) => {
    const env = programEnvironment(input, given, environment);
    const onErrorOutput = errorOutputOf(input);
    const shared = { command, folder, env, outputLimitBytes, graceMs, reaper, mask, onErrorOutput };
    return runProcess({ ...start, ...shared }, signal);
  };
}

/** Null when the program ended by itself, with any exit code. */
export function cutShort(end: Exclude<ProcessEnd, Exited>, config: CommandConfig): Failed;
export function cutShort(end: ProcessEnd, config: CommandConfig): Failed | null;
export function cutShort(end: ProcessEnd, { command, outputLimitBytes }: CommandConfig): Failed | null {
  switch (end.kind) {
    case "stopped":
      return failed("it was stopped", true);
    case "too-much-output":
      return failed(`the command wrote more than ${outputLimitBytes} bytes`);
    case "not-started":
      return failedToStart(command, end.code);
    case "killed":
      return failed(withTail(`the command was ended by ${end.by}`, end.errorTail), true);
    case "exited":
      return null;
  }
}

export function badExit({ exitCode, errorTail }: Pick<Exited, "exitCode" | "errorTail">): Failed {
  const reason = withTail(`the command ended with exit code ${exitCode}`, errorTail);
  return failed(reason, exitCode === temporaryFailure);
}
