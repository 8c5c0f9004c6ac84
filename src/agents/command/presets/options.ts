// An agent's input as the options of a program.
import { cutWithMark, oneLine } from "../../../core/text.ts";
import type { AgentInput } from "../../agent.ts";
import { type ProgramOptions, type Preset, type ThinkingLevel, thinkingLevels } from "./preset.ts";

const aliases: Readonly<Record<string, ThinkingLevel>> = { off: "none", med: "medium" };
const longestShownWord = 32;

/** The name comes from a program's output: it must not be taken for an option. */
const sessionName = /^[A-Za-z0-9][A-Za-z0-9:._-]{0,199}$/;

type Given = { preset: Preset; given: Readonly<Record<string, string>>; config: { args: readonly string[] } };

export function optionsOf(
  { preset, given, config }: Given,
  { model, thinking, conversation }: Pick<AgentInput, "model" | "thinking" | "conversation">,
): { options: ProgramOptions; warnings: string[] } {
  const { effort, warning } = effortOf(preset, thinking);
  const { address, refused } = addressOf(preset, given);
  const session = conversation?.foreignSession ?? null;
  return {
    options: {
      model: model === null ? null : model.replace(preset.maker, ""),
      effort,
      session: session !== null && sessionName.test(session) ? session : null,
      address,
      extra: config.args,
    },
    warnings: [warning, refused].filter((each) => each !== null),
  };
}

/** Arguments can be read by every user of the machine, so an address with a password in it is not given. */
function addressOf(
  { name, addressVariable }: Preset,
  given: Given["given"],
): { address: string | null; refused: string | null } {
  const written = addressVariable === null ? "" : (given[addressVariable]?.trim() ?? "");
  if (written === "") return { address: null, refused: null };
  const url = URL.parse(written);
  if (url !== null && url.username === "" && url.password === "") return { address: written, refused: null };
  const fault = url === null ? "it is no address" : "it has a user name or a password in it";
  return { address: null, refused: `${addressVariable} was not given to ${name}: ${fault}.` };
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
