// Migrations are numbered and go forward only. A database of a newer Rouse is refused.
import { UsageError } from "../../core/errors.ts";
import type { Dialect } from "../driver/dialect.ts";
import type { Program } from "../driver/program.ts";
import { createTables } from "./001-tables.ts";
import { addSignals } from "./002-signals.ts";
import { addAgents } from "./003-agents.ts";
import { addOutbox } from "./004-outbox.ts";
import { addMail } from "./005-mail.ts";
import { addNodes } from "./006-nodes.ts";
import { addBacklog } from "./007-backlog.ts";
import { narrowLookups } from "./008-lookups.ts";
import { separateOwnLanes } from "./009-own-lanes.ts";
import { indexHistory } from "./010-history.ts";
import { addEventSizes } from "./011-waiting-events.ts";
import { numberAttempts } from "./012-attempts.ts";
import { addLastLine } from "./013-last-line.ts";
import { addRetries } from "./014-retries.ts";
import { nameCredentials } from "./015-credentials.ts";
import { addSenders } from "./016-senders.ts";
import { keepRequests } from "./017-requests.ts";

/** The first leads to version 1, and so on. */
const migrations: readonly ((dialect: Dialect) => readonly string[])[] = [
  createTables,
  addSignals,
  addAgents,
  addOutbox,
  addMail,
  addNodes,
  addBacklog,
  narrowLookups,
  separateOwnLanes,
  indexHistory,
  addEventSizes,
  numberAttempts,
  addLastLine,
  addRetries,
  nameCredentials,
  addSenders,
  keepRequests,
];

export const newestVersion = migrations.length;

export function* migrate(dialect: Dialect, input: { now: number }): Program<void> {
  yield {
    sql: "create table if not exists migration(version integer primary key, applied_at bigint not null)",
    values: [],
  };
  const version = yield* currentVersion(dialect);
  refuseNewer(version);
  for (const [index, statements] of migrations.entries()) {
    if (index < version) continue;
    for (const sql of statements(dialect)) yield { sql, values: [] };
    yield {
      sql: "insert into migration(version, applied_at) values ($1, $2)",
      values: [index + 1, input.now],
    };
  }
}

/** For commands, which never migrate; the gateway does. */
export function* checkVersion(dialect: Dialect, _input: null): Program<void> {
  const version = yield* currentVersion(dialect);
  refuseNewer(version);
  if (version === 0) throw new UsageError("The store is empty. Start the gateway once: rouse start");
  if (version < newestVersion) {
    throw new UsageError(
      "The store is from an older Rouse. Start the gateway once (rouse start); it brings the store up to date.",
    );
  }
}

function* currentVersion({ hasTable }: Dialect): Program<number> {
  const found = yield { sql: hasTable, values: ["migration"] };
  if (found.length === 0) return 0;
  const [row] = yield { sql: "select max(version) as version from migration", values: [] };
  return Number(row?.["version"] ?? 0);
}

function refuseNewer(version: number): void {
  if (version > newestVersion) {
    throw new UsageError(
      `The store has version ${version}, this Rouse knows up to ${newestVersion}. Run the newer Rouse that wrote it, or point store at another database.`,
    );
  }
}
