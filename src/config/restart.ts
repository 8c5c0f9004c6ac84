// The settings whose changes need a restart.
import type { Config } from "./config.ts";

const fixedSettings: Readonly<Record<string, (config: Config) => unknown>> = {
  "gateway.host": (config) => config.gateway.host,
  "gateway.port": (config) => config.gateway.port,
  "gateway.maxConnections": (config) => config.gateway.maxConnections,
  "store.url": (config) => config.store.url,
  "store.path": (config) => config.store.path,
  "store.leaseSeconds": (config) => config.store.leaseSeconds,
  "log.format": (config) => config.log.format,
};

export const restartSettings: readonly string[] = Object.keys(fixedSettings);

/** The settings that changed and take effect only after a restart. */
export const restartNeeded = (before: Config, after: Config): string[] =>
  Object.entries(fixedSettings).flatMap(([name, read]) => (read(before) === read(after) ? [] : [name]));
