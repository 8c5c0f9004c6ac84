// What the admin API works with.
import type { Config } from "../../config/config.ts";
import type { Environment } from "../../config/load.ts";
import type { Finding } from "../../config/problem.ts";
import type { NewAuditEntry } from "../../core/audit.ts";
import type { Change } from "../../core/change.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { ConfiguredChannel } from "../../core/target.ts";
import type { HookSettings } from "../../hooks/settings.ts";
import type { Channel } from "../../sdk/channel.ts";
import type { Store } from "../../store/ports/store.ts";
import type { AccessDeps, AccessSettings } from "./access.ts";
import type { Cursors } from "./cursor.ts";
import type { Streams } from "./streams.ts";

/** Of the configuration in use. */
export type ApiSettings = AccessSettings & {
  config: Config;
  hooks: HookSettings;
  channels: { find(name: string): Channel | null; configured(): readonly ConfiguredChannel[] };
  /** Signed with the gateway token. */
  cursors: Cursors;
};

/** What the store notes for operators. */
export type OperatorStore = {
  addAudit(entry: NewAuditEntry): Promise<void>;
};

export type ApiDeps = Omit<AccessDeps, "settings"> & {
  settings: () => ApiSettings;
  store: Store & OperatorStore;
  clock: Clock;
  log: Log;
  isStopping: () => boolean;
  /** There is work that waits to be done. */
  kick: (work: "hook" | "heartbeat" | "deliveries") => void;
  about: { node: string; version: string; startedAt: number };
  configFile: ConfigFile;
  /** Ends them when the gateway stops. */
  streams: Streams;
  /** The OpenAPI document. */
  describe: () => object;
  /** Hints of what has changed on any node; returns the function that ends them. */
  listen: (heard: (change: Change) => void) => () => void;
};

/** The file that this node is configured by. */
export type ConfigFile = {
  env: Environment;
  /** Of the file and its secret files, as they were when they were last taken up. */
  running: () => string;
  /** What can be said only by making all of it, such as templates. */
  check: (config: Config) => Promise<readonly Finding[]>;
  /** Settings that have changed since the start and need a restart. */
  restartNeeded: (config: Config) => readonly string[];
};
