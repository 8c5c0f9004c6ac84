// Rules between senders, mappings and tokens. What a kind needs is checked where the kinds are known (`hooks/senders`).
import { buildMappings } from "../build/mappings.ts";
import type { Finding, Path } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

type Found = { problems: Finding[]; warnings: Finding[] };

export function senderRules({ hooks }: Settings): Found {
  const mappings = buildMappings(hooks, "");
  const named = new Set(mappings.map(({ match }) => match.path));
  const problems = Object.keys(hooks.senders).flatMap((name): Finding[] => {
    const path: Path = ["hooks", "senders", name];
    const message = `has no mapping: add one with "match": { "path": "${name}" }, or its requests lead to nothing`;
    return named.has(name) ? [] : [{ path, message }];
  });
  return { problems, warnings: [] };
}
