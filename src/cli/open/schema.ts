// Keeps the schema beside a config, which editors check it with, that of this version. An upgrade would leave the old
// one there, and editors would mark new settings as wrong.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

export const schemaFileOf = (configFile: string): string => join(dirname(configFile), "rouse.schema.json");

/** In the package; made by `npm run generate`. */
const ownSchema = new URL("../../../schema/rouse.schema.json", import.meta.url);

/**
 * Only a file that Rouse wrote is replaced, and none is made. Resolves to whether it was. A schema that cannot be
 * written does no harm: it only helps editors.
 */
export async function refreshSchema(configFile: string): Promise<boolean> {
  const file = schemaFileOf(configFile);
  if (!existsSync(file)) return false;
  try {
    const [there, own] = await Promise.all([readFile(file, "utf8"), readFile(ownSchema, "utf8")]);
    if (there === own || titleOf(there) !== titleOf(own)) return false;
    const { writeFileAtomic } = await import("../../config/write/write.ts");
    writeFileAtomic(file, own, 0o644);
    return true;
  } catch {
    return false;
  }
}

const titleOf = (schema: string): unknown => (JSON.parse(schema) as { title?: unknown } | null)?.title;
