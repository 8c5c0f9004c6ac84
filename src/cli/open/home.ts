// Makes a home: the folder, the first config with two fresh tokens, and the schema that editors check it with.
import { chmodSync, existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, UsageError } from "../../core/errors.ts";
import { schemaFileOf } from "./schema.ts";

export type MadeHome = { file: string; schemaFile: string; folder: string };

function makeFolder(folder: string): void {
  const about = statSync(folder, { throwIfNoEntry: false });
  if (about?.isDirectory()) return;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (fault) {
    const why = about ? "it is a file" : codeOf(fault);
    throw new UsageError(
      `The folder ${folder} cannot be made (${why}). Choose a home that this user can write, with ROUSE_HOME or --config FILE.`,
    );
  }
}

export async function makeHome(
  file: string,
  { overwrite, port }: { overwrite: boolean; port?: number },
): Promise<MadeHome> {
  const { initialConfig, newToken, writeFileAtomic } = await import("../../config/write/write.ts");
  const { withConfigLock } = await import("../../config/write/lock.ts");
  const { configJsonSchema } = await import("../../config/reference/json-schema.ts");
  const folder = dirname(file);
  const schemaFile = schemaFileOf(file);
  makeFolder(folder);
  const text = initialConfig({
    hookToken: newToken(),
    gatewayToken: newToken(),
    ...(port !== undefined && { port }),
  });
  // Of two processes that start at once, only one writes its tokens; no reader sees half a file.
  withConfigLock(file, () => {
    if (!overwrite && existsSync(file))
      throw new UsageError(
        `${file} exists already. Keep it, or replace it and its tokens with: rouse init --force`,
      );
    writeFileAtomic(file, text);
  });
  writeFileAtomic(schemaFile, `${JSON.stringify(configJsonSchema(), null, 2)}\n`, 0o644);
  return { file, schemaFile, folder };
}
