// `npm run generate`: writes the files that are generated from the schema. A test compares them.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { configJsonSchema } from "./json-schema.ts";
import { configReference } from "./reference.ts";

const pathOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));

export const generatedFiles = () => [
  { path: pathOf("schema/rouse.schema.json"), text: `${JSON.stringify(configJsonSchema(), null, 2)}\n` },
  { path: pathOf("docs/configuration.md"), text: configReference() },
];

if (import.meta.main) {
  for (const { path, text } of generatedFiles()) writeFileSync(path, text);
}
