// What a replay needs, for a command: the hooks of a config, and a store that its gateway may be using.
import type { Config } from "../../config/config.ts";
import { noMetrics } from "../../core/metrics.ts";
import { createAdmission } from "../../hooks/admission.ts";
import { createKeyQueues } from "../../hooks/key-queues.ts";
import type { ManyDeps } from "../../hooks/replay/many.ts";
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
  admission: createAdmission({ store, clock, limits: () => config.hooks, isShared: true }),
  keyQueues: createKeyQueues(),
  metrics: noMetrics,
});
