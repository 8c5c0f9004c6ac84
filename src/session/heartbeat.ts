// The periodic heartbeat: requests one from the store, which decides for all nodes whether it is due, and sleeps until
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
  /** 0 turns it off. */
  everyMs: () => number;
  clock: Clock;
  log: Log;
  /** Called when a heartbeat may be waiting. */
  kick: () => void;
  random?: () => number;
};

export type Heartbeat = {
  start(): void;
  /** Call it when the configuration has changed. */
  refresh(): void;
  stop(): void;
};

const shortestSleepMs = 50;
const awayBackOff = { firstMs: 1000, longestMs: 30_000 };

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { store, agentId, everyMs, clock, log, kick, random = Math.random } = options;
  let isRunning = false;
  let isRequesting = false;
  let isRepeatNeeded = false;
  let failures = 0;
  let cancelTimer = () => {};

  async function request(): Promise<void> {
    if (isRequesting) {
      isRepeatNeeded = true;
      return;
    }
    isRequesting = true;
    isRepeatNeeded = false;
    cancelTimer();
    const sleepMs = await beat();
    isRequesting = false;
    if (!isRunning) return;
    if (isRepeatNeeded) await request();
    else if (sleepMs !== null) cancelTimer = clock.after(sleepMs, () => void request());
  }

  /** How long to sleep; null: until the configuration changes. Never rejects. */
  async function beat(): Promise<number | null> {
    const period = everyMs();
    if (!isRunning || period <= 0) return null;
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
      isRunning = true;
      void request();
    },
    refresh() {
      if (isRunning) void request();
    },
    stop() {
      isRunning = false;
      cancelTimer();
    },
  };
}
