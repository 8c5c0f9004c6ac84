// Resolves references: `${NAME}` to the environment, `{ "file": … }` to a file. A reference that cannot be resolved
// is a problem. No message contains a value; a file that exists is named.
import { resolve } from "node:path";
import { faultKind } from "../../core/errors.ts";
import { whyUnreadable } from "./why-unreadable.ts";

export type Sources = {
  /** Relative files are relative to this folder. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** The whole text of a file. Throws when it cannot be read. */
  readFile: (path: string) => string;
};

export type Resolved = { ok: true; value: string } | { ok: false; message: string };

const reference = /\$\$\{|\$\{([^}]*)(\}|$)/g;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Replaces references to environment variables; `$${` is a literal `${`. */
export function expand(text: string, env: Sources["env"]): Resolved {
  const faults = new Set<string>();
  const value = text.replace(
    reference,
    (whole: string, name: string | undefined, end: string | undefined) => {
      if (whole === "$${") return "${";
      const found = name !== undefined && Object.hasOwn(env, name) ? env[name] : undefined;
      if (end === "}" && found) return found;
      faults.add(expandFault(name ?? "", end === "}", found));
      return "";
    },
  );
  return faults.size === 0 ? { ok: true, value } : { ok: false, message: [...faults].join("; ") };
}

function expandFault(name: string, closed: boolean, found: string | undefined): string {
  if (!closed || !variableName.test(name)) {
    return "${…} must name an environment variable; write $${ for a literal ${";
  }
  return `the environment variable ${name} is ${found === undefined ? "not set" : "empty"}: set it where Rouse is started`;
}

/** A name that is no file's may be the secret itself, written in the wrong place: it is not shown. */
const unreadable = (path: string, folder: string, fault: unknown): string =>
  ["ENOENT", "ENAMETOOLONG", "ENOTDIR"].includes(faultKind(fault))
    ? `there is no file of this name (${faultKind(fault)}); names are relative to ${folder}`
    : `the file ${path} cannot be read: ${whyUnreadable(fault)}`;

export function readSecret(file: string, sources: Sources): Resolved {
  const path = resolve(sources.folder, file);
  try {
    const value = sources.readFile(path).replace(/(?<![\r\n])[\r\n]+$/, "");
    return value.trim() === ""
      ? { ok: false, message: `the file ${path} is empty: write the secret into it` }
      : { ok: true, value };
  } catch (fault) {
    return { ok: false, message: unreadable(path, sources.folder, fault) };
  }
}
