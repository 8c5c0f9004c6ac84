// `rouse runs show ID`: one run with its way, its prompt and its reply; with --follow its steps as they come.
import { UsageError } from "../../core/errors.ts";
import type { Run } from "../../core/run.ts";
import type { TranscriptTurn } from "../../core/transcript.ts";
import type { Store } from "../../store/ports/store.ts";
import { type FactsStore, factsOfRun } from "../../timeline/gather.ts";
import { stepResource } from "../../timeline/resource.ts";
import type { Step } from "../../timeline/step.ts";
import { type Timeline, timelineOf } from "../../timeline/timeline.ts";
import { runDetails } from "../../api/details.ts";
import { runResource } from "../../api/resources.ts";
import { type Context, WrongUsage } from "../command.ts";
import { configFlag, jsonFlag, readArguments, refuseMore } from "../terminal/arguments.ts";
import { noteLine, printJson } from "../terminal/output.ts";
import { withStore } from "../open/store.ts";
import { createPauses } from "./pause.ts";
import { createStepPrinter, printHead, printTimeline } from "./print.ts";

export const showRunFlags = {
  ...configFlag,
  ...jsonFlag,
  follow: { type: "boolean" },
} as const;

const pollMs = 500;

/** `find` resolves to the run that an id, or the beginning of one, names. */
export function showRun(context: Context, find: (store: Store, id: string) => Promise<Run>): Promise<number> {
  const { values, positionals } = readArguments(context, showRunFlags);
  const [, id] = positionals;
  if (id === undefined) throw new WrongUsage("Which run? Give its id: runs show ID");
  refuseMore(positionals, 2);
  const json = values.json === true;
  return withStore(context, values.config, async (store) => {
    const run = await find(store, id);
    if (values.follow) return follow(context, store, run.id, json);
    if (json) {
      printJson(context, { ...runResource(run), ...(await runDetails(store, run)) });
      return 0;
    }
    const turns = await store.listTurns({ runId: run.id });
    printTimeline(context, withPrompt(await timelineOfRun(store, run), turns), {
      isFull: true,
      headers: false,
    });
    return 0;
  });
}

async function timelineOfRun(store: FactsStore & Pick<Store, "databaseTime">, run: Run): Promise<Timeline> {
  return timelineOf(await factsOfRun(store, run), await store.databaseTime());
}

/** The prompt's text below its step. */
function withPrompt(timeline: Timeline, turns: readonly TranscriptTurn[]): Timeline {
  const prompt = turns.find(({ role }) => role === "user")?.text;
  if (prompt === undefined) return timeline;
  const steps = timeline.steps.map((step): Step =>
    step.kind === "prompt"
      ? { ...step, details: [...step.details, { kind: "text", label: "prompt", text: prompt }] }
      : step,
  );
  return { ...timeline, steps };
}

type FollowStore = FactsStore & Pick<Store, "databaseTime">;

/** Resolves to 0 when the run has succeeded, and to 1 when it ended otherwise or nobody waited for its end. */
async function follow(context: Context, store: FollowStore, id: string, json: boolean): Promise<number> {
  const pauses = createPauses(context);
  const printed = new Map<string, string>();
  let print: ((step: Step) => void) | null = null;
  for (;;) {
    const run = await store.findRun(id);
    if (run === null) throw new UsageError(`Run ${id} is not in the store any more.`);
    const timeline = await timelineOfRun(store, run);
    print ??= startPrinting(context, timeline, json);
    for (const step of newSteps(timeline.steps, printed, run.endedAt !== null)) print(step);
    if (run.endedAt !== null) return run.status === "succeeded" ? 0 : 1;
    await pauses.wait(pollMs);
    if (pauses.isStopped) {
      noteLine(context, `Stopped looking. The run is ${run.status}, and goes on by itself.`);
      return 1;
    }
  }
}

function startPrinting(context: Context, timeline: Timeline, json: boolean): (step: Step) => void {
  if (json) return (step) => printJson(context, stepResource(step));
  printHead(context, timeline);
  return createStepPrinter(context, timeline.beganAt, { isFull: true, headers: false });
}

/** In order, up to the first that goes on or is to come. One that goes on is printed again when it is over. */
export function newSteps(steps: readonly Step[], printed: Map<string, string>, isOver: boolean): Step[] {
  const found: Step[] = [];
  for (const step of steps) {
    if (!isOver && step.state === "to-come") break;
    const key = keyOf(step);
    if (printed.get(key) !== step.state) found.push(step);
    printed.set(key, step.state);
    if (!isOver && step.state === "now") break;
  }
  return found;
}

function keyOf(step: Step): string {
  if (step.kind === "attempt") return `attempt ${step.facts.number}`;
  if (step.kind === "delivered") return `delivered ${step.facts.deliveryId}`;
  return step.kind;
}
