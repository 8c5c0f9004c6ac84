// Why a file that the configuration needs cannot be read, and what to do about it.
import { faultKind } from "../../core/errors.ts";

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it is not there (ENOENT)",
  EACCES: "this user may not read it (EACCES); give it to the user that Rouse runs as",
  EISDIR: "it is a folder, not a file",
  "it is not UTF-8": "it is not UTF-8 text; save it as UTF-8",
  "it is too large": "it is larger than 4 MiB",
};

export function whyUnreadable(fault: unknown): string {
  const kind = faultKind(fault);
  return reasons[kind] ?? kind;
}
