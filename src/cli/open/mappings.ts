// Checks the mappings and senders of a config as the gateway would.
import type { Problem } from "../../config/problem.ts";
import type { Loaded } from "./settings.ts";

/** The problems of templates, transforms and senders that would keep the gateway from using this config. */
export async function mappingProblems({ config, locate }: Loaded): Promise<Problem[]> {
  const { prepareMappings } = await import("../../hooks/mapping/prepare.ts");
  const { prepareSenders } = await import("../../hooks/senders/prepare.ts");
  const { hooks } = config;
  const prepared = await prepareMappings(hooks);
  if (prepared.ok) await prepared.mappings.close();
  return [prepareSenders(hooks.senders, hooks.mappings), prepared]
    .flatMap((each) => (each.ok ? [] : each.findings))
    .map(locate);
}
