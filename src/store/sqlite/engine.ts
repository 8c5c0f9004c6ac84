// SQLite, synchronously: one connection that runs programs. Used inside the writer thread, for reads beside it, and
// by commands.
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { StoreUnavailable } from "../../core/errors.ts";
import {
  answerTo,
  sqliteDialect,
  statementsOf,
  type AnyProgram,
  type Row,
  type Statement,
} from "../driver/program.ts";
import { programs, type ProgramName } from "../programs/catalogue.ts";

const busyTimeoutMs = 5000;
const journalSizeLimitBytes = 64 * 1024 * 1024;
const cacheKib = 16 * 1024;
/** Pages in the journal before they are carried over: pages that change often are carried less often. */
const checkpointPages = 4000;

export type Call = { name: ProgramName; input: unknown };
export type CallResult = { ok: true; result: unknown } | { ok: false; fault: unknown };

export type SqliteEngine = {
  read(call: Call): unknown;
  /** All calls in one transaction, each failing alone. When the store is away, all of them have failed. */
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
    const program = (programs[name] as AnyProgram)(sqliteDialect, input);
    let step = program.next([]);
    while (!step.done) step = program.next(answerTo(step.value, statementsOf(step.value).map(query)));
    return step.value;
  };

  const runAlone = (call: Call): CallResult => {
    database.exec("savepoint one");
    try {
      const result = run(call);
      database.exec("release one");
      return { ok: true, result };
    } catch (fault) {
      // A full disk has rolled back everything by itself: nothing of this transaction is left.
      if (!database.isTransaction) throw fault;
      database.exec("rollback to one");
      database.exec("release one");
      if (isUnavailable(fault)) throw fault;
      return { ok: false, fault };
    }
  };

  /** The only one of its transaction is undone with all of it: without a savepoint, SQLite puts no page aside. */
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
        const results = calls.map(calls.length === 1 ? runOnly : runAlone);
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
      // What a savepoint puts aside stays in memory: in a file it cost a third of a group.
      database.exec("pragma temp_store = memory");
      database.exec(`pragma cache_size = -${cacheKib}`);
      database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`);
    }
    return database;
  } catch (fault) {
    throw asStoreFault(fault);
  }
}

const codes: Readonly<Record<number, string>> = {
  5: "the database is locked by another program",
  6: "the database is locked",
  8: "the database cannot be written",
  10: "the disk reported an error",
  11: "the database file is damaged",
  13: "the disk is full",
  14: "the database file cannot be opened",
  26: "the file is not a database",
};

function primaryCode(fault: unknown): number | null {
  if (!(fault instanceof Error) || !("errcode" in fault)) return null;
  return Number(fault.errcode) & 0xff;
}

const isUnavailable = (fault: unknown): boolean => {
  const code = primaryCode(fault);
  return code !== null && code in codes;
};

function asStoreFault(fault: unknown): unknown {
  const code = primaryCode(fault);
  return code !== null && code in codes ? new StoreUnavailable(codes[code], { cause: fault }) : fault;
}
