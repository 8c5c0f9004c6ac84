// Generates the JSON schema for editors from the schema that the program uses.
import { z } from "zod";
import { settingsSchema } from "../schema/index.ts";

/** Draft 7, which editors support best. */
export function configJsonSchema(): z.core.JSONSchema.JSONSchema {
  const { $schema, ...schema } = z.toJSONSchema(settingsSchema, { io: "input", target: "draft-7" });
  return {
    ...($schema && { $schema }),
    title: "Configuration of Rouse",
    allowTrailingCommas: true,
    ...schema,
  };
}
