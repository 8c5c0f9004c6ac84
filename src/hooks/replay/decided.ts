// What the configuration in use would make of a kept request. Nothing is stored. A transform may act, so that it is run
// only where that was asked for.
import { isRefusal, reasonOf } from "../../core/errors.ts";
import type { Decision } from "../../core/request.ts";
import { decide, readMapped } from "../decide.ts";
import { tryMapping } from "../mapping/match.ts";
import type { Mapping } from "../mapping/compile.ts";
import type { HookSettings } from "../settings.ts";
import { type CannotReplay, type KeptRequest, type Replayable, replayable } from "./request.ts";

export type DecidedAction =
  | {
      readonly action: "agent";
      readonly agentId: string;
      /** "…" is for the run's id. */
      readonly sessionKey: string;
      readonly channel: string;
    }
  | { readonly action: "wake" };

export type Decided = {
  /** `not-run`: its mapping has a transform, which was not run. */
  readonly outcome: "accepted" | "skipped" | "refused" | "failed" | "not-run";
  readonly reason: string | null;
  readonly mapping: string | null;
  readonly actions: readonly DecidedAction[];
};

export type DecideOptions = {
  settings: HookSettings;
  now: number;
  transforms: boolean;
};

export async function decideKept(kept: KeptRequest, options: DecideOptions): Promise<Decided | CannotReplay> {
  const found = replayable(kept, options);
  if ("cannot" in found) return found;
  if (!options.transforms) {
    const mapping = takerOf(found, options.settings);
    if (mapping !== null && mapping.transform !== null)
      return { outcome: "not-run", reason: "its mapping has a transform", mapping: mapping.id, actions: [] };
  }
  const { decision, how } = await decide(found.hook, found.request, options.settings);
  return { mapping: how.mapping, ...outcomeOf(decision) };
}

/** The mapping that takes the request; null where none does, its body cannot be read, or no transform can be asked. */
function takerOf({ hook, request }: Replayable, { mappings }: HookSettings): Mapping | null {
  if (hook.read !== null || !mappings.mayTransform(hook.name)) return null;
  const mapped = request.mapped ?? readMapped(hook.name, request);
  if (isRefusal(mapped)) return null;
  return mappings.list.find((mapping) => tryMapping(mapping, mapped, mappings.patterns).takes) ?? null;
}

function outcomeOf(decision: Decision): Omit<Decided, "mapping"> {
  if (isRefusal(decision)) return { outcome: "refused", reason: reasonOf(decision), actions: [] };
  if ("outcome" in decision) return { ...decision, actions: [] };
  const agents = decision.runs.map(({ id, agentId, sessionKey, request: { channel } }) => ({
    action: "agent" as const,
    agentId,
    sessionKey: sessionKey.replaceAll(id, "…"),
    channel,
  }));
  const wakes = decision.events.map(() => ({ action: "wake" as const }));
  return { outcome: "accepted", reason: null, actions: [...agents, ...wakes] };
}
