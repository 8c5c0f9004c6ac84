// Reads, checks and replaces the config file. A write needs the ETag of the text that was changed, and is refused while
// the file is not the one that this node runs with: somebody else is changing it.
import { hash } from "node:crypto";
import { dirname } from "node:path";
import type { Config } from "../../config/config.ts";
import { type Environment, loadConfig, parseConfig } from "../../config/load.ts";
import { type Finding, formatProblem, type Problem } from "../../config/problem.ts";
import { readRegularFileSync } from "../../config/read/regular-file.ts";
import { type HiddenText, hideSecrets, restoreSecrets } from "../../config/write/hidden.ts";
import { withConfigLock } from "../../config/write/lock.ts";
import { writeConfig } from "../../config/write/replace.ts";
import type { Clock } from "../../core/clock.ts";
import { codeOf, type Refusal, refuse, UsageError } from "../../core/errors.ts";

/** The file that this node is configured by. */
export type ConfigFile = {
  env: Environment;
  /** Of the file and its secret files, as they were when they were last taken up. */
  running: () => string;
  /** What can be said only by making all of it, such as templates. */
  check: (config: Config) => Promise<readonly Finding[]>;
  /** Settings that have changed since the start and need a restart. */
  restartNeeded: (config: Config) => readonly string[];
};

export type ConfigDeps = {
  /** Of the configuration in use. */
  settings: () => { config: Config };
  configFile: ConfigFile;
  clock: Pick<Clock, "after">;
};

const textOf = (file: string): string => readRegularFileSync(file).toString("utf8");
const etagOf = (text: string): string => `"${hash("sha256", text, "base64url")}"`;

/** Null: it cannot be read, or is not well-formed. */
function hiddenFile(
  file: string,
  { configFile }: Pick<ConfigDeps, "configFile">,
): (HiddenText & { etag: string }) | null {
  try {
    const text = textOf(file);
    const hidden = hideSecrets(text, { folder: dirname(file), env: configFile.env, readFile: textOf });
    return hidden && { ...hidden, etag: etagOf(text) };
  } catch {
    return null;
  }
}

const unreadable = refuse("config-differs", {
  detail: "The config file of this node cannot be read, or is not well-formed: see rouse check.",
});

export function readFile(deps: ConfigDeps) {
  const { config } = deps.settings();
  const { file } = config;
  const hidden = hiddenFile(file, deps);
  if (hidden === null) return unreadable;
  const restart = [...deps.configFile.restartNeeded(config)];
  return { file, text: hidden.text, differs: isOther(file, deps), restart, etag: hidden.etag };
}

const isOther = (file: string, { configFile }: Pick<ConfigDeps, "configFile">): boolean =>
  loadConfig(file, configFile.env).fingerprint !== configFile.running();

export type CheckedText =
  | { ok: true; config: Config; text: string; warnings: Problem[] }
  | { ok: false; problems: Problem[]; warnings: Problem[] };

/** As the loader and the gateway would say, with the marks of hidden secrets replaced. */
export async function checkText(edited: string, deps: ConfigDeps): Promise<CheckedText> {
  const { file } = deps.settings().config;
  const hidden = hiddenFile(file, deps);
  const restored = restoreSecrets(edited, hidden ?? { text: "", hidden: [] });
  if ("problems" in restored) return { ok: false, problems: restored.problems, warnings: [] };
  const { text } = restored;
  const parsed = parseConfig(text, { file, env: deps.configFile.env, readFile: textOf });
  if (!parsed.ok) return parsed;
  const findings = await deps.configFile.check(parsed.config);
  const { warnings, config } = parsed;
  if (findings.length > 0) return { ok: false, problems: findings.map(parsed.locate), warnings };
  return { ok: true, config, text, warnings };
}

type Written = { etag: string; taken: boolean; warnings: Problem[]; restart: string[] };

export async function replaceFile(
  edited: string,
  ifMatch: string,
  deps: ConfigDeps,
): Promise<Written | Refusal> {
  const { file } = deps.settings().config;
  const before = hiddenFile(file, deps);
  if (before === null) return unreadable;
  if (!matches(ifMatch, before.etag)) return changed(before.etag);
  if (isOther(file, deps)) return refuse("config-differs");
  const checked = await checkText(edited, deps);
  if (!checked.ok) return refuse("invalid-config", { details: checked.problems.map(faultOf) });
  const refusal = write(file, checked.text, before.etag);
  if (refusal !== null) return refusal;
  const restart = [...deps.configFile.restartNeeded(checked.config)];
  const taken = await takenUp(file, deps);
  return { etag: etagOf(checked.text), taken, warnings: checked.warnings, restart };
}

const matches = (ifMatch: string, etag: string): boolean =>
  ifMatch.split(",").some((each) => each.trim() === etag);

const changed = (etag: string): Refusal => refuse("precondition-failed", { headers: ["ETag", etag] });

const faultOf = (problem: Problem) => ({
  path: problem.path,
  message: formatProblem({ ...problem, path: "" }),
});

/** Null: it is written. Nobody else changes the file between the comparison and the write. */
function write(file: string, text: string, etag: string): Refusal | null {
  try {
    return withConfigLock(
      file,
      () => {
        const present = etagOf(textOf(file));
        if (present !== etag) return changed(present);
        writeConfig(file, text);
        return null;
      },
      0,
    );
  } catch (fault) {
    const detail =
      fault instanceof UsageError ? fault.message : `The config file cannot be written (${codeOf(fault)}).`;
    return refuse("conflict", { detail });
  }
}

const pollMs = 50;
const longestWaitMs = 5_000;

/** Whether the node runs with the file by now: its watch takes it up. */
async function takenUp(file: string, { configFile, clock }: ConfigDeps): Promise<boolean> {
  const { fingerprint } = loadConfig(file, configFile.env);
  for (let waited = 0; waited < longestWaitMs; waited += pollMs) {
    if (configFile.running() === fingerprint) return true;
    await new Promise<void>((resolve) => void clock.after(pollMs, resolve));
  }
  return false;
}
