// Why a proven delivery cannot be used, for the operator: its sender does not hear it. It holds no word of the payload.
import { catalogue, type Refusal } from "../../core/errors.ts";

export function reasonOf({ refused, details = [] }: Refusal): string {
  const found = details.map(({ path, message }) => `${path} ${message}`.trim()).join("; ");
  return `${refused}: ${found === "" ? catalogue[refused].text : found}`;
}
