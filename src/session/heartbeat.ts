// The periodic heartbeat: asks the store for one when it is due (it decides, once for all nodes), and sleeps until
// the next.
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { backOffMs } from "../core/retry.ts";
import type { Store } from "../store/ports/store.ts";

export type HeartbeatOptions = {
  store: Pick<Store, "beatIfDue">;
  /** The main session's agent. */
  agentId: () => string;
  /** 0: none. */
  everyMs: () => number;
  clock: Clock;
  log: Log;
  /** A heartbeat may be waiting to be run. */
  kick: () => void;
  random?: () => number;
};

export type Heartbeat = {
  start(): void;
  /** The configuration has changed. */
  refresh(): void;
  stop(): void;
};

const shortestSleepMs = 50;
const awayBackOff = { firstMs: 1000, longestMs: 30_000 };

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { store, agentId, everyMs, clock, log, kick, random = Math.random } = options;
  let going = false;
  let asking = false;
  let again = false;
  let failures = 0;
  let takeBackTimer = () => {};

  async function ask(): Promise<void> {
    if (asking) {
      again = true;
      return;
    }
    asking = true;
    again = false;
    takeBackTimer();
    const sleepMs = await beat();
    asking = false;
    if (!going) return;
    if (again) await ask();
    else if (sleepMs !== null) takeBackTimer = clock.after(sleepMs, () => void ask());
  }

  /** How long to sleep; null for until the configuration changes. Never rejects. */
  async function beat(): Promise<number | null> {
    const period = everyMs();
    if (!going || period <= 0) return null;
    try {
      const nextInMs = await store.beatIfDue({ agentId: agentId(), delayMs: 0 }, period);
      if (failures > 0) log.info("heartbeats can be asked for again", { count: failures });
      failures = 0;
      kick();
      return Math.max(nextInMs, shortestSleepMs);
    } catch (fault) {
      if (failures++ === 0) log.warn("heartbeats cannot be asked for now", { kind: faultKind(fault) });
      return backOffMs(failures, awayBackOff, random());
    }
  }

  return {
    start() {
      going = true;
      void ask();
    },
    refresh() {
      if (going) void ask();
    },
    stop() {
      going = false;
      takeBackTimer();
    },
  };
}
