import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog, type Log, type LogFields } from "../core/log.ts";
import { createUnreadableReports } from "../store/create/unreadable.ts";
import { reportUnreadable } from "./unreadable.ts";

test("each unreadable row is logged and counted once, with its table, its id and the reason", () => {
  const lines: [string, LogFields | undefined][] = [];
  const counted: string[] = [];
  const log: Log = { ...silentLog, error: (message, fields) => lines.push([message, fields]) };
  const reports = createUnreadableReports();
  reports.watch((row) =>
    reportUnreadable(row, { log, metrics: { rowUnreadable: (table) => counted.push(table) } }),
  );
  const row = { table: "run", id: "a", reason: "its column request is no JSON" } as const;
  reports.add(row);
  reports.add(row);
  reports.add({ ...row, table: "event" });
  assert.deepEqual(counted, ["run", "event"]);
  assert.deepEqual(lines[0], [
    "a stored row cannot be read, and is set aside",
    { kind: "run", reason: "run a: its column request is no JSON" },
  ]);
});
