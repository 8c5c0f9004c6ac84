// Which kept requests a command means: its options become a selection by the store's clock.
import { requestOutcomes } from "../../core/request.ts";
import { runStatuses } from "../../core/run.ts";
import type { Selection } from "../../hooks/replay/selection.ts";
import type { Store } from "../../store/ports/store.ts";
import { WrongUsage } from "../command.ts";
import { readOneOf, readWholeNumber } from "../terminal/arguments.ts";
import { readSince, type Since, sinceMoment } from "../terminal/since.ts";

export const selectFlags = {
  hook: { type: "string", multiple: true },
  since: { type: "string" },
  until: { type: "string" },
  outcome: { type: "string", multiple: true, values: requestOutcomes },
  status: { type: "string", multiple: true, values: runStatuses },
  limit: { type: "string" },
} as const;

type Written = {
  hook?: string[];
  since?: string;
  until?: string;
  outcome?: string[];
  status?: string[];
  limit?: string;
};

export type Asked = Omit<Selection, "since" | "until"> & { since: Since; until: Since | null };

export function readSelection(values: Written, what: string): Asked {
  if (values.since === undefined)
    throw new WrongUsage(`${what} needs --since: how far back, such as --since 1h`);
  return {
    hooks: values.hook ?? [],
    since: readSince(values.since),
    until: values.until === undefined ? null : readSince(values.until, "--until"),
    outcomes: (values.outcome ?? []).map((each) => readOneOf("--outcome", each, requestOutcomes)),
    statuses: (values.status ?? []).map((each) => readOneOf("--status", each, runStatuses)),
    limit: values.limit === undefined ? null : readWholeNumber("--limit", values.limit, 1, 1_000_000),
  };
}

export async function selectionOf(
  store: Pick<Store, "databaseTime">,
  { since, until, ...rest }: Asked,
): Promise<Selection> {
  const now = await store.databaseTime();
  const selection = {
    ...rest,
    since: sinceMoment(since, now),
    until: until === null ? now : sinceMoment(until, now, "--until"),
  };
  if (selection.since >= selection.until) throw new WrongUsage("--since must be before --until.");
  return selection;
}
