// Loads a config file: it becomes a frozen `Config`, or a list of every problem.
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { buildConfig } from "./build/build.ts";
import type { Config } from "./config.ts";
import { createFileReader } from "./read/files.ts";
import { explain } from "./read/messages.ts";
import {
  elsewhere,
  type Finding,
  firstOfEachPath,
  firstProblems,
  type Path,
  pathSet,
  type Problem,
} from "./problem.ts";
import { checkRules } from "./rules/rules.ts";
import { refusedPaths, salvage } from "./read/salvage.ts";
import { settingsSchema, type Settings } from "./schema/index.ts";
import { isSecret, knownSettings } from "./schema/lookup.ts";
import type { Sources } from "./read/secrets.ts";
import { offsetKey, type Offsets, parseSyntax, locateIn } from "./read/syntax.ts";
import { toValue } from "./read/value.ts";
import { whyUnreadable } from "./read/why-unreadable.ts";

export { formatProblem, type Problem } from "./problem.ts";

export type ParseResult =
  /** `locate` adds the line of a setting, for problems that are found later. */
  | { ok: true; config: Config; warnings: Problem[]; locate: (finding: Finding) => Problem }
  | { ok: false; problems: Problem[]; warnings: Problem[] };

/** `files` are the config and the secret files it names; `fingerprint` changes when the content of one does. */
export type LoadResult = ParseResult & { files: readonly string[]; fingerprint: string };

export type Environment = Sources["env"];

export function parseConfig(
  text: string,
  { file, env, readFile }: { file: string; env: Environment; readFile: Sources["readFile"] },
): ParseResult {
  const source = text.replace(/^\uFEFF/, "");
  const syntax = parseSyntax(source);
  if (!syntax.ok)
    return {
      ok: false,
      problems: firstProblems(syntax.findings.map(locateIn(source, new Map()))),
      warnings: [],
    };
  const findings: Finding[] = [];
  const offsets: Offsets = new Map([[offsetKey([]), syntax.root.offset]]);
  const sources = { folder: dirname(resolve(file)), env, readFile };
  const value = toValue(syntax.root, [], {
    sources,
    isSecret: (path) => isSecret(settingsSchema, path),
    findings,
    offsets,
  });
  const checked = check(value, findings);
  const locate = locateIn(source, offsets);
  const warnings = firstProblems(checked.warnings.map(locate));
  if (checked.settings) return { ok: true, config: buildConfig(checked.settings, file), warnings, locate };
  const problems = firstProblems(checked.problems.map(locate).toSorted(byPosition));
  return { ok: false, problems, warnings };
}

type Checked = { settings: Settings | null; problems: Finding[]; warnings: Finding[] };

/** Applies the schema and the rules. A setting that has a problem already gets no further one. */
function check(value: unknown, earlier: readonly Finding[]): Checked {
  const parsed = settingsSchema.safeParse(value);
  const issues = parsed.success ? [] : parsed.error.issues;
  const kinds = pathSet(issues.map(({ path }) => path as Path).filter(decidesOthers));
  const follows = ({ path }: Finding): boolean =>
    deciding.some((setting) => kinds.has([...path.slice(0, -1), setting]));
  const { rest, restore } = parsed.success
    ? { rest: parsed.data, restore: (finding: Finding) => finding }
    : salvage(settingsSchema, value, issues);
  const refused = explain(issues, value, (path) => knownSettings(settingsSchema, path));
  const reported = [...earlier, ...issues.flatMap(refusedPaths).map((path) => ({ path, message: "" }))];
  const rules = rest ? checkRules(rest) : { problems: [], warnings: [] };
  const ownOf = (found: readonly Finding[]) =>
    elsewhere(found.map(restore), reported).filter((finding) => !follows(finding));
  const broken = ownOf(rules.problems);
  const problems = [...earlier, ...elsewhere(firstOfEachPath(refused), earlier), ...broken];
  const warnings = ownOf(rules.warnings);
  return { settings: problems.length === 0 ? rest : null, problems, warnings };
}

/** While one of these is refused, nothing can be said about the settings beside it. */
const deciding = ["kind", "preset"];
const decidesOthers = (path: Path): boolean => deciding.includes(String(path.at(-1)));

const byPosition = (left: Problem, right: Problem): number =>
  (left.line ?? 0) - (right.line ?? 0) || (left.column ?? 0) - (right.column ?? 0);

/** Never throws: a file that cannot be read is a problem like any other. */
export function loadConfig(file: string, env: Environment): LoadResult {
  const path = resolve(file);
  const reader = createFileReader();
  const result = readConfig(path, env, reader.read);
  return { ...result, files: reader.files(), fingerprint: reader.fingerprint() };
}

function readConfig(file: string, env: Environment, readFile: Sources["readFile"]): ParseResult {
  let text: string;
  try {
    text = readFile(file);
  } catch (fault) {
    const message = `the config file cannot be read: ${whyUnreadable(fault)}`;
    return { ok: false, problems: [{ path: "", message }], warnings: [] };
  }
  const result = parseConfig(text, { file, env, readFile });
  return { ...result, warnings: [...permissionWarnings(file), ...result.warnings] };
}

function permissionWarnings(file: string): Problem[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  const isOpen = process.platform !== "win32" && (mode & 0o077) !== 0;
  const message = "the config file can be read or written by other users: chmod 600 it";
  return isOpen ? [{ path: "", message }] : [];
}
