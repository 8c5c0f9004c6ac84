// The SQLite store of a gateway: a thread writes, a read-only connection reads.
import type { Clock } from "../../core/clock.ts";
import { createStore } from "../create/store.ts";
import { atTime, type Driver } from "../driver/program.ts";
import type { Store } from "../ports/store.ts";
import { isRead, type Programs } from "../programs/catalogue.ts";
import { claimFile } from "./database-file.ts";
import { openSqliteEngine, type Call } from "./engine.ts";
import { lockFile } from "./lock.ts";
import { startWriterThread, type WriterThread } from "./thread.ts";

export type SqliteOptions = {
  path: string;
  clock: Clock;
  leaseMs: number;
  onGroup?: ((size: number) => void) | undefined;
  /** Started earlier, so that its code is loaded. */
  thread?: WriterThread | undefined;
};

/** Locks the file, migrates it, and voids the leases of a gateway that crashed. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { clock, leaseMs, onGroup, thread = startWriterThread() } = options;
  let { path } = options;
  let unlock = (): void => {};
  try {
    path = claimFile(path);
    unlock = lockFile(path);
    thread.open(path);
    await thread.write({ name: "migrate", input: { now: clock.now() } });
    await thread.write({ name: "voidLeases", input: { now: clock.now(), leaseMs } });
  } catch (fault) {
    await thread.close();
    unlock();
    throw fault;
  }
  const reader = openSqliteEngine(path, { readOnly: true });
  const driver = {
    run: async (name: Call["name"], input: unknown) => {
      const call = { name, input: atTime(input, clock.now()) };
      return isRead(name) ? reader.read(call) : thread.write(call);
    },
    async close() {
      // The writer last, because the last connection to close checkpoints the WAL.
      reader.close();
      await thread.close();
      unlock();
    },
  } as Driver<Programs>;
  return createStore({ driver, onGroup });
}
