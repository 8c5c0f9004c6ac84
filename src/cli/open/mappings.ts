// Checks the mappings of a config as the gateway would.
import type { Problem } from "../../config/problem.ts";
import type { Loaded } from "./settings.ts";

/** The problems of templates and transforms that would keep the gateway from using this config. */
export async function mappingProblems({ config, locate }: Loaded): Promise<Problem[]> {
  const { prepareMappings } = await import("../../hooks/mapping/prepare.ts");
  const prepared = await prepareMappings(config.hooks);
  if (!prepared.ok) return prepared.findings.map(locate);
  await prepared.mappings.close();
  return [];
}
