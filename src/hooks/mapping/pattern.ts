// The regular expressions of filters. RE2's work grows with the text and never with its square, so no text from outside
// can make one hang. The work of one request is bounded as well.
import type { RE2JSException, RE2JSSyntaxException } from "re2js";
import type { Condition, MappingConfig } from "../../config/config.ts";
import { cutWithMark } from "../../core/text.ts";
import type { Path } from "../../config/problem.ts";

export type Pattern = {
  /** Whether it is found in the text. */
  test(text: string): boolean;
  /** How many steps a character may take. */
  readonly steps: number;
};

/** By their source. */
export type Patterns = ReadonlyMap<string, Pattern>;
export const noPatterns: Patterns = new Map();

/** For one request. */
export type Search = { finds(source: string, text: string): boolean };

/** Thrown when the patterns of a request would take too long. */
export class TooMuchSearching extends Error {
  override readonly name = "TooMuchSearching";
}

const mostSteps = 4_000_000;
const tooMuch =
  "the patterns of `matches` would take too long for texts of this length: make them shorter, or look at other fields";

export function createSearch(patterns: Patterns): Search {
  let left = mostSteps;
  return {
    finds(source, text) {
      const pattern = patterns.get(source);
      if (pattern === undefined) throw new Error("each pattern is compiled before the first request");
      left -= (text.length + 1) * pattern.steps;
      if (left < 0) throw new TooMuchSearching(tooMuch);
      return pattern.test(text);
    },
  };
}

export type PatternFault = { mapping: MappingConfig; setting: Path; message: string };

/** Each once. Loads the engine only where a mapping has a pattern. */
export async function compilePatterns(
  mappings: readonly MappingConfig[],
): Promise<{ patterns: Patterns; faults: PatternFault[] }> {
  const used = mappings.flatMap(patternsOf);
  if (used.length === 0) return { patterns: noPatterns, faults: [] };
  const engine = await import("re2js");
  const patterns = new Map<string, Pattern>();
  const faults: PatternFault[] = [];
  for (const { source, mapping, setting } of used) {
    if (patterns.has(source)) continue;
    try {
      const compiled = engine.RE2JS.compile(source);
      const steps = compiled.programSize();
      if (steps > mostProgram)
        faults.push({ mapping, setting, message: `matches: is too large a pattern: ${shown(source)}` });
      else patterns.set(source, { test: (text) => compiled.test(text), steps });
    } catch (fault) {
      if (!(fault instanceof engine.RE2JSException)) throw fault;
      faults.push({ mapping, setting, message: messageOf(fault, source) });
    }
  }
  return { patterns, faults };
}

const mostProgram = 2_000;

type Used = { source: string; mapping: MappingConfig; setting: Path };

const patternsOf = (mapping: MappingConfig): Used[] => {
  const { headers, payload } = mapping.match;
  const filters = [
    ...headers.map(({ name, wanted }) => ({ wanted, setting: ["match", "headers", name] })),
    ...payload.map(({ written, wanted }) => ({ wanted, setting: ["match", "payload", written] })),
  ];
  return filters.flatMap(({ wanted, setting }) =>
    wanted.flatMap(sourcesIn).map((source) => ({ source, mapping, setting })),
  );
};

function sourcesIn(condition: Condition): string[] {
  if (typeof condition !== "object" || condition === null) return [];
  const { matches, not = [] } = condition;
  return [...(matches === undefined ? [] : [matches]), ...not.flatMap(sourcesIn)];
}

const shown = (source: string): string => JSON.stringify(cutWithMark(source, 100));

/** The engine names the part that it cannot read. */
function messageOf(fault: RE2JSException, source: string): string {
  const [reason, part] =
    "getPattern" in fault ? syntaxOf(fault as RE2JSSyntaxException) : [fault.message, ""];
  const at = part === "" ? -1 : source.lastIndexOf(part);
  const where = at === -1 ? "" : ` at column ${at + 1}`;
  return `matches: is no pattern of RE2: ${reason}${where} of ${shown(source)}`;
}

const syntaxOf = (fault: RE2JSSyntaxException): [reason: string, part: string] => [
  fault.getDescription(),
  fault.getPattern() ?? "",
];
