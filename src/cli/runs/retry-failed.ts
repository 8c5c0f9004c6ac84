// `rouse runs retry --failed`: makes new runs of all that failed or timed out within a time. First a plan, then short
// transactions of a few runs each. A run that was retried says so, so that the command can be repeated after it was
// stopped in the middle, and two of them at once retry each run once.
import {
  byCount,
  type FailedStore,
  planRetries,
  type Retried,
  retryAll,
  type RetryPlan,
  retryResource,
  type Selection,
} from "../../api/actions/retry-failed.ts";
import type { FailedRuns } from "../../core/run.ts";
import type { Store } from "../../store/ports/store.ts";
import { type Context, WrongUsage } from "../command.ts";
import { confirmed } from "../terminal/confirm.ts";
import { processTerminal, type Terminal } from "../terminal/person.ts";
import { withStore } from "../open/store.ts";
import { configFlag, jsonFlag, readArguments, readWholeNumber } from "../terminal/arguments.ts";
import { noteLine, printJson, printLine } from "../terminal/output.ts";
import { createProgress } from "../terminal/progress.ts";
import { readSince, sinceMoment } from "../terminal/since.ts";

export const retryFlags = {
  ...configFlag,
  ...jsonFlag,
  failed: { type: "boolean" },
  since: { type: "string" },
  hook: { type: "string" },
  agent: { type: "string" },
  limit: { type: "string" },
  "dry-run": { type: "boolean" },
  yes: { type: "boolean" },
} as const;

/** For one run there is an id, which `--failed` excludes. */
export const isRetryOfMany = ([verb, ...rest]: readonly string[]): boolean =>
  verb === "retry" && rest.some((each) => /^--(failed|since|dry-run|yes)(=|$)/.test(each));

export function retryFailed(
  context: Context,
  terminal: Terminal = processTerminal(context),
): Promise<number> {
  const asked = readAsked(context, terminal);
  const { json, dryRun, yes } = asked;
  return withStore(context, asked.config, async (store, config) => {
    const runs = await selectionOf(store, asked);
    const plan = await planRetries(store, { runs, limit: asked.limit });
    if (!json) printPlan(context, plan, runs);
    if (!json && plan.count === 0) return 0;
    if (dryRun)
      return printEnd(context, "Nothing was queued: --dry-run.", json && retryResource(plan, runs, null));
    if (!yes && plan.count > 0 && !(await confirmed(terminal, question(plan.count)))) {
      noteLine(context, "Nothing was queued.");
      return 1;
    }
    if (plan.count > 0) context.audit({ verb: "run.retry", subject: subjectOf(runs), store: config.store });
    const retried = await retryWithProgress(store, { runs, limit: plan.count }, context);
    printEnd(context, done(retried.queued.length), json && retryResource(plan, runs, retried));
    for (const { id, reason } of retried.unreadable)
      noteLine(context, `Run ${id} cannot be retried: what it was asked to do cannot be read (${reason}).`);
    return retried.unreadable.length === 0 ? 0 : 1;
  });
}

const subjectOf = ({ endedFrom, hook, agentId }: FailedRuns): string =>
  [
    `failed since ${new Date(endedFrom).toISOString()}`,
    ...(hook === null ? [] : [`hook ${hook}`]),
    ...(agentId === null ? [] : [`agent ${agentId}`]),
  ].join(", ");

type Asked = ReturnType<typeof readAsked>;

function readAsked(context: Context, { isInteractive }: Terminal) {
  const { values, positionals } = readArguments(context, retryFlags);
  if (positionals.length > 1)
    throw new WrongUsage("Give either an id, or --failed with --since for all that failed.");
  if (!values.failed) throw new WrongUsage("To retry several runs, say which: --failed --since 1h");
  if (values.since === undefined)
    throw new WrongUsage("--failed needs --since: how far back, such as --since 1h");
  const { json = false, yes = false, "dry-run": dryRun = false, config, hook = null, agent } = values;
  const limit =
    values.limit === undefined ? Infinity : readWholeNumber("--limit", values.limit, 1, 1_000_000);
  const since = readSince(values.since);
  if (!dryRun && !yes && (json || !isInteractive))
    throw new WrongUsage("Nobody can be asked here: say --yes, or --dry-run to see the plan.");
  const agentId = agent?.trim().toLowerCase() ?? null;
  return { json, yes, dryRun, config, hook, agentId, limit, since };
}

function printEnd(context: Context, sentence: string, resource: object | false): 0 {
  if (resource) printJson(context, resource);
  else printLine(context, sentence);
  return 0;
}

async function selectionOf(
  store: Pick<Store, "databaseTime">,
  { since, hook, agentId }: Asked,
): Promise<FailedRuns> {
  const endedUntil = await store.databaseTime();
  return { endedFrom: sinceMoment(since, endedUntil), endedUntil, hook, agentId };
}

async function retryWithProgress(
  store: FailedStore,
  selection: Selection,
  context: Context,
): Promise<Retried> {
  const progress = createProgress(context);
  try {
    return await retryAll(store, selection, (queued) =>
      progress.show(`${queued} of ${selection.limit} runs are queued`),
    );
  } finally {
    progress.clear();
  }
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  byCount(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

const runsOf = (count: number): string => (count === 1 ? "1 run" : `${count} runs`);

function printPlan(
  context: Context,
  { count, hooks, agents, acted }: RetryPlan,
  { endedFrom }: FailedRuns,
): void {
  const since = new Date(endedFrom).toISOString();
  if (count === 0)
    return printLine(context, `No run that failed or timed out since ${since} is left to retry.`);
  printLine(context, `${runsOf(count)} that failed or timed out since ${since}, not retried yet:`);
  printLine(context, `  hooks:  ${listed(hooks)}`);
  printLine(context, `  agents: ${listed(agents)}`);
  if (acted > 0)
    printLine(context, `  ${acted} of them called a tool that changes something, and may do so again.`);
}

const question = (count: number): string => `Queue ${runsOf(count)} again?`;
const done = (count: number): string =>
  `${count === 0 ? "Nothing was" : count === 1 ? "1 run was" : `${count} runs were`} queued again.`;
