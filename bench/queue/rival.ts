// Loads other libraries from bench/rivals, which has its own lock file.
import { createRequire } from "node:module";
import { existsSync, readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

export const rivalFolder = new URL("../rivals/", import.meta.url);

export const installCommand = "npm run bench:rivals";

/** Null where it is not installed. */
export function rivalVersion(name: string): string | null {
  const file = new URL(`node_modules/${name}/package.json`, rivalFolder);
  if (!existsSync(file)) return null;
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

export async function importRival<T>(name: string): Promise<T> {
  const entry = createRequire(new URL("package.json", rivalFolder)).resolve(name);
  return (await import(pathToFileURL(entry).href)) as T;
}
