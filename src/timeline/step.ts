// A step of a timeline: what happened, when, and how long it took. One that did not happen says why.
import type { AttemptEnd, ToolCall } from "../core/attempt-record.ts";
import type { DeliveryStatus } from "../core/delivery.ts";
import type { RequestOrigin, RequestOutcome, TriedMapping } from "../core/request.ts";
import type { RunStatus } from "../core/run.ts";
import type { Signals } from "../core/signals.ts";

/** `none`: it did not happen, and `text` says why. `waited`: time that passed until the next step. */
export const stepStates = ["done", "failed", "now", "to-come", "none", "waited"] as const;
export type StepState = (typeof stepStates)[number];

/** An outside text in a prompt, by its label. */
export type FencedText = { readonly label: string; readonly characters: number };

/** The fields of each kind of step. */
export type StepFacts = {
  received: {
    origin: RequestOrigin | null;
    method: string | null;
    target: string | null;
    address: string | null;
    bytes: number | null;
    credential: string | null;
    event: string | null;
    delivery: string | null;
    hasBody: boolean;
    replayOf: string | null;
  };
  /** Also of a request that was refused: `outcome` says so. */
  decided: {
    outcome: RequestOutcome;
    mapping: string | null;
    /** Of the mapping that took it. */
    filters: number;
    allowed: boolean | null;
    reason: string | null;
    /** How many other requests were refused for the same reason. */
    others: number;
  };
  stored: { runIds: readonly string[]; eventIds: readonly string[]; more: number };
  answered: { status: number | null; asAccepted: boolean };
  waited: { behind: string | null; parked: boolean };
  prompt: {
    characters: number | null;
    texts: readonly FencedText[];
    signals: Signals | null;
  };
  attempt: {
    number: number;
    node: string | null;
    /** `running` now; `lost`: its gateway stopped; null: nothing of it is kept. */
    outcome: AttemptEnd | "running" | "lost" | null;
    reason: string | null;
    nextTryAt: number | null;
    toolCalls: number;
    failedCalls: number;
    /** While it runs: when its time is over, where that is known. */
    limitAt: number | null;
  };
  reply: {
    characters: number | null;
    inputTokens: number;
    outputTokens: number;
    cost: number;
  };
  delivered: {
    deliveryId: string | null;
    channel: string | null;
    to: string | null;
    status: DeliveryStatus | null;
    attempts: number;
    sentMessages: number;
    error: string | null;
  };
  summary: { eventId: string | null; shownAt: number | null };
  /** Of a wake: the note that it left for the main session. */
  note: { eventId: string; shownAt: number | null };
  /** A new run with the same request. */
  retried: { runId: string; status: RunStatus | null };
  /** The same body through the present configuration, as a request of its own. */
  replayed: { requestId: string; outcome: RequestOutcome };
};
export type StepKind = keyof StepFacts;

/** What stands below a step. */
export type Detail =
  | ({ readonly kind: "mapping" } & TriedMapping)
  | { readonly kind: "policy"; readonly allowed: boolean; readonly reason: string | null }
  | { readonly kind: "header"; readonly name: string; readonly value: string }
  | ({ readonly kind: "tool-call"; readonly at: number } & ToolCall)
  | { readonly kind: "text"; readonly label: string; readonly text: string };

export type StepOf<Kind extends StepKind> = {
  readonly kind: Kind;
  /** The run whose step it is; null: the request's. */
  readonly runId: string | null;
  readonly state: StepState;
  /** When it happened or began, in ms since the epoch; null where that is not known, or it has no moment. */
  readonly at: number | null;
  /** Since the step before; null where either is not known. */
  readonly sinceMs: number | null;
  readonly durationMs: number | null;
  readonly title: string;
  /** One plain sentence without its full stop. It may hold outside text. */
  readonly text: string;
  readonly facts: StepFacts[Kind];
  readonly details: readonly Detail[];
};
export type Step = { [Kind in StepKind]: StepOf<Kind> }[StepKind];

/** A step before its place among the others is known. */
export type Draft = { [Kind in StepKind]: Omit<StepOf<Kind>, "sinceMs" | "runId"> }[StepKind];

type Written<Kind extends StepKind> = Pick<StepOf<Kind>, "state" | "title" | "text" | "facts"> &
  Partial<Pick<StepOf<Kind>, "at" | "durationMs" | "details">>;

export const draft = <Kind extends StepKind>(kind: Kind, written: Written<Kind>): Draft =>
  ({ kind, at: null, durationMs: null, details: [], ...written }) as Draft;

/**
 * Adds the times between the steps. Clocks can be set, and an attempt's begin is laid back from its end: no step is
 * before the one above it.
 */
export function timed(drafts: readonly Draft[], runId: string | null, after: number | null): Step[] {
  let before = after;
  return drafts.map((each) => {
    const at = each.at === null ? null : Math.max(each.at, before ?? each.at);
    const sinceMs = at === null || before === null ? null : at - before;
    before = at ?? before;
    return { ...each, runId, at, sinceMs };
  });
}
