// `npm run generate`: writes `schema/openapi.json` and the types of `rouse/client`. Tests compare both.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { routes } from "../routes/index.ts";
import { clientTypes, type Description } from "./client-types.ts";
import { describeApi } from "./document.ts";

export const openApiFile = fileURLToPath(new URL("../../../schema/openapi.json", import.meta.url));
export const openApiText = (): string => `${JSON.stringify(describeApi(routes), null, 2)}\n`;

export const clientTypesFile = fileURLToPath(new URL("../../sdk/client/shapes.ts", import.meta.url));
export const clientTypesText = (): string => clientTypes(JSON.parse(openApiText()) as Description);

if (import.meta.main) {
  writeFileSync(openApiFile, openApiText());
  writeFileSync(clientTypesFile, clientTypesText());
}
