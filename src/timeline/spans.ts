// Where the time of a run went: spans that follow one another without a gap, from its acceptance to its end or to now.
import type { AttemptRecord } from "../core/attempt-record.ts";
import type { Delivery } from "../core/delivery.ts";
import { largest } from "../core/largest.ts";
import type { Run } from "../core/run.ts";
import type { SystemEvent } from "../core/system-event.ts";
import type { RunFacts } from "./facts.ts";
import { beganAt } from "./wait-steps.ts";

/** `paused`: until the next try. */
export const spanKinds = ["waited", "worked", "failed", "paused", "sending"] as const;
export type SpanKind = (typeof spanKinds)[number];

export type Span = {
  readonly kind: SpanKind;
  /** Null: of a note. */
  readonly runId: string | null;
  /** In ms since the epoch. */
  readonly begin: number;
  readonly end: number;
  /** It goes on. */
  readonly isOpen: boolean;
};

type Part = { kind: SpanKind; begin: number; end: number };

/** The end of the run and of everything that it sent; null while something goes on. */
export function endOf({ run, deliveries }: Pick<RunFacts, "run" | "deliveries">): number | null {
  if (run.endedAt === null || deliveries.some(({ status }) => status === "waiting")) return null;
  return largest([run.endedAt, ...deliveries.map(overAt)]);
}

/** Of one that does not wait. */
const overAt = ({ endedAt, createdAt }: Pick<Delivery, "endedAt" | "createdAt">): number =>
  endedAt ?? createdAt;

export function spansOf(facts: RunFacts, now: number): Span[] {
  const { run } = facts;
  const end = endOf(facts);
  const whole = { runId: run.id, begin: run.createdAt, end: end ?? now, isOpen: end === null };
  return joined(partsOf(facts, end ?? now), whole);
}

function partsOf(facts: RunFacts, end: number): Part[] {
  const { run } = facts;
  const began = beganAt(facts) ?? run.endedAt ?? end;
  return [
    { kind: "waited", begin: run.createdAt, end: began },
    ...workParts(facts, began, run.endedAt ?? end),
    ...sendingParts(facts, end),
  ];
}

function workParts({ run, attempts }: RunFacts, began: number, end: number): Part[] {
  const parts: Part[] = [];
  let at = began;
  let number = 0;
  const lostUntil = (next: number) => {
    // Between two records is the wait that the first one says; the rest was the work of an attempt that is lost.
    if (number > 0)
      parts.push({ kind: "paused", begin: at, end: Math.min(next, at + pauseAfter(attempts, number)) });
    parts.push({ kind: "failed", begin: at, end: next });
  };
  for (const record of attempts) {
    if (record.number > number + 1) lostUntil(record.startedAt);
    // What comes before the first attempt is no pause between two.
    else parts.push({ kind: number === 0 ? "waited" : "paused", begin: at, end: record.startedAt });
    parts.push({ kind: kindOf(record), begin: record.startedAt, end: record.endedAt });
    at = record.endedAt;
    number = record.number;
  }
  return [...parts, ...lastParts(run, { at, number, end, pausedMs: pauseAfter(attempts, number) })];
}

function pauseAfter(attempts: readonly AttemptRecord[], number: number): number {
  const record = attempts.find((each) => each.number === number);
  return record?.nextTryAt == null ? 0 : Math.max(0, record.nextTryAt - record.endedAt);
}

/** What came after the last record. */
function lastParts(run: Run, last: { at: number; number: number; end: number; pausedMs: number }): Part[] {
  const { at, number, end, pausedMs } = last;
  if (run.attempts <= number) {
    const isQueued = run.endedAt === null && run.status === "queued";
    return isQueued && number > 0 ? [{ kind: "paused", begin: at, end }] : [];
  }
  const from = Math.min(end, at + pausedMs);
  const worked = run.status === "running" || run.status === "succeeded" || run.status === "cancelled";
  return [
    { kind: "paused", begin: at, end: from },
    { kind: worked ? "worked" : "failed", begin: from, end },
  ];
}

const kindOf = ({ outcome }: Pick<AttemptRecord, "outcome">): SpanKind =>
  outcome === "succeeded" || outcome === "cancelled" || outcome === "released" ? "worked" : "failed";

function sendingParts({ run, deliveries }: Pick<RunFacts, "run" | "deliveries">, end: number): Part[] {
  if (run.endedAt === null) return [];
  return deliveries
    .filter(({ status }) => status !== "suppressed")
    .map((each): Part => ({
      kind: "sending",
      begin: each.createdAt,
      end: each.status === "waiting" ? end : overAt(each),
    }))
    .toSorted((one, other) => one.end - other.end);
}

/** Parts in order, cut where they overlap; what is between them was waited. Clocks can be set, so any part may be odd. */
function joined(parts: readonly Part[], whole: Omit<Span, "kind">): Span[] {
  const { runId, isOpen } = whole;
  const end = Math.max(whole.begin, whole.end);
  const spans: Span[] = [];
  let at = whole.begin;
  const add = (kind: SpanKind, until: number) => {
    const last = spans.at(-1);
    if (until <= at) return;
    if (last?.kind === kind && kind !== "failed") spans[spans.length - 1] = { ...last, end: until };
    else spans.push({ kind, runId, begin: at, end: until, isOpen: false });
    at = until;
  };
  for (const part of parts) {
    add("waited", Math.min(part.begin, end));
    add(part.kind, Math.min(part.end, end));
  }
  add("waited", end);
  const last = spans.at(-1);
  return last && isOpen ? [...spans.slice(0, -1), { ...last, isOpen }] : spans;
}

/** A note waits until a turn of the main session has shown it. */
export const noteSpan = ({ createdAt, shownAt }: SystemEvent, now: number): Span => ({
  kind: "waited",
  runId: null,
  begin: createdAt,
  end: Math.max(createdAt, shownAt ?? now),
  isOpen: shownAt === null,
});

type BarRun = Pick<Run, "id" | "status" | "attempts" | "createdAt" | "startedAt" | "endedAt" | "nextTryAt">;

/** From rows of lists alone: attempts are not told apart. */
export function barOf(
  run: BarRun,
  delivery: Pick<Delivery, "status" | "createdAt" | "endedAt"> | null,
  now: number,
): Span[] {
  const isSending = delivery?.status === "waiting";
  const isOpen = run.endedAt === null || isSending;
  const sent =
    delivery === null || delivery.status === "suppressed" ? null : isSending ? now : overAt(delivery);
  const end = isOpen ? now : Math.max(run.endedAt ?? now, sent ?? 0);
  const waits =
    run.endedAt === null && (run.status === "parked" || (run.status === "queued" && run.nextTryAt === null));
  const began = waits ? end : (run.startedAt ?? run.endedAt ?? end);
  const failed = run.status === "failed" || run.status === "timed-out" || run.nextTryAt !== null;
  const parts: Part[] = [
    { kind: "waited", begin: run.createdAt, end: began },
    {
      kind: run.nextTryAt !== null ? "paused" : failed ? "failed" : "worked",
      begin: began,
      end: run.endedAt ?? end,
    },
    { kind: "sending", begin: run.endedAt ?? end, end: sent ?? 0 },
  ];
  return joined(parts, { runId: run.id, begin: run.createdAt, end, isOpen });
}
