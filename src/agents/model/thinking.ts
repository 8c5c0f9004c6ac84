// Thinking levels: the words people use, and the values each server takes.
import type { ProviderKind } from "../../config/config.ts";
import { cutWithMark, oneLine } from "../../core/text.ts";

const levels = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Level = (typeof levels)[number];

const aliases = new Map<string, Level>([
  ["off", "none"],
  ["med", "medium"],
]);

/** Values that every server of this kind takes. The other libraries round to their models' levels and warn. */
const compatible: Readonly<Partial<Record<Level, Level>>> = { minimal: "low", xhigh: "high", max: "high" };

const longestShownWord = 32;

export function levelOf(
  thinking: string | null,
  kind: ProviderKind,
): { level: Level | null; warning: string | null } {
  if (thinking === null) return { level: null, warning: null };
  const word = thinking.toLowerCase();
  const wanted = aliases.get(word) ?? levels.find((level) => level === word);
  if (wanted === undefined) {
    const shown = cutWithMark(oneLine(thinking), longestShownWord);
    const known = `known are ${levels.join(", ")}`;
    return { level: null, warning: `thinking "${shown}" is not known and was left out; ${known}` };
  }
  const rounded = kind === "openai-compatible" ? compatible[wanted] : undefined;
  if (rounded === undefined) return { level: wanted, warning: null };
  const warning = `thinking "${wanted}" was sent as "${rounded}", which every openai-compatible server takes`;
  return { level: rounded, warning };
}
