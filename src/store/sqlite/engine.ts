// A synchronous SQLite connection that runs programs: in the writer thread, for reads of the gateway, and in commands.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { sqliteDialect } from "../driver/dialect.ts";
import { inside, rowsFor, statementsOf, type Row, type Statement } from "../driver/program.ts";
import { catalogue, type ProgramName } from "../programs/catalogue.ts";
import { asStoreFault, isUnavailable } from "./faults.ts";

const busyTimeoutMs = 5000;
const journalSizeLimitBytes = 64 * 1024 * 1024;
const cacheKib = 16 * 1024;
/** Pages in the WAL before a checkpoint. The more, the less often a page that changes often is written. */
const checkpointPages = 4000;

export type Call = { name: ProgramName; input: unknown };
export type CallResult = { ok: true; result: unknown } | { ok: false; fault: unknown };

export type SqliteEngine = {
  read(call: Call): unknown;
  /** All calls in one transaction. A call that fails does not affect the others, unless the store is unavailable. */
  write(calls: readonly Call[]): CallResult[];
  pragma(name: string): unknown;
  close(): void;
};

export function openSqliteEngine(path: string, { readOnly = false } = {}): SqliteEngine {
  const database = open(path, readOnly);
  const prepared = new Map<string, StatementSync>();

  const query = ({ sql, values, rows }: Statement): Row[] => {
    let statement = prepared.get(sql);
    if (!statement) {
      statement = database.prepare(sql.replaceAll(/\$(\d+)/g, "?$1"));
      prepared.set(sql, statement);
    }
    if (!rows) return statement.all(...values) as Row[];
    const all: Row[] = [];
    for (const item of rows.items) {
      for (const row of statement.all(...values, ...item) as Row[]) all.push(row);
    }
    return all;
  };

  const run = ({ name, input }: Call): unknown => {
    const program = inside(catalogue[name].run(sqliteDialect, input));
    let step = program.next([]);
    while (!step.done) step = program.next(rowsFor(step.value, statementsOf(step.value).map(query)));
    return step.value;
  };

  /** A call that fails does not undo the others of its transaction. */
  const runInSavepoint = (call: Call): CallResult => {
    database.exec("savepoint call");
    try {
      const result = run(call);
      database.exec("release call");
      return { ok: true, result };
    } catch (fault) {
      // On a full disk SQLite has already rolled back the transaction.
      if (!database.isTransaction) throw fault;
      database.exec("rollback to call");
      database.exec("release call");
      if (isUnavailable(fault)) throw fault;
      return { ok: false, fault };
    }
  };

  /** The only call of its transaction needs no savepoint: when it fails, nothing is committed. */
  const runOnly = (call: Call): CallResult => {
    try {
      return { ok: true, result: run(call) };
    } catch (fault) {
      if (!database.isTransaction || isUnavailable(fault)) throw fault;
      return { ok: false, fault };
    }
  };

  return {
    read(call) {
      try {
        return run(call);
      } catch (fault) {
        throw asStoreFault(fault);
      }
    },
    write(calls) {
      try {
        database.exec("begin immediate");
        const results = calls.map(calls.length === 1 ? runOnly : runInSavepoint);
        database.exec(results.some(({ ok }) => ok) ? "commit" : "rollback");
        return results;
      } catch (fault) {
        if (database.isTransaction) database.exec("rollback");
        const failed: CallResult = { ok: false, fault: asStoreFault(fault) };
        return calls.map(() => failed);
      }
    },
    pragma: (name) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0],
    close: () => database.close(),
  };
}

function open(path: string, readOnly: boolean): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs });
    if (!readOnly) {
      database.exec("pragma journal_mode = wal");
      database.exec("pragma synchronous = full");
      database.exec(`pragma journal_size_limit = ${journalSizeLimitBytes}`);
      // Keeps the journal of savepoints in memory; in a file it took a third of the time of a group.
      database.exec("pragma temp_store = memory");
      database.exec(`pragma cache_size = -${cacheKib}`);
      database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
    }
    return database;
  } catch (fault) {
    throw asStoreFault(fault);
  }
}
