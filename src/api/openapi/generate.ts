// `npm run generate`: writes `schema/openapi.json`. A test compares it.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { routes } from "../routes/index.ts";
import { describeApi } from "./document.ts";

export const openApiFile = fileURLToPath(new URL("../../../schema/openapi.json", import.meta.url));
export const openApiText = (): string => `${JSON.stringify(describeApi(routes), null, 2)}\n`;

if (import.meta.main) writeFileSync(openApiFile, openApiText());
