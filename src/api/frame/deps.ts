// What the admin API works with.
import type { Config } from "../../config/config.ts";
import type { Changes } from "../../core/change.ts";
import type { Clock } from "../../core/clock.ts";
import type { Log } from "../../core/log.ts";
import type { ConfiguredChannel } from "../../core/target.ts";
import type { ManyDeps } from "../../hooks/replay/many.ts";
import type { HookSettings } from "../../hooks/settings.ts";
import type { Channel } from "../../sdk/channel.ts";
import type { Store } from "../../store/ports/store.ts";
import type { Results } from "../../results/results.ts";
import type { ConfigFile } from "../actions/config.ts";
import type { Replays } from "../actions/replay.ts";
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

export type ApiDeps = Omit<AccessDeps, "settings"> & {
  settings: () => ApiSettings;
  store: Store;
  clock: Clock;
  log: Log;
  isStopping: () => boolean;
  /** There is work that waits to be done. */
  kick: (work: "hook" | "heartbeat" | "deliveries") => void;
  about: {
    node: string;
    version: string;
    startedAt: number;
    /** By the monotonic clock. */ startedFrom: number;
  };
  configFile: ConfigFile;
  /** Ends them when the gateway stops. */
  streams: Streams;
  /** Hints of what has changed on any node. */
  changes: Changes;
  results: Pick<Results, "stream">;
  /** What a replay of one request needs. */
  replaying: ManyDeps;
  replays: Replays;
};
