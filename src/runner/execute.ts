// Executes one attempt of a run: checks that it may start, calls the agent, and stops it when asked to.
import { secondsToMs } from "../core/duration.ts";
import type { Agents } from "../agents/registry.ts";
import { onAbort } from "../core/abort.ts";
import type { Attempt, AttemptStarted, ParkedAttempt } from "../core/attempt.ts";
import { faultKind } from "../core/errors.ts";
import type { Live } from "../core/live.ts";
import type { Outcome } from "../core/outcome.ts";
import type { ClaimedRun } from "../core/run.ts";
import type { Trace } from "../core/trace.ts";
import type { Store } from "../store/ports/store.ts";
import { untilStored } from "../work/persist.ts";
import { observeAgent } from "./observe.ts";
import { createLastLine } from "./last-line.ts";
import { createProgress, type Progress } from "./progress.ts";
import { timeLimitSeconds } from "./next-try.ts";
import {
  agentInput,
  attemptStart,
  conversationOf,
  firstStarted,
  prepareInput,
  type AttemptInput,
  type InputDependencies,
  type Started,
} from "./input.ts";
import { beginTelling } from "./telling.ts";
import { stopOf, untilEnd, type Stop, type TimeLimit } from "./until-end.ts";

export type ExecuteDependencies = Omit<InputDependencies, "policy" | "store"> & {
  store: InputDependencies["store"] & Pick<Store, "noteLastLine">;
  agents: () => Agents;
  policy: () => ReturnType<InputDependencies["policy"]> & {
    maxAttempts: number;
    timeoutSeconds: number;
    keepToolCalls: boolean;
  };
  /** Hears what agents tell while they work. */
  live: Live;
  /** Gets the work of an agent that was stopped but may still be running. */
  lingers: (work: Promise<unknown>) => void;
  trace: Trace;
};

/**
 * `leasedFrom`: the monotonic time at which the claim was sent. `input` is set for a run that was started when it was
 * accepted.
 */
export type Work = { run: ClaimedRun; leasedFrom: number; input: AttemptInput | null };

/** The end of an attempt: an outcome, or parked, released or lost. */
type End = Outcome | ParkedAttempt | Stop;

/** `signal` fires with a StopReason. Then, or when the time is up, this resolves at once, whatever the agent does. */
export async function execute(
  work: Work,
  signal: AbortSignal,
  dependencies: ExecuteDependencies,
): Promise<Attempt> {
  const progress = createProgress(dependencies.clock, dependencies.policy());
  try {
    const end = await attempt(work, signal, progress, dependencies);
    if (end.kind === "parked" || end.kind === "lost") return end;
    return end.kind === "released" ? progress.release() : progress.end(end);
  } catch (fault) {
    return progress.end({ kind: "failed", reason: `internal fault: ${faultKind(fault)}`, mayPass: true });
  }
}

async function attempt(
  { run, input: early }: Work,
  signal: AbortSignal,
  progress: Progress,
  dependencies: ExecuteDependencies,
): Promise<End> {
  const { agents, policy, store, clock } = dependencies;
  const untilAborted = { clock, giveUp: () => signal.aborted };
  if (signal.aborted) return stoppedEarly(signal);
  const limit = timeLimitOf(run, policy());
  const before = endBeforeStart(run, policy(), limit);
  if (before) return before;
  const prepared = early
    ? { ok: true as const, input: early }
    : await orGivenUp(
        untilStored(() => prepareInput(run, agents(), dependencies), untilAborted),
        signal,
      );
  if (prepared === "given-up") return stoppedEarly(signal);
  if (!prepared.ok) return prepared.outcome;
  const { input } = prepared;
  progress.promptMade(input);
  const started: AttemptStarted | "given-up" = early
    ? firstStarted
    : await untilStored(() => store.startRun(attemptStart(run, input, dependencies)), untilAborted);
  if (started === "given-up") return stoppedEarly(signal);
  if (started.kind !== "go") return started;
  if (signal.aborted) return stoppedEarly(signal);
  return callAgent({ run, input, started, limit }, signal, progress, dependencies);
}

/** A prompt that is much work is not waited for once the run is stopped. */
async function orGivenUp<T>(work: Promise<T>, signal: AbortSignal): Promise<T | "given-up"> {
  const stopped = Promise.withResolvers<"given-up">();
  const release = onAbort(signal, () => stopped.resolve("given-up"));
  return Promise.race([work, stopped.promise]).finally(release);
}

/**
 * Stopped before its agent was asked. With a lease that ran out, the attempt is given back, so that it does not count;
 * the store refuses that where another node has the run.
 */
function stoppedEarly(signal: AbortSignal): End {
  const stop = stopOf(signal);
  return stop.kind === "lost" ? { kind: "released" } : stop;
}

type Call = { run: ClaimedRun; input: AttemptInput; started: Started; limit: TimeLimit };

async function callAgent(
  { run, input, started, limit }: Call,
  signal: AbortSignal,
  progress: Progress,
  dependencies: ExecuteDependencies,
): Promise<End> {
  const { store, clock, live, lingers, trace } = dependencies;
  const { agent, config } = input.configured;
  const onActing = async () => {
    progress.acted();
    const giveUp = () => signal.aborted;
    return (
      (await untilStored(() => store.markActed({ id: run.id, lease: run.lease }), { clock, giveUp })) === true
    );
  };
  const lastLine = createLastLine(run, dependencies);
  const telling = beginTelling(run.id, { live, tools: progress.tools });
  const agentCall = agentInput(run, input, {
    timeoutSeconds: Math.ceil(limit.leftMs / 1000),
    onActing,
    onErrorOutput: lastLine.written,
    onEvent: telling.hear,
  });
  progress.agentCalled(agentCall);
  const start = (stop: AbortSignal) =>
    observeAgent(agentCall, config, trace, async (traced) => {
      const more = { ...dependencies, onUsed: progress.summarised };
      const conversation = await conversationOf(run, agent, traced, started, stop, more);
      return agent.run({ ...traced, conversation }, stop);
    });
  return untilEnd({ start, signal, clock, limit, lingers }).finally(() => {
    lastLine.stop();
    telling.end();
  });
}

function timeLimitOf(run: ClaimedRun, policy: { timeoutSeconds: number }): TimeLimit {
  const seconds = timeLimitSeconds(run, policy);
  return { seconds, leftMs: secondsToMs(seconds) - run.elapsedMs };
}

function endBeforeStart(
  run: ClaimedRun,
  { maxAttempts }: { maxAttempts: number },
  limit: TimeLimit,
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
  return limit.leftMs <= 0 ? { kind: "timed-out", afterSeconds: limit.seconds } : null;
}
