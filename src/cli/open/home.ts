// Makes a home: the folder, the first config with two fresh tokens, and the schema that editors check it with.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../core/errors.ts";

export type MadeHome = { file: string; schemaFile: string; folder: string };

export async function makeHome(file: string, { overwrite }: { overwrite: boolean }): Promise<MadeHome> {
  const { initialConfig, newToken, writeFileAtomic } = await import("../../config/write/write.ts");
  const { configJsonSchema } = await import("../../config/reference/json-schema.ts");
  const folder = dirname(file);
  const schemaFile = join(folder, "rouse.schema.json");
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
  }
  const text = initialConfig({ hookToken: newToken(), gatewayToken: newToken() });
  if (overwrite) writeFileAtomic(file, text);
  else writeNew(file, text);
  writeFileAtomic(schemaFile, `${JSON.stringify(configJsonSchema(), null, 2)}\n`, 0o644);
  return { file, schemaFile, folder };
}

/** Fails when the file exists: of two processes that start at once, only one writes its tokens. */
function writeNew(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600, flag: "wx", flush: true });
  } catch (fault) {
    if (!(fault instanceof Error && "code" in fault && fault.code === "EEXIST")) throw fault;
    throw new UsageError(
      `${file} exists already. Keep it, or replace it and its tokens with: rouse init --force`,
    );
  }
}
