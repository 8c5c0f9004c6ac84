// Resolves a mapping's `transform.module` to a file, which must be inside the transforms folder after links are
// resolved.
import { realpathSync, statSync } from "node:fs";
import { extname, isAbsolute, relative, resolve, sep } from "node:path";

export type ResolvedModule = { ok: true; file: string } | { ok: false; message: string };

const extensions = [".js", ".mjs", ".ts"];

export function resolveModule(transformsDir: string, module: string): ResolvedModule {
  const message = writtenFault(module);
  if (message !== null) return { ok: false, message };
  const folder = realPath(transformsDir);
  if (folder === null)
    return refuse("The transforms folder is not there: create it, or correct hooks.transformsDir.");
  const file = realPath(resolve(folder, module));
  if (file === null)
    return refuse(`There is no ${module} in the transforms folder: put it there, or correct the name.`);
  if (!isInside(folder, file))
    return refuse(`${module} is a link that leads out of the transforms folder: put the file itself there.`);
  if (!statSync(file).isFile()) return refuse(`${module} is not a file: name a file.`);
  if (!extensions.includes(extname(file)))
    return refuse(`${module} is a link to a file that is not .js, .mjs or .ts: rename that file.`);
  return { ok: true, file };
}

const refuse = (message: string): ResolvedModule => ({ ok: false, message });

function writtenFault(module: string): string | null {
  if (module.trim() === "") return "The module has no name: write a path inside the transforms folder.";
  const isElsewhere = isAbsolute(module) || /^[~/\\]/.test(module) || module.includes(":");
  if (isElsewhere || module.split(/[\\/]/).includes(".."))
    return `${module} is not a path inside the transforms folder: write it relative to that folder, without "..", "~" or ":".`;
  if (!extensions.includes(extname(module)))
    return `${module} is not a .js, .mjs or .ts file: write the name with its ending.`;
  return null;
}

/** Null when the path does not exist. */
export function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

const isInside = (folder: string, file: string): boolean => {
  const path = relative(folder, file);
  return path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path);
};
