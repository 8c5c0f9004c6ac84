// The attempts of a run as steps. One whose gateway stopped left no record: its number is missing.
import type { AttemptRecord } from "../core/attempt-record.ts";
import type { Run } from "../core/run.ts";
import type { RunFacts } from "./facts.ts";
import { draft, type Detail, type Draft, type StepFacts, type StepState } from "./step.ts";
import { beganAt } from "./wait-steps.ts";
import { countWords, durationWords, listWords, reasonWords } from "./words.ts";

/** More than any configuration allows; the oldest are left out. */
const mostShown = 100;

export function attemptSteps(facts: RunFacts, now: number): Draft[] {
  const { run, attempts, prompt } = facts;
  const records = new Map(attempts.map((each) => [each.number, each]));
  if (attempts.length === 0 && run.endedAt !== null && run.attempts > 0) return [unrecorded(facts)];
  const wasStarted = run.status === "running" || run.nextTryAt !== null || prompt !== null;
  const last = Math.max(attempts.at(-1)?.number ?? 0, wasStarted ? run.attempts : 0);
  const numbers = Array.from(
    { length: Math.min(last, mostShown) },
    (_, at) => Math.max(0, last - mostShown) + at + 1,
  );
  const steps = numbers.map((number) => {
    const record = records.get(number);
    if (record) return recorded(record, run, now);
    if (number < last) return lost(number, startOf(number, facts));
    if (run.status === "running") return running(facts, number, now);
    if (run.endedAt !== null || run.nextTryAt !== null) return unrecorded(facts);
    return lost(number, startOf(number, facts));
  });
  return run.endedAt === null && run.status !== "running" ? [...steps, toCome(run, last + 1, now)] : steps;
}

/** When an attempt without a record began, as far as the others say. */
function startOf(number: number, facts: RunFacts): number | null {
  if (number === 1) return beganAt(facts);
  const before = facts.attempts.find((each) => each.number === number - 1);
  return before ? (before.nextTryAt ?? before.endedAt) : null;
}

const noFacts: Omit<StepFacts["attempt"], "number"> = {
  node: null,
  outcome: null,
  reason: null,
  nextTryAt: null,
  toolCalls: 0,
  failedCalls: 0,
  limitAt: null,
};

const stateOf = (outcome: AttemptRecord["outcome"]): StepState =>
  outcome === "succeeded" || outcome === "released" || outcome === "cancelled" ? "done" : "failed";

function recorded(record: AttemptRecord, run: Run, now: number): Draft {
  const { number, node, outcome, reason, toolCalls, startedAt, endedAt, nextTryAt } = record;
  const failedCalls = toolCalls.filter(({ ok }) => ok === false).length;
  const durationMs = Math.max(0, endedAt - startedAt);
  return draft("attempt", {
    state: stateOf(outcome),
    at: startedAt,
    durationMs,
    title: `Attempt ${number}`,
    text: listWords([
      outcomeWords(record, run.agentId, durationMs),
      toolCalls.length > 0 && countWords(toolCalls.length, "tool call"),
      failedCalls > 0 && `${failedCalls} of them failed`,
      nextTryAt !== null && nextTryWords(nextTryAt, endedAt, now),
    ]),
    facts: { ...noFacts, number, node, outcome, reason, nextTryAt, toolCalls: toolCalls.length, failedCalls },
    details: toolCalls.map((call): Detail => ({ kind: "tool-call", at: startedAt + call.atMs, ...call })),
  });
}

function outcomeWords({ outcome, reason, node }: AttemptRecord, agentId: string, durationMs: number): string {
  const by = `${agentId} on ${node}`;
  const took = durationWords(durationMs);
  switch (outcome) {
    case "succeeded":
      return `${by}, ${took}`;
    case "released":
      return `${by} for ${took}, stopped with its gateway and not counted`;
    case "cancelled":
      return `${by}, cancelled after ${took}`;
    case "timed-out":
      return `${by}, timed out after ${took}`;
    case "failed":
    case "retry":
      return `${by}, failed after ${took}: ${reason === null ? "no reason is kept" : reasonWords(reason)}`;
  }
}

const nextTryWords = (nextTryAt: number, endedAt: number, now: number): string =>
  `${nextTryAt > now ? "next try" : "tried again"} after ${durationWords(nextTryAt - endedAt)}`;

const lost = (number: number, at: number | null): Draft =>
  draft("attempt", {
    state: "failed",
    at,
    title: `Attempt ${number}`,
    text: "its gateway stopped before it ended",
    facts: { ...noFacts, number, outcome: "lost" },
  });

function running(facts: RunFacts, number: number, now: number): Draft {
  const { run } = facts;
  const at = startOf(number, facts);
  const { timeoutSeconds } = run.request;
  const limitAt = at === null || timeoutSeconds === null ? null : at + timeoutSeconds * 1000;
  const durationMs = at === null ? null : Math.max(0, now - at);
  return draft("attempt", {
    state: "now",
    at,
    durationMs,
    title: `Attempt ${number}`,
    text: `${run.agentId} is at work${durationMs === null ? "" : `, for ${durationWords(durationMs)} now`}`,
    facts: { ...noFacts, number, outcome: "running", limitAt },
    details: run.lastLine === null ? [] : [{ kind: "text", label: "last line", text: run.lastLine }],
  });
}

/** Of an attempt that ended while nothing was kept of it, or of which nothing is kept any more. */
function unrecorded(facts: RunFacts): Draft {
  const { run, attempts } = facts;
  const { endedAt, status, error } = run;
  const at = run.attempts === 1 ? beganAt(facts) : null;
  const isFirst = run.attempts === 1 || attempts.length > 0;
  const before = isFirst ? "" : `, the last of ${run.attempts}, of which nothing is kept`;
  const why = error === null ? "" : `: ${reasonWords(error)}`;
  return draft("attempt", {
    state: endedAt === null || status === "failed" || status === "timed-out" ? "failed" : "done",
    at,
    durationMs: at === null || endedAt === null ? null : Math.max(0, endedAt - at),
    title: `Attempt ${run.attempts}`,
    text: `${run.agentId}, ${endedAt === null ? "failed" : status}${before}${why}`,
    facts: { ...noFacts, number: run.attempts, reason: error },
  });
}

function toCome(run: Run, number: number, now: number): Draft {
  const { nextTryAt } = run;
  const text =
    nextTryAt === null
      ? "to come"
      : nextTryAt > now
        ? `at ${new Date(nextTryAt).toISOString().slice(11, 19)}, in ${durationWords(nextTryAt - now)}`
        : "as soon as a slot is free";
  const facts = { ...noFacts, number, nextTryAt };
  return draft("attempt", { state: "to-come", title: `Attempt ${number}`, text, facts });
}
