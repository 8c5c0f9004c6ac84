// Finds where the configuration names a channel, and reports names that no channel has.
import type { ChannelsConfig } from "../config.ts";
import { nearest } from "../../core/nearest.ts";
import type { Finding } from "../problem.ts";
import type { Settings } from "../schema/index.ts";

export function namedChannels({ hooks, agents }: Settings): ChannelsConfig["named"] {
  const fallbacks = [
    ...hooks.mappings.map(({ fallback }, at) => ({ fallback, path: ["hooks", "mappings", at] })),
    ...agents.list.map(({ fallback }, at) => ({ fallback, path: ["agents", "list", at] })),
    { fallback: agents.defaults.fallback, path: ["agents", "defaults"] },
  ];
  return [
    ...hooks.mappings.flatMap(({ channel }, at) =>
      channel === undefined ? [] : [{ path: ["hooks", "mappings", at, "channel"], channel }],
    ),
    ...fallbacks.flatMap(({ fallback, path }) =>
      fallback ? [{ path: [...path, "fallback", "channel"], channel: fallback.channel }] : [],
    ),
  ];
}

export const unknownChannels = (named: ChannelsConfig["named"], known: ReadonlySet<string>): Finding[] =>
  named.flatMap(({ path, channel }) => {
    if (known.has(channel)) return [];
    const near = nearest(channel, [...known]);
    const hint = near ? `did you mean ${near}?` : `there are ${[...known].join(", ")}`;
    return [{ path, message: `there is no such channel; ${hint}` }];
  });
