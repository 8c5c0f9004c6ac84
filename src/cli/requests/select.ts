// Which kept requests a command means: its options become a selection by the store's clock.
import { requestOutcomes } from "../../core/request.ts";
import { runStatuses } from "../../core/run.ts";
import type { Selection } from "../../hooks/replay/selection.ts";
import type { Store } from "../../store/ports/store.ts";
import { WrongUsage } from "../command.ts";
import { hookFlag, readAllOf, readTimes, statusFlag, timeFlags } from "../runs/filters.ts";
import { readWholeNumber, type Values } from "../terminal/arguments.ts";

export const selectFlags = {
  ...hookFlag,
  ...timeFlags,
  outcome: { type: "string", multiple: true, values: requestOutcomes },
  ...statusFlag(runStatuses),
  limit: { type: "string" },
} as const;

export type Asked = Omit<Selection, "since" | "until"> & { timesOf: ReturnType<typeof readTimes> };

export function readSelection(values: Values<typeof selectFlags>, what: string): Asked {
  if (values.since === undefined)
    throw new WrongUsage(`${what} needs --since: how far back, such as --since 1h`);
  return {
    hooks: values.hook ?? [],
    timesOf: readTimes(values),
    outcomes: readAllOf("--outcome", values.outcome, requestOutcomes) ?? [],
    statuses: readAllOf("--status", values.status, runStatuses) ?? [],
    limit: values.limit === undefined ? null : readWholeNumber("--limit", values.limit, 1, 1_000_000),
  };
}

/** What comes from now on is not selected. */
export async function selectionOf(
  store: Pick<Store, "databaseTime">,
  { timesOf, ...rest }: Asked,
): Promise<Selection> {
  const now = await store.databaseTime();
  return { ...rest, since: 0, until: now, ...(await timesOf(store)) };
}

/** For the audit. */
export const selectionWords = ({ hooks, since, until, outcomes, statuses, limit }: Selection): string =>
  [
    `since ${new Date(since).toISOString()}`,
    `until ${new Date(until).toISOString()}`,
    ...hooks.map((hook) => `hook ${hook}`),
    ...outcomes,
    ...statuses,
    ...(limit === null ? [] : [`at most ${limit}`]),
  ].join(", ");
