// One attempt of a run: whether it may begin, the agent's turn, and what ends it from outside.
import { setTimeout as delay } from "node:timers/promises";
import type { Agents } from "../agents/registry.ts";
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Outcome, TokenUse } from "../core/outcome.ts";
import type { ClaimedRun } from "../core/run.ts";
import type { Trace } from "../core/trace.ts";
import type { LossReason } from "../work/lease.ts";
import { recordTurn } from "./observe.ts";
import { timeLimitSeconds, type Attempt } from "./settle.ts";
import type { AttemptInput, InputDependencies } from "./input.ts";

/** `released`: the gateway stops, and the run is given back. */
export type StopReason = LossReason | "released";

export type ExecuteDependencies = Omit<InputDependencies, "policy"> & {
  agents: () => Agents;
  policy: () => ReturnType<InputDependencies["policy"]> & { maxAttempts: number; timeoutSeconds: number };
  /** An agent that was told to stop and may not have done so yet. */
  lingers: (turn: Promise<unknown>) => void;
  trace: Trace;
};

/** Over its hook's budget: it has been put aside. */
export type Parked = { parked: string };

/** `opening`: of a run that was stored as begun. */
export type Work = { run: ClaimedRun; opening: AttemptInput | null };

/** With the first run: making prompts is a tenth of the code, and a gateway should listen before it can. */
let turning: Promise<typeof import("./input.ts")> | undefined;
export const loadTurning = (): Promise<typeof import("./input.ts")> => (turning ??= import("./input.ts"));

/** `signal` fires with a StopReason. Resolves as soon as it does, or the time is up, whatever the agent does. */
export async function execute(
  { run, opening: early }: Work,
  signal: AbortSignal,
  dependencies: ExecuteDependencies,
): Promise<Attempt | Parked | "lost" | "released"> {
  const { agents, policy, clock, lingers, store } = dependencies;
  const startedAt = clock.now();
  const limitSeconds = timeLimitSeconds(run, policy());
  const known = { ...nothingKnown };
  let acted = false;
  let summing: TokenUse | null = null;
  const attempt = (ended: Outcome): Attempt => {
    const outcome = summing === null ? ended : withUse(ended, summing);
    return { ...known, outcome: acted ? notAgain(outcome) : outcome, workedMs: clock.now() - startedAt };
  };

  try {
    const budgetMs = limitSeconds * 1000 - run.elapsedMs;
    const before = signal.aborted ? stopped(signal) : endBeforeTurn(run, policy(), limitSeconds, budgetMs);
    if (before) return typeof before === "string" ? before : attempt(before);
    const { conversationOf, firstBegun, open, startOf, turnOf } = await loadTurning();
    const opened = early ? { ok: true as const, opening: early } : await open(run, agents(), dependencies);
    if (!opened.ok) return attempt(opened.outcome);
    const { opening } = opened;
    const { who, made, shown } = opening;
    Object.assign(known, shown, { signals: made.signals });
    const begun = early ? firstBegun : await store.startRun(startOf(run, opening, dependencies));
    if (begun.kind === "lost") return "lost";
    if (begun.kind === "parked") return { parked: begun.reason };
    const onActing = async () => {
      acted = true;
      return store.markActed({ id: run.id, lease: run.lease });
    };
    const turn = turnOf(run, opening, { timeoutSeconds: Math.ceil(budgetMs / 1000), onActing });
    Object.assign(known, { began: true, model: turn.model, toolsGranted: turn.tools });
    const end = await untilEnd({
      start: (stop) =>
        recordTurn(turn, who.config, dependencies.trace, async (traced) => {
          const onUsed = (usage: TokenUse) => void (summing = usage);
          const more = { ...dependencies, onUsed };
          const conversation = await conversationOf(run, who.agent, traced, begun, stop, more);
          return who.agent.run({ ...traced, conversation }, stop);
        }),
      signal,
      clock,
      budgetMs,
      limitSeconds,
      lingers,
    });
    return typeof end === "string" ? end : attempt(end);
  } catch (fault) {
    return attempt({ kind: "failed", reason: `internal fault: ${faultKind(fault)}`, mayPass: true });
  }
}

