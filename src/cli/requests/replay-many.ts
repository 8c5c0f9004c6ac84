// `rouse requests replay --since`: a plan first, then one request after another at a rate. It can be stopped at any time,
// and says how to go on.
import { defaultPerMinute, mostPerMinute, planResource } from "../../api/actions/replay.ts";
import type { Config } from "../../config/config.ts";
import { newId } from "../../core/id.ts";
import type { ManyEnd, ManyResult } from "../../hooks/replay/many.ts";
import { planReplay, type ReplayPlan } from "../../hooks/replay/plan.ts";
import { replayMany } from "../../hooks/replay/many.ts";
import type { Selection } from "../../hooks/replay/selection.ts";
import { type Context, WrongUsage } from "../command.ts";
import { withHooks } from "../open/hooks.ts";
import { loadSettings } from "../open/settings.ts";
import { withStore } from "../open/store.ts";
import { configFlag, jsonFlag, readArguments, readWholeNumber } from "../terminal/arguments.ts";
import { confirmed } from "../terminal/confirm.ts";
import { noteLine, printJson, printLine } from "../terminal/output.ts";
import { processTerminal, type Terminal } from "../terminal/person.ts";
import { createProgress } from "../terminal/progress.ts";
import { replayParts } from "./parts.ts";
import { planLines } from "./plan-words.ts";
import { readSelection, selectFlags, selectionOf, selectionWords } from "./select.ts";

export const manyFlags = {
  ...selectFlags,
  again: { type: "boolean" },
  batch: { type: "string" },
  "dry-run": { type: "boolean" },
  "per-minute": { type: "string" },
  yes: { type: "boolean" },
} as const;

export async function replayMatching(
  context: Context,
  terminal: Terminal = processTerminal(context),
): Promise<number> {
  const asked = readAsked(context, terminal);
  const loaded = await loadSettings(context, asked.config);
  return withStore(context, asked.config, (store, config) =>
    withHooks(loaded, async (settings) => {
      const selection = await selectionOf(store, asked.selection);
      const parts = replayParts(context, { store, config, settings });
      const now = context.clock.now();
      const deps = { store, settings, now };
      const plan = await planReplay(selection, deps, { again: asked.again });
      return carryOut(context, terminal, { asked, selection, plan, parts, store: config.store });
    }),
  );
}

type Asked = ReturnType<typeof readAsked>;
type Work = {
  asked: Asked;
  selection: Selection;
  plan: ReplayPlan;
  parts: ReturnType<typeof replayParts>;
  store: Config["store"];
};

async function carryOut(context: Context, terminal: Terminal, work: Work): Promise<number> {
  const { asked, selection, plan } = work;
  const { json, dryRun, yes } = asked;
  if (!json) for (const line of planLines(plan, selection, asked.perMinute)) printLine(context, line);
  if (plan.ids.length === 0 || dryRun) {
    if (json) printJson(context, planResource(plan, selection, asked.perMinute));
    else if (dryRun && plan.ids.length > 0) printLine(context, "Nothing was replayed: --dry-run.");
    return 0;
  }
  if (!yes && !(await confirmed(terminal, `Replay ${requestsOf(plan.ids.length)}?`))) {
    noteLine(context, "Nothing was replayed.");
    return 1;
  }
  const subject = `${selectionWords(selection)}, batch ${asked.batch}`;
  context.audit({ verb: "request.replay", subject, store: work.store });
  return replayAll(context, work);
}

function readAsked(context: Context, { isInteractive }: Terminal) {
  const { values, positionals } = readArguments(context, { ...configFlag, ...jsonFlag, ...manyFlags });
  if (positionals.length > 0) throw new WrongUsage("Give either an id, or --since for all since a time.");
  const selection = readSelection(values, "To replay several requests, requests replay");
  const { json = false, yes = false, "dry-run": dryRun = false, again = false, config } = values;
  const batch = values.batch ?? newId();
  if (!/^[\w-]{1,64}$/.test(batch)) throw new WrongUsage("--batch must be one that a replay has named.");
  const perMinute =
    values["per-minute"] === undefined
      ? defaultPerMinute
      : readWholeNumber("--per-minute", values["per-minute"], 1, mostPerMinute);
  if (!dryRun && !yes && (json || !isInteractive))
    throw new WrongUsage("Nobody can be asked here: say --yes, or --dry-run to see the plan.");
  return { selection, json, yes, dryRun, again, batch, perMinute, config };
}

