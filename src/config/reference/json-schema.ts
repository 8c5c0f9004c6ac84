// Generates the JSON schema for editors from the schema that the program uses.
import { z } from "zod";
import { settingsSchema } from "../schema/index.ts";

/** Draft 7, which editors support best. */
export const configJsonSchema = (): z.core.JSONSchema.JSONSchema => schemaWith({ durations: false });

/** The same with the limits of durations, which the draft has no word for. */
export const describedSchema = (): z.core.JSONSchema.JSONSchema => schemaWith({ durations: true });

function schemaWith({ durations }: { durations: boolean }): z.core.JSONSchema.JSONSchema {
  const { $schema, ...schema } = z.toJSONSchema(settingsSchema, {
    io: "input",
    target: "draft-7",
    override({ jsonSchema }) {
      if (!durations) delete jsonSchema["duration"];
    },
  });
  return {
    ...($schema && { $schema }),
    title: "Configuration of Rouse",
    allowTrailingCommas: true,
    ...schema,
  };
}