const nothingKnown: Omit<Attempt, "outcome" | "workedMs"> = {
  shownEventIds: [],
  leftOver: false,
  signals: null,
  began: false,
  model: null,
  toolsGranted: [],
};

const notAgain = (outcome: Outcome): Outcome =>
  outcome.kind === "failed" && outcome.mayPass
    ? {
        ...outcome,
        mayPass: false,
        reason: `${outcome.reason} (not tried again: a tool that changes something had run)`,
      }
    : outcome;

function endBeforeTurn(
  run: ClaimedRun,
  { maxAttempts }: { maxAttempts: number },
  limitSeconds: number,
  budgetMs: number,
): Outcome | null {
  if (run.cancelRequested) return { kind: "cancelled" };
  if (run.acted) {
    const reason =
      "the gateway stopped after a tool that changes something had run, so it is not tried again";
    return { kind: "failed", reason, mayPass: false };
  }
  if (run.attempts > maxAttempts) {
    const each = maxAttempts === 1 ? "its only attempt" : `each of its ${maxAttempts} attempts`;
    return { kind: "failed", reason: `the gateway stopped during ${each}`, mayPass: false };
  }
  return budgetMs <= 0 ? { kind: "timed-out", afterSeconds: limitSeconds } : null;
}

const stopped = (signal: AbortSignal): "lost" | "released" | Outcome => {
  const reason = signal.reason as StopReason;
  return reason === "cancelled" ? { kind: "cancelled" } : reason;
};

type Race = {
  start: (stop: AbortSignal) => Promise<Outcome>;
  signal: AbortSignal;
  clock: Clock;
  budgetMs: number;
  limitSeconds: number;
  lingers: (turn: Promise<unknown>) => void;
};

/** How long an agent that was told to stop may take to say what it has used; in real time, since it is real work. */
const lastWordMs = 200;

async function untilEnd(race: Race): Promise<Outcome | "lost" | "released"> {
  const { start, signal, clock, budgetMs, limitSeconds, lingers } = race;
  if (signal.aborted) return stopped(signal);
  const stopAgent = new AbortController();
  const fromOutside = Promise.withResolvers<Outcome | "lost" | "released">();
  const onStop = () => fromOutside.resolve(stopped(signal));
  const timeUp: Outcome = { kind: "timed-out", afterSeconds: limitSeconds };
  const takeBackDeadline = clock.after(budgetMs, () => fromOutside.resolve(timeUp));
  signal.addEventListener("abort", onStop, { once: true });
  const turn = start(stopAgent.signal);
  const ended = turn.then(
    (outcome) => ({ outcome }),
    (fault: unknown) => ({ fault }),
  );
  const first = await Promise.race([fromOutside.promise, ended]);
  takeBackDeadline();
  signal.removeEventListener("abort", onStop);
  if (typeof first === "object" && "outcome" in first) return first.outcome;
  if (typeof first === "object" && "fault" in first) throw first.fault;
  stopAgent.abort();
  if (typeof first === "string") {
    lingers(ended);
    return first;
  }
  const last = await Promise.race([ended, delay(lastWordMs, null, { ref: false })]);
  if (last === null) lingers(ended);
  return last !== null && "outcome" in last ? withReport(first, last.outcome) : first;
}

/** Summing up what was said before is part of the run's work. */
function withUse(outcome: Outcome, { inputTokens, outputTokens }: TokenUse): Outcome {
  const own = outcome.report?.usage ?? { inputTokens: 0, outputTokens: 0 };
  const usage = {
    inputTokens: own.inputTokens + inputTokens,
    outputTokens: own.outputTokens + outputTokens,
  };
  return { ...outcome, report: { ...outcome.report, usage } };
}

const withReport = (outcome: Outcome, from: Outcome): Outcome =>
  "report" in from && from.report ? { ...outcome, report: from.report } : outcome;
