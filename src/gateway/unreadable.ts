// Tells the operator of a stored row that cannot be read.
import type { Log } from "../core/log.ts";
import type { Metrics } from "../core/metrics.ts";
import type { UnreadableRow } from "../core/unreadable.ts";

export function reportUnreadable(
  { table, id, reason }: UnreadableRow,
  { log, metrics }: { log: Log; metrics: Pick<Metrics, "rowUnreadable"> },
): void {
  metrics.rowUnreadable(table);
  log.error("a stored row cannot be read, and is set aside", {
    kind: table,
    reason: `${table} ${id}: ${reason}`,
  });
}
