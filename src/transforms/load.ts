// Runs in the process: turns a reference into a function, or throws an error that says what is wrong.
import { registerHooks } from "node:module";
import { sep } from "node:path";
import { pathToFileURL } from "node:url";
import type { Transform } from "../sdk/transform.ts";
import { type ModuleSource, oneLine, type TransformReference } from "./call.ts";
import { realPath, resolveModule } from "./resolve.ts";
import { describe } from "./result.ts";

/** The address of a reference's module. */
export function findModule(transformsDir: string, { module }: TransformReference): string {
  const resolved = resolveModule(transformsDir, module);
  if (!resolved.ok) throw new Error(resolved.message);
  return pathToFileURL(resolved.file).href;
}

export async function loadTransform(url: string, reference: TransformReference): Promise<Transform> {
  const { module } = reference;
  let exported: Record<string, unknown>;
  try {
    exported = (await import(url)) as Record<string, unknown>;
  } catch (fault) {
    throw new Error(`${module} cannot be loaded: ${explain(fault, module)}.`, { cause: fault });
  }
  return pickFunction(exported, reference);
}

function pickFunction(exported: Record<string, unknown>, reference: TransformReference): Transform {
  const { module, export: name } = reference;
  const wanted = name === null ? ["default", "transform"] : [name];
  const found = wanted.filter((each) => Object.hasOwn(exported, each)).map((each) => exported[each]);
  const chosen = found.find((each) => typeof each === "function");
  if (chosen) return chosen as Transform;
  const title = name === null ? "default export" : `export named ${name}`;
  if (found.length > 0) throw new Error(`${module}: its ${title} is ${describe(found[0])}, not a function.`);
  // Node adds `module.exports` to CommonJS modules.
  const names = Object.keys(exported).filter((each) => each !== "module.exports");
  const have = names.length === 0 ? "it exports nothing" : `it exports ${names.join(", ")}`;
  throw new Error(`${module} has no ${title}: ${have}.`);
}

function explain(fault: unknown, module: string): string {
  if (!(fault instanceof Error)) return `it threw ${describe(fault)}`;
  const line = /^\S+:(\d+)\n/.exec(fault.stack ?? "")?.[1];
  const isWrongKind = /^(Unexpected token 'export'|Cannot use import statement)/.test(fault.message);
  const advice = isWrongKind && module.endsWith(".js") ? '; name it .mjs, or set "type": "module"' : "";
  const where = line === undefined ? "" : ` (line ${line})`;
  return `${oneLine(`${fault.name}: ${fault.message}`).replace(/\.$/, "")}${where}${advice}`;
}

/**
 * Changes how modules of the transforms folder are loaded. `.ts` files are ES modules, even below a package.json with
 * `"type": "commonjs"`. `rouse/transform` resolves where this package is not installed: type stripping leaves an empty
 * import of it. Modules in `known` are not read again. Returns a map that fills with what is read from the folder.
 */
export function registerTransformHooks(
  transformsDir: string,
  known: ReadonlyMap<string, ModuleSource>,
): Map<string, ModuleSource> {
  const folder = pathToFileURL((realPath(transformsDir) ?? transformsDir) + sep).href;
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const types = new URL(`../sdk/transform.${extension}`, import.meta.url).href;
  const read = new Map<string, ModuleSource>();
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (specifier === "rouse/transform") return { url: types, shortCircuit: true };
      const url = URL.parse(specifier, context.parentURL)?.href ?? "";
      const module = known.get(url);
      return module ? { url, format: module.format, shortCircuit: true } : nextResolve(specifier, context);
    },
    load(url, context, nextLoad) {
      const module = known.get(url);
      if (module) return { format: module.format, source: module.source, shortCircuit: true };
      const isOurs = url.startsWith(folder);
      const isMistaken = context.format === "commonjs-typescript" && isOurs;
      const loaded = nextLoad(url, isMistaken ? { ...context, format: "module-typescript" } : context);
      const { format, source } = loaded;
      if (isOurs && source && format !== "wasm") read.set(url, { format, source: textOf(source) });
      return loaded;
    },
  });
  return read;
}

const textOf = (source: string | ArrayBuffer | NodeJS.TypedArray): string =>
  typeof source === "string" ? source : new TextDecoder().decode(source);
