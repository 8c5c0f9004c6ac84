// The schema for editors, made from the one the program checks with.
import { z } from "zod";
import { settingsSchema } from "../schema/index.ts";

/** Draft 7, which editors know best. */
export function configJsonSchema(): z.core.JSONSchema.JSONSchema {
  const { $schema, ...schema } = z.toJSONSchema(settingsSchema, { io: "input", target: "draft-7" });
  return {
    ...($schema && { $schema }),
    title: "Configuration of Rouse",
    allowTrailingCommas: true,
    ...schema,
  };
}
