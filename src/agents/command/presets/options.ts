// An agent's input as the options of a program.
import { cutWithMark, oneLine } from "../../../core/text.ts";
import type { AgentInput } from "../../agent.ts";
import { type ProgramOptions, type Preset, type ThinkingLevel, thinkingLevels } from "./preset.ts";

const aliases: Readonly<Record<string, ThinkingLevel>> = { off: "none", med: "medium" };
const longestShownWord = 32;

/** The name comes from a program's output: it must not be taken for an option. */
const sessionName = /^[A-Za-z0-9][A-Za-z0-9:._-]{0,199}$/;

export function optionsOf(
  preset: Preset,
  { model, thinking, conversation }: Pick<AgentInput, "model" | "thinking" | "conversation">,
  extra: readonly string[],
): { options: ProgramOptions; warnings: string[] } {
  const { effort, warning } = effortOf(preset, thinking);
  const session = conversation?.foreignSession ?? null;
  return {
    options: {
      model: model === null ? null : model.replace(preset.maker, ""),
      effort,
      session: session !== null && sessionName.test(session) ? session : null,
      extra,
    },
    warnings: warning === null ? [] : [warning],
  };
}

export function effortOf(
  { name, efforts }: Pick<Preset, "name" | "efforts">,
  thinking: string | null,
): { effort: string | null; warning: string | null } {
  if (thinking === null) return { effort: null, warning: null };
  const word = thinking.toLowerCase();
  const level = thinkingLevels.find((each) => each === word) ?? aliases[word];
  const shown = `Thinking "${cutWithMark(oneLine(thinking), longestShownWord)}"`;
  if (level === undefined)
    return { effort: null, warning: `${shown} is not known and was left out: ${thinkingLevels.join(", ")}.` };
  const effort = efforts[level] ?? null;
  if (effort === null) return { effort, warning: `${shown} was left out: ${name} has no option for it.` };
  return { effort, warning: effort === level ? null : `${shown} was sent to ${name} as "${effort}".` };
}
