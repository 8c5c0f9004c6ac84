// The embedded store. The gateway owns its file: one gateway a file, writes in a thread, reads beside it. Commands
// open the same file next to a running gateway, one short transaction at a time.
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../core/clock.ts";
import { UsageError } from "../../core/errors.ts";
import { createStore } from "../create/store.ts";
import { atTime, type Driver } from "../driver/program.ts";
import { openSqliteEngine, type Call, type SqliteEngine } from "./engine.ts";
import { startWriterThread, type WriterThread } from "./thread.ts";
import { isRead, type Programs } from "../programs/catalogue.ts";
import type { Store } from "../ports/store.ts";

export type SqliteOptions = {
  path: string;
  clock: Clock;
  leaseMs: number;
  onGroup?: ((size: number) => void) | undefined;
  /** Started earlier, to be ready by now. */
  thread?: WriterThread | undefined;
};

/** For the gateway: takes the file for itself, migrates, and frees what a crashed gateway had leased. */
export async function openSqliteStore(options: SqliteOptions): Promise<Store> {
  const { path, clock, leaseMs, onGroup, thread = startWriterThread() } = options;
  let unlock = (): void => {};
  try {
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
    run: async (name: Call["name"], input: unknown) =>
      isRead(name) ? reader.read({ name, input }) : thread.write({ name, input: atTime(input, clock.now()) }),
    async close() {
      // The writer last: whoever closes a file last carries its journal over.
      reader.close();
      await thread.close();
      unlock();
    },
  } as Driver<Programs>;
  return createStore({ driver, onGroup });
}

/** For commands: no lock, no migration, no thread. */
export async function openSqliteFile({ path, clock }: { path: string; clock: Clock }): Promise<Store> {
  if (!existsSync(path))
    throw new UsageError(`There is no store at ${path} yet. Start the gateway once: rouse start`);
  const engine = openSqliteEngine(path);
  engine.read({ name: "checkVersion", input: null });
  return createStore({ driver: directDriver(engine, clock) });
}

function directDriver(engine: SqliteEngine, clock: Clock): Driver<Programs> {
  return {
    run: async (name: Call["name"], input: unknown) => {
      if (isRead(name)) return engine.read({ name, input });
      const [result] = engine.write([{ name, input: atTime(input, clock.now()) }]);
      if (!result?.ok) throw result?.fault;
      return result.result;
    },
    close: async () => engine.close(),
  } as Driver<Programs>;
}

/** Held by an open transaction on a small database beside the store; the kernel frees it however we end. */
function lockFile(path: string): () => void {
  const lock = new DatabaseSync(`${path}.lock`, { timeout: 0 });
  try {
    lock.exec("begin exclusive");
  } catch {
    lock.close();
    throw new UsageError(
      `Another gateway is running on ${path}. Stop it first, or give this one a store of its own.`,
    );
  }
  return () => lock.close();
}
