// One run of a program that has a preset: its options, its events while it works, its outcome.
import type { AgentOutcome, AgentReport } from "../../../core/outcome.ts";
import { cut, cutWithMark, oneLine } from "../../../core/text.ts";
import type { AgentInput } from "../../agent.ts";
import type { OutsideTexts } from "../../outside-texts.ts";
import { failed, type Failed } from "../../failure.ts";
import { badExit, type CommandConfig, cutShort, type Launch } from "../launch.ts";
import type { ProcessEnd } from "../../../processes/run.ts";
import { optionsOf } from "./options.ts";
import { mayPass } from "./fault.ts";
import type { ProgramOptions, Preset, Seen } from "./preset.ts";
import { createUpdates, hasActed } from "./events.ts";

export type Program = {
  preset: Preset;
  config: CommandConfig;
  /** The variables that it is given, beside the common ones. */
  given: Readonly<Record<string, string>>;
  launch: Launch;
  texts: Pick<OutsideTexts, "conversation">;
};

const longestReason = 500;
const longestName = 100;

export async function runPreset(
  program: Program,
  input: AgentInput,
  signal: AbortSignal,
): Promise<AgentOutcome> {
  const { options, warnings } = optionsOf(program, input);
  const first = await ask(program, options, input, signal);
  if (!first.forgotten) return outcomeOf(program, first, warnings);
  const notice = "The program no longer had the conversation, so it was given to it as text.";
  const again = await ask(program, { ...options, session: null }, input, signal);
  return outcomeOf(program, again, [...warnings, notice]);
}

type Result = { end: ProcessEnd; seen: Seen; forgotten: boolean; tooMuch: string | null };

async function ask(
  { preset, config, launch, texts }: Program,
  options: ProgramOptions,
  input: AgentInput,
  signal: AbortSignal,
): Promise<Result> {
  const updates = createUpdates(preset.readerFor(options), input, config.outputLimitBytes);
  const start = {
    args: preset.argumentsFor(options),
    input: options.session === null ? await texts.conversation(input) : input.prompt,
    onOutput: updates.take,
  };
  const end = await launch(input, start, AbortSignal.any([signal, updates.signal]));
  const { seen, tooMuch } = await updates.end();
  return { end, seen, tooMuch, forgotten: options.session !== null && isForgotten(preset, end, seen) };
}

function isForgotten({ forgotten }: Preset, end: ProcessEnd, { failure, calls, reply }: Seen): boolean {
  if (end.kind !== "exited" || calls.length > 0 || reply !== "") return false;
  return forgotten.test(failure?.message ?? "") || forgotten.test(end.errorTail);
}

function outcomeOf({ config }: Program, result: Result, warnings: readonly string[]): AgentOutcome {
  const { end, seen, tooMuch } = result;
  const outcome = tooMuch === null ? judge(end, seen, config) : failed(`the command wrote ${tooMuch}`);
  return { ...outcome, report: reportOf(outcome, seen, warnings) };
}

function judge(end: ProcessEnd, seen: Seen, config: CommandConfig): AgentOutcome {
  const reply = seen.reply.trim();
  // After a reported end, the exit code does not matter.
  if (seen.ended && seen.failure === null && reply !== "" && end.kind !== "stopped")
    return { kind: "replied", reply };
  if (end.kind !== "exited") return cutShort(end, config);
  if (seen.failure !== null) return reported(seen.failure);
  if (end.exitCode !== 0) return passing(badExit(end));
  return failed(
    seen.ended ? "the command gave no reply" : "the command ended without a reply that is understood",
  );
}

const reported = (failure: NonNullable<Seen["failure"]>): Failed =>
  failed(`the command reported: ${cutWithMark(oneLine(failure.message), longestReason)}`, mayPass(failure));

const passing = (fault: Failed): Failed => ({
  ...fault,
  mayPass: fault.mayPass || mayPass({ message: fault.reason, status: null }),
});

function reportOf(outcome: AgentOutcome, seen: Seen, warnings: readonly string[]): AgentReport {
  const used = seen.calls.filter(({ refused }) => !refused);
  const toolsUsed = [...new Set(used.map(({ name }) => cut(oneLine(name), longestName)))];
  const all = [...warnings, ...seen.warnings.map((each) => cutWithMark(oneLine(each), longestReason))];
  return {
    ...(seen.usage && { usage: seen.usage }),
    ...(all.length > 0 && { warnings: all }),
    ...(toolsUsed.length > 0 && { toolsUsed }),
    // A session whose run failed is not continued.
    ...(outcome.kind === "replied" && seen.session !== null && { foreignSession: seen.session }),
    ...(hasActed(seen) && { acted: true }),
  };
}
