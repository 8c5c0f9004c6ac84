// Takes up a changed configuration: prepares its generation, swaps it in, and updates the services. A configuration
// with problems changes nothing. Changes are taken up one after another.
import { secondsToMs } from "../core/duration.ts";
import type { Config } from "../config/config.ts";
import type { LoadResult } from "../config/load.ts";
import { restartNeeded } from "../config/restart.ts";
import type { Log } from "../core/log.ts";
import type { Server } from "../http/server.ts";
import type { LevelledLog } from "../telemetry/log.ts";
import type { MetricsBook } from "../telemetry/metrics.ts";
import {
  type Generation,
  knownNames,
  type Live,
  prepareGeneration,
  replaceGeneration,
} from "./generation.ts";
import type { Services } from "./services.ts";

export type ReloadDeps = {
  /** The configuration at the start: some settings keep its values until a restart. */
  started: Config;
  live: Live;
  services: Pick<Services, "courier" | "heartbeat" | "mail" | "proofThrottle" | "runner" | "throttle">;
  server: Pick<Server, "limit">;
  log: LevelledLog;
  metrics: Pick<MetricsBook, "know">;
};

export type Reload = {
  take(result: LoadResult): void;
  /** Resolves when every change has been taken up. */
  settled(): Promise<void>;
};

/** How long after the body's own limit the transport gives up on a request. */
const bodyMarginMs = 15_000;

export function createReload(deps: ReloadDeps): Reload {
  let taking = Promise.resolve();
  return {
    take(result) {
      taking = taking.then(() => takeUp(result, deps));
    },
    settled: () => taking,
  };
}

async function takeUp(loaded: LoadResult, deps: ReloadDeps): Promise<void> {
  const { started, live, log, metrics } = deps;
  const { result, generation } = await generationOf(loaded);
  report(log, result);
  if (generation === null) return;
  for (const setting of restartNeeded(started, generation.config)) {
    log.warn("this setting takes effect after a restart", { setting });
  }
  replaceGeneration(live, generation);
  live.fingerprint = loaded.fingerprint;
  metrics.know(knownNames(generation));
  updateServices(generation.config, deps);
  log.info("the configuration was reloaded");
}

function updateServices(config: Config, { services, server, log }: ReloadDeps): void {
  const { courier, heartbeat, mail, proofThrottle, runner, throttle } = services;
  throttle.configure(config.hooks.authFailures);
  proofThrottle.configure(config.hooks.authFailures);
  server.limit(requestTimeoutMs(config));
  log.setLevel(config.log.level);
  heartbeat.refresh();
  runner.kick("hook");
  courier.poll();
  void mail.apply(config);
}

/** A configuration whose mappings or channels cannot be prepared becomes a result with problems. */
async function generationOf(
  result: LoadResult,
): Promise<{ result: LoadResult; generation: Generation | null }> {
  if (!result.ok) return { result, generation: null };
  const prepared = await prepareGeneration(result.config);
  if (prepared.ok) return { result, generation: prepared.generation };
  const problems = prepared.findings.map(result.locate);
  return { result: { ...result, ok: false, problems }, generation: null };
}

export const requestTimeoutMs = (config: Config): number =>
  secondsToMs(config.hooks.bodyTimeoutSeconds) + bodyMarginMs;

/** Problems and warnings name settings and never show their values. */
export function report(log: Log, result: LoadResult): void {
  for (const { path, message } of result.warnings) log.warn(message, { setting: path });
  if (result.ok) return;
  for (const { path, message } of result.problems) log.error(message, { setting: path });
  log.error("the new configuration has problems; the old one goes on serving", {
    count: result.problems.length,
  });
}
