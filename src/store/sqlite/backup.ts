// A copy of a store in use, as one file. It is made in one read transaction: SQLite's copy begins again whenever another
// connection writes between two of its steps, so that under a busy gateway it would never end.
import { closeSync, openSync, statSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";
import { realFile } from "./database-file.ts";
import { asStoreFault } from "./faults.ts";

const busyTimeoutMs = 5000;
/** How many pages are copied at once. */
const stepPages = 2000;

export type Copied = { bytes: number; schema: number };

/** `to` must not exist. It is readable by its owner alone, checked, and on disk when this resolves. */
export async function copyDatabase(
  path: string,
  to: string,
  onProgress: (copied: { pages: number; total: number }) => void = () => {},
): Promise<Copied> {
  const source = open(realFile(path), { readOnly: true });
  try {
    closeSync(openSync(to, "wx", 0o600));
    source.exec("begin");
    const schema = schemaOf(source);
    if (schema === null) throw new UsageError(`${path} is no store of Rouse: it has no schema version.`);
    await backup(source, to, {
      rate: stepPages,
      progress: ({ totalPages, remainingPages }) =>
        onProgress({ pages: totalPages - remainingPages, total: totalPages }),
    });
    // The gateway's log can be emptied again while the copy is checked.
    source.exec("commit");
    check(to, schema);
    return { bytes: statSync(to).size, schema };
  } catch (fault) {
    throw asStoreFault(fault);
  } finally {
    source.close();
  }
}

/** The copy becomes one file, without a log beside it. */
function check(file: string, schema: number): void {
  const copy = open(file, {});
  try {
    copy.exec("pragma journal_mode = delete");
    const found = Object.values(copy.prepare("pragma integrity_check(1)").get() ?? {})[0];
    if (found !== "ok")
      throw new StoreUnavailable(`the copy is damaged (${String(found)}), so the store may be, too`);
    if (schemaOf(copy) !== schema) throw new StoreUnavailable("the copy has another schema than the store");
  } finally {
    copy.close();
  }
}

/** Null: it is no store. */
function schemaOf(database: DatabaseSync): number | null {
  const table = "select 1 from sqlite_schema where type = 'table' and name = 'migration'";
  if (database.prepare(table).get() === undefined) return null;
  const version = database.prepare("select max(version) as version from migration").get()?.["version"];
  return typeof version === "number" ? version : null;
}

function open(path: string, options: { readOnly?: boolean }): DatabaseSync {
  try {
    return new DatabaseSync(path, { ...options, timeout: busyTimeoutMs });
  } catch (fault) {
    throw asStoreFault(fault);
  }
}