async function replayAll(context: Context, { asked, selection, plan, parts }: Work): Promise<number> {
  const stop = new AbortController();
  context.onStopSignal(() => (stop.signal.aborted ? context.exit(1) : stop.abort()));
  const results: ManyResult[] = [];
  const progress = createProgress(context);
  const { batch, again, perMinute, json } = asked;
  const { ids } = plan;
  const onEach = (result: ManyResult): void => {
    results.push(result);
    progress.show(`${results.length} of ${requestsOf(ids.length)} are replayed`);
  };
  const goOn = (): string => goOnLine(selection, asked, limitLeft(asked, ids.length, results));
  try {
    const options = { ids, batch, onlyOnce: !again, perMinute, signal: stop.signal, onEach };
    const end = await replayMany(options, parts);
    progress.clear();
    if (json) printJson(context, { ...planResource(plan, selection, perMinute), batch, replayed: results });
    else printLine(context, endSentence(results));
    if (end.stopped !== null) noteLine(context, `${stopSentence(end, ids.length)} ${goOn()}`);
    return end.stopped === null && results.every(isGood) ? 0 : 1;
  } catch (fault) {
    progress.clear();
    noteLine(context, `${endSentence(results)} Then it could not go on. ${goOn()}`);
    throw fault;
  }
}

const isGood = (result: ManyResult): boolean =>
  !("cannot" in result) && !("outcome" in result && ["refused", "failed"].includes(result.outcome));

const requestsOf = (count: number): string => (count === 1 ? "1 request" : `${count} requests`);

function endSentence(results: readonly ManyResult[]): string {
  const counts = new Map<string, number>();
  for (const result of results) {
    const word =
      "outcome" in result
        ? result.outcome
        : "cannot" in result
          ? "not possible"
          : result.left === "before"
            ? "done before"
            : "gone meanwhile";
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  if (results.length === 0) return "Nothing was replayed.";
  const listed = [...counts].map(([word, count]) => `${word} ${count}`).join(", ");
  return `${requestsOf(results.length)} replayed: ${listed}.`;
}

const stopSentence = ({ done, stopped }: ManyEnd, all: number): string =>
  stopped === "full"
    ? `Stopped: too many runs are waiting (hooks.maxQueued). ${requestsOf(all - done)} left.`
    : `Stopped. ${requestsOf(all - done)} left.`;

/** Requests of which a replay was accepted are no longer selected. */
function limitLeft(
  { again, selection: { limit } }: Asked,
  planned: number,
  results: readonly ManyResult[],
): number | null {
  if (limit === null || again) return limit;
  return planned - results.filter((result) => "outcome" in result && result.outcome === "accepted").length;
}

/** The same selection with its times fixed, so that nothing newer comes in. */
function goOnLine(
  { hooks, since, until, outcomes, statuses }: Selection,
  { batch, perMinute, again, config }: Asked,
  limit: number | null,
): string {
  const words = [
    ...hooks.flatMap((hook) => ["--hook", shellWord(hook)]),
    "--since",
    new Date(since).toISOString(),
    "--until",
    new Date(until).toISOString(),
    ...outcomes.flatMap((outcome) => ["--outcome", outcome]),
    ...statuses.flatMap((status) => ["--status", status]),
    ...(limit === null ? [] : ["--limit", String(limit)]),
    ...(again ? ["--again"] : []),
    ...(perMinute === defaultPerMinute ? [] : ["--per-minute", String(perMinute)]),
    "--batch",
    batch,
    ...(config === undefined ? [] : ["--config", shellWord(config)]),
  ];
  return `Go on with: rouse requests replay ${words.join(" ")}`;
}

const shellWord = (text: string): string =>
  /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
