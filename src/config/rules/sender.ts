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
  const idle = mappings.flatMap(({ origin, match: { path, events } }): Finding[] => {
    if (events === null || (path !== null && Object.hasOwn(hooks.senders, path))) return [];
    const wanted =
      path === null ? "give match.path, the name of a sender" : `there is no sender ${path} in hooks.senders`;
    const message = `can never match: only requests of senders name an event; ${wanted}`;
    return [{ path: ["hooks", "mappings", origin, "match", "event"], message }];
  });
  return { problems: [...problems, ...idle], warnings: [] };
}
