// The mappings of a config, prepared as a gateway would before it serves them.
import type { Problem } from "../../config/problem.ts";
import type { Loaded } from "./settings.ts";

/** Templates and transforms are looked at as a gateway would before it serves them. */
export async function mappingProblems({ config, place }: Loaded): Promise<Problem[]> {
  const { prepareMappings } = await import("../../hooks/mapping/prepare.ts");
  const prepared = await prepareMappings(config.hooks);
  if (!prepared.ok) return prepared.findings.map(place);
  await prepared.mappings.close();
  return [];
}
