// The SQLite store of a gateway: a thread writes, a read-only connection reads.
import type { Clock } from "../../core/clock.ts";
import type { ClockStep } from "../../core/clock-step.ts";
import { createClockSteps } from "../create/clock-steps.ts";
import { createStore } from "../create/store.ts";
import { atTime, type Driver } from "../driver/program.ts";
import type { Store } from "../ports/store.ts";
import { isRead, type Programs } from "../programs/catalogue.ts";
import { claimFile } from "./database-file.ts";
import { openSqliteEngine, type Call } from "./engine.ts";
import { lockFile } from "./lock.ts";
import { startWriterThread, type WriterThread } from "./thread.ts";
import { createStoreTime, type StoreTime } from "./time.ts";

export type SqliteOptions = {
  path: string;
  clock: Clock;
  leaseMs: number;
  onGroup?: ((size: number) => void) | undefined;
  /** Started earlier, so that its code is loaded. */
  thread?: WriterThread | undefined;
};

/** Locks the file, migrates it, heals its moments, and voids the leases of a gateway that crashed. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { clock, leaseMs, onGroup, thread = startWriterThread() } = options;
  let { path } = options;
  let unlock = (): void => {};
  const time = createStoreTime(clock);
  const steps = createClockSteps();
  const heal = async (stepMs: number | null): Promise<void> => {
    const input = { stepMs, agoMs: 0, leaseMs, now: time.now() };
    steps.add((await thread.write({ name: "healClock", input })) as ClockStep | null);
  };
  try {
    path = claimFile(path);
    unlock = lockFile(path);
    thread.open(path);
    await thread.write({ name: "migrate", input: { now: clock.now() } });
    await heal(null);
    await thread.write({ name: "voidLeases", input: { now: clock.now(), leaseMs } });
  } catch (fault) {
    await thread.close();
    unlock();
    throw fault;
  }
  const reader = openSqliteEngine(path, { readOnly: true });
  const inOrder = createTurns(time, heal);
  const driver = {
    run: (name: Call["name"], input: unknown) =>
      inOrder((now) => {
        const call = { name, input: atTime(input, now) };
        return isRead(name) ? reader.read(call) : thread.write(call);
      }),
    async close() {
      // The store remembers this moment, in case the clock is set before it is opened again.
      await thread.write({ name: "probe", input: { now: time.now() } }).catch(() => {});
      // The writer last, because the last connection to close checkpoints the WAL.
      reader.close();
      await thread.close();
      unlock();
    },
  } as Driver<Programs>;
  return createStore({ driver, steps, onGroup });
}

/**
 * Where the clock was set, calls with the old time end first, then the store is healed, and only then calls with the new
 * time begin: no call sees moments of another time than its own.
 */
function createTurns(time: StoreTime, heal: (stepMs: number) => Promise<void>) {
  const going = new Set<unknown>();
  let healing: Promise<void> | null = null;

  const healStep = async (stepMs: number): Promise<void> => {
    await Promise.allSettled(going);
    await heal(stepMs);
    time.accept(stepMs);
  };

  return async <T>(call: (now: number) => T | Promise<T>): Promise<T> => {
    for (let stepMs = time.step(); healing || stepMs !== 0; stepMs = time.step())
      await (healing ??= healStep(stepMs).finally(() => (healing = null)));
    const result = call(time.now());
    if (!(result instanceof Promise)) return result;
    going.add(result);
    return result.finally(() => going.delete(result));
  };
}
