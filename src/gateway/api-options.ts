// What the gateway gives the admin API.
import type { ApiOptions } from "../api/api.ts";
import type { Config } from "../config/config.ts";
import type { Environment } from "../config/load.ts";
import { restartNeeded } from "../config/restart.ts";
import { systemClock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import { createKeyQueues } from "../hooks/key-queues.ts";
import type { Store } from "../store/ports/store.ts";
import type { MetricsBook } from "../telemetry/metrics.ts";
import { readVersion } from "../telemetry/process.ts";
import { type Live, prepareGeneration } from "./generation.ts";
import type { Services } from "./services.ts";

export type ApiParts = {
  live: Live;
  store: Store;
  node: string;
  services: Services;
  options: { env: Environment; log: Log; loaded: { config: Config } };
  metrics: Pick<MetricsBook, "authFailed" | "requestStored">;
  isStopping: () => boolean;
};

export function apiOptions({
  live,
  store,
  node,
  services: { admission, changes, courier, failures, onStored, results, runner },
  options: { env, log, loaded },
  metrics,
  isStopping,
}: ApiParts): ApiOptions {
  return {
    settings() {
      const { config, guard, hooks, channels, cursors } = live.generation;
      return {
        config,
        gateway: config.gateway,
        guard,
        hooks,
        channels,
        cursors,
        clientAddress: hooks.clientAddress,
      };
    },
    failures,
    onFailure: metrics.authFailed,
    store,
    clock: systemClock,
    log,
    isStopping,
    kick: (work) => (work === "deliveries" ? courier.poll() : runner.kick(work)),
    about: {
      node,
      version: readVersion(),
      startedAt: systemClock.now(),
      startedFrom: systemClock.monotonic(),
    },
    configFile: {
      env,
      running: () => live.fingerprint,
      async check(config) {
        const prepared = await prepareGeneration(config);
        if (!prepared.ok) return prepared.findings;
        await prepared.generation.mappings.close();
        return [];
      },
      restartNeeded: (config) => restartNeeded(loaded.config, config),
    },
    changes,
    results,
    replaying: {
      store,
      clock: systemClock,
      settings: () => live.generation.hooks,
      admission,
      keyQueues: createKeyQueues(),
      metrics,
      onStored,
    },
  };
}
