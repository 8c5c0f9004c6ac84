// Checks the mappings of a config as the gateway would.
import type { Problem } from "../../config/problem.ts";
import type { Mapping } from "../../hooks/mapping/compile.ts";
import type { Patterns } from "../../hooks/mapping/pattern.ts";
import type { Loaded } from "./settings.ts";

/** The mappings, or the problems of templates and transforms that would keep the gateway from using this config. */
export async function preparedMappings({
  config,
  locate,
}: Loaded): Promise<{ list: readonly Mapping[]; patterns: Patterns; problems: Problem[] }> {
  const { prepareMappings } = await import("../../hooks/mapping/prepare.ts");
  const prepared = await prepareMappings(config.hooks);
  if (!prepared.ok) return { list: [], patterns: new Map(), problems: prepared.findings.map(locate) };
  const { list, patterns } = prepared.mappings;
  await prepared.mappings.close();
  return { list, patterns, problems: [] };
}
