// Prints timelines of requests and runs.
import { durationWords, countWords, listWords } from "../../timeline/words.ts";
import type { Span, SpanKind } from "../../timeline/spans.ts";
import { spanKinds } from "../../timeline/spans.ts";
import type { Step } from "../../timeline/step.ts";
import type { Timeline, TimelineRun } from "../../timeline/timeline.ts";
import type { Context } from "../command.ts";
import { painter } from "../terminal/output.ts";
import { safeLine, wrap } from "../terminal/text.ts";
import { dayWords, type LineOptions, stepLines } from "./lines.ts";

type Printed = Pick<LineOptions, "isFull" | "headers">;

export function printTimeline(context: Context, timeline: Timeline, printed: Printed): void {
  const { steps, runs } = timeline;
  const print = createStepPrinter(context, timeline.beganAt, printed);
  const several = runs.length > 1;
  printHead(context, timeline);
  for (const [at, step] of steps.entries()) {
    const run = runs.find(({ id }) => id === step.runId);
    const isFirst = steps[at - 1]?.runId !== step.runId;
    if (several && isFirst && run) context.stdout.write(`\n${runLine(run)}\n`);
    else if (several && isFirst && at > 0) context.stdout.write("\n");
    print(step);
  }
}

export function printHead(context: Context, timeline: Timeline): void {
  for (const line of headLines(timeline))
    for (const part of context.columns === null ? [line] : wrap(line, context.columns))
      context.stdout.write(`${part}\n`);
}

/** Prints one step after the other, and the day where it changes. */
export function createStepPrinter(context: Context, beganAt: number, printed: Printed): (step: Step) => void {
  const options: LineOptions = { columns: context.columns, paint: painter(context), ...printed };
  let previous: number | null = null;
  let runId: string | null = null;
  let day = dayWords(beganAt);
  return (step) => {
    if (step.runId !== runId) previous = null;
    runId = step.runId;
    if (step.at !== null && dayWords(step.at) !== day) {
      day = dayWords(step.at);
      context.stdout.write(`${options.paint("dim", day)}\n`);
    }
    for (const line of stepLines(step, previous, options)) context.stdout.write(`${line}\n`);
    previous = step.at ?? previous;
  };
}

function headLines(timeline: Timeline): string[] {
  const { requestId, hook, status, beganAt, runs, tookMs, endedAt, spans } = timeline;
  const [run] = runs;
  const about = listWords([
    hook !== "" && `hook ${hook}`,
    runs.length > 1 && countWords(runs.length, "run"),
    runs.length === 1 && run !== undefined && runWords(run),
  ]);
  const taken = endedAt === null ? `${durationWords(tookMs)} so far` : `took ${durationWords(tookMs)}`;
  return [
    listWords([
      requestId === null ? (run ? `run ${run.id}` : "") : `request ${requestId}`,
      requestId !== null && runs.length === 1 && run !== undefined && `run ${run.id}`,
      status,
    ]),
    safeLine(about),
    `${dayWords(beganAt)}, times in UTC, ${taken}${runs.length > 1 ? "" : spanWords(spans)}`,
    "",
  ];
}

const runWords = ({ name, agentId, isolated, sessionKey, kind }: TimelineRun): string =>
  listWords([
    kind === "heartbeat" && "heartbeat",
    name !== null && `"${name}"`,
    `agent ${agentId}`,
    !isolated && kind === "hook" && `conversation ${sessionKey}`,
  ]);

const runLine = (run: TimelineRun): string => safeLine(`run ${run.id}, ${run.status}, ${runWords(run)}`);

/** Where the time went, by kind, in the order of the bar. */
function spanWords(spans: readonly Span[]): string {
  const sums = new Map<SpanKind, number>();
  for (const { kind, begin, end } of spans) sums.set(kind, (sums.get(kind) ?? 0) + end - begin);
  const parts = spanKinds.flatMap((kind) =>
    sums.has(kind) ? [`${kind} ${durationWords(sums.get(kind) ?? 0)}`] : [],
  );
  return parts.length < 2 ? "" : `: ${parts.join(", ")}`;
}
