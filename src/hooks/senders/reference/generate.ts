// `npm run generate`: writes what is made from the table of senders. A test compares it.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { senderPage } from "./reference.ts";

export const pagePath = fileURLToPath(new URL("../../../../docs/senders.md", import.meta.url));

export const generatedPage = (): { written: string; made: string } => {
  const written = readFileSync(pagePath, "utf8");
  return { written, made: senderPage(written) };
};

if (import.meta.main) writeFileSync(pagePath, generatedPage().made);
