// Checks the mappings and senders of a config as the gateway would.
import type { Problem } from "../../config/problem.ts";
import type { Mapping } from "../../hooks/mapping/compile.ts";
import type { Patterns } from "../../hooks/mapping/pattern.ts";
import type { Loaded } from "./settings.ts";

/** The mappings, or the problems of templates, transforms and senders that would keep the gateway from using this config. */
export async function preparedMappings({
  config,
  locate,
}: Loaded): Promise<{ list: readonly Mapping[]; patterns: Patterns; problems: Problem[] }> {
  const { prepareMappings } = await import("../../hooks/mapping/prepare.ts");
  const { prepareSenders } = await import("../../hooks/senders/prepare.ts");
  const { hooks } = config;
  const prepared = await prepareMappings(hooks);
  if (prepared.ok) await prepared.mappings.close();
  const problems = [prepareSenders(hooks.senders, hooks.mappings), prepared]
    .flatMap((each) => (each.ok ? [] : each.findings))
    .map(locate);
  if (!prepared.ok) return { list: [], patterns: new Map(), problems };
  const { list, patterns } = prepared.mappings;
  return { list, patterns, problems };
}
