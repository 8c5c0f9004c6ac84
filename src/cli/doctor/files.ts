// Checks that only their owner can read the files with secrets and with the store's content.
import { statSync } from "node:fs";
import type { Config } from "../../config/config.ts";
import { filesOf, isOpenToOthers } from "../../store/sqlite/database-file.ts";
import { type Finding, notChecked, ok, warn } from "./finding.ts";

type PrivateFile = { file: string; mode: number };

/** `secretFiles` are those that the config names. Files that are missing have checks of their own. */
export function checkFiles({ store, hooks }: Config, secretFiles: readonly string[]): Finding[] {
  const credentials = hooks.gmail === null ? [] : [hooks.gmail.credentialsFile];
  return [
    modesFinding("secret files", [...new Set([...secretFiles, ...credentials])].flatMap(found)),
    ...(store.url === null ? [modesFinding("store files", filesOf(store.path))] : []),
  ];
}

function found(file: string): PrivateFile[] {
  const about = statSync(file, { throwIfNoEntry: false });
  return about ? [{ file, mode: about.mode & 0o777 }] : [];
}

function modesFinding(check: string, files: readonly PrivateFile[]): Finding {
  if (process.platform === "win32") return notChecked(check, "Windows has no file modes");
  const open = files.filter(({ mode }) => isOpenToOthers(mode));
  if (open.length === 0)
    return ok(check, files.length === 0 ? "there are none" : "only their owner can read them");
  const shown = open.map(({ file, mode }) => `${file} (${mode.toString(8).padStart(4, "0")})`).join(", ");
  return warn(
    check,
    `other users can read or write ${shown}`,
    `chmod 600 ${open.map(({ file }) => file).join(" ")}`,
  );
}
