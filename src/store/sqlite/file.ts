// The store for commands, which use the file while the gateway does: no lock, no migration, no thread, one short
// transaction at a time.
import { existsSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { UsageError } from "../../core/errors.ts";
import { createStore } from "../create/store.ts";
import { atTime, type Driver } from "../driver/program.ts";
import type { Store } from "../ports/store.ts";
import { isRead, type Programs } from "../programs/catalogue.ts";
import { realFile } from "./database-file.ts";
import { openSqliteEngine, type Call, type SqliteEngine } from "./engine.ts";

export async function openSqliteFile({ path, clock }: { path: string; clock: Clock }): Promise<Store> {
  if (!existsSync(path))
    throw new UsageError(`There is no store at ${path} yet. Start the gateway once: rouse start`);
  const engine = openSqliteEngine(realFile(path));
  engine.read({ name: "checkVersion", input: null });
  return createStore({ driver: createFileDriver(engine, clock) });
}

const createFileDriver = (engine: SqliteEngine, clock: Clock): Driver<Programs> =>
  ({
    run: async (name: Call["name"], input: unknown) => {
      const call = { name, input: atTime(input, clock.now()) };
      if (isRead(name)) return engine.read(call);
      const [result] = engine.write([call]);
      if (!result?.ok) throw result?.fault;
      return result.result;
    },
    close: async () => engine.close(),
  }) as Driver<Programs>;
