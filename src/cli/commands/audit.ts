// `rouse audit`: lists what operators did, through commands, the API and the console.
import type { AuditEntry } from "../../core/audit.ts";
import { auditResource, shortTime } from "../../api/resources.ts";
import { collectFound } from "../../store/create/searches.ts";
import type { Command, Context } from "../command.ts";
import { WrongUsage } from "../command.ts";
import { withStore } from "../open/store.ts";
import { readTimes, timeFlags } from "../runs/filters.ts";
import { configFlag, jsonFlag, readArguments, readWholeNumber, refuseMore } from "../terminal/arguments.ts";
import { printJsonList, printLine } from "../terminal/output.ts";
import { type Column, formatTable } from "../terminal/table.ts";

const flags = {
  ...configFlag,
  ...jsonFlag,
  ...timeFlags,
  limit: { type: "string" },
  all: { type: "boolean" },
} as const;

const defaultLimit = 50;

const columns: readonly Column<ReturnType<typeof auditResource>>[] = [
  { title: "CREATED", value: ({ createdAt }) => shortTime(createdAt) },
  { title: "ACTOR", value: ({ actor }) => actor },
  { title: "VERB", value: ({ verb }) => verb },
  { title: "OUTCOME", value: ({ outcome }) => outcome },
  { title: "SUBJECT", value: ({ subject }) => subject },
];

async function run(context: Context): Promise<number> {
  const { values, positionals } = readArguments(context, flags);
  refuseMore(positionals, 0);
  if (values.all && values.limit !== undefined)
    throw new WrongUsage("--all and --limit cannot both be given.");
  const written =
    values.limit === undefined ? defaultLimit : readWholeNumber("--limit", values.limit, 1, 1_000_000);
  const limit = values.all ? null : written;
  const timesOf = readTimes(values);
  return withStore(context, values.config, async (store) => {
    const search = await timesOf(store);
    const found = await collectFound<AuditEntry, number>(limit, (page) =>
      store.searchAudit({ ...search, ...page }),
    );
    const entries = found.map(auditResource);
    if (values.json) printJsonList(context, entries);
    else if (entries.length === 0) printLine(context, "No entries.");
    else context.stdout.write(formatTable(columns, entries, context.columns));
    return 0;
  });
}

export const command: Command = {
  name: "audit",
  summary: "list what operators did",
  help: `Usage: rouse audit [--since TIME] [--until TIME] [--limit N | --all] [--json] [--config FILE]

Lists what was changed by hand, newest first: through commands (the actor cli), the API and the console.
VERB is what was done, such as run.cancel or token.rotate; SUBJECT what it was done to: ids, names, a
filter, never a payload or a secret. OUTCOME is done, refused (it was not possible), or failed. Entries are
kept for 90 days.

Options:
  --since TIME   30m, 1h, 2d, or a time with its zone such as 2026-11-19T08:00:00Z
  --until TIME   likewise; without it, up to now
  --limit N      list at most N (default 50)
  --all          list all
  --json         one JSON array
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse audit --since 1d
  rouse audit --all --json`,
  syntax: { options: flags },
  run,
};
