// What a replay needs, for a command: the hooks of a config, and a store that its gateway may be using.
import type { Config } from "../../config/config.ts";
import { noMetrics } from "../../core/metrics.ts";
import { createAdmission } from "../../hooks/admission.ts";
import { createKeyQueues } from "../../hooks/key-queues.ts";
import type { ManyDeps } from "../../hooks/replay/many.ts";
import type { PlanStore } from "../../hooks/replay/plan.ts";
import type { KeptLimits } from "../../hooks/replay/request.ts";
import type { HookSettings } from "../../hooks/settings.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Context } from "../command.ts";

export const replayParts = (
  { clock }: Pick<Context, "clock">,
  { store, config, settings }: { store: Store; config: Config; settings: HookSettings },
): ManyDeps => ({
  store,
  clock,
  settings: () => settings,
  limits: () => keptLimits(config),
  admission: createAdmission({ store, clock, limits: () => config.hooks, isShared: true }),
  keyQueues: createKeyQueues(),
  metrics: noMetrics,
});

export const keptLimits = (_config: Config): KeptLimits => ({ requestsMs: 1, bodyBytes: 65_536 });

export const searches = (store: Store): PlanStore => ({
  ...store,
  async searchRequests({ since = 0, until = Infinity, hooks, outcomes }) {
    const all = await store.listRequests({ limit: null });
    const items = all.filter(
      ({ createdAt, hook, outcome }) =>
        createdAt >= since &&
        createdAt < until &&
        (hooks?.includes(hook) ?? true) &&
        (outcomes?.includes(outcome) ?? true),
    );
    return { items, next: null };
  },
  async searchRuns({ hooks, statuses, limit }) {
    const all = await store.listRuns({ limit: null, kind: "hook" });
    const items = all.filter(
      ({ hook, status }) => (hooks?.includes(hook) ?? true) && (statuses?.includes(status) ?? true),
    );
    return { items: items.slice(0, limit), next: null };
  },
});
