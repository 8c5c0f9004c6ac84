// One attempt of a run: whether it may begin, the agent's turn, and what ends it from outside. Changes nothing stored.
import type { Agents } from "../agents/registry.ts";
import type { Clock } from "../core/clock.ts";
import { faultKind } from "../core/errors.ts";
import type { Outcome } from "../core/outcome.ts";
import { mainSessionKey, type ClaimedRun } from "../core/run.ts";
import { eventsToRead, heartbeatPrompt, hookPrompt, type HeartbeatPrompt } from "../session/prompt.ts";
import type { LossReason } from "../work/lease.ts";
import type { Store } from "../store/store.ts";
import { timeLimitSeconds, type Attempt } from "./settle.ts";

/** `released`: the gateway stops, and the run is given back. */
export type StopReason = LossReason | "released";

export type ExecuteDependencies = {
  store: Pick<Store, "waitingEvents">;
  agents: () => Agents;
  policy: () => { maxAttempts: number; timeoutSeconds: number };
  clock: Clock;
  /** An agent that was told to stop and may not have done so yet. */
  lingers: (turn: Promise<unknown>) => void;
};

/** `signal` fires with a StopReason. Resolves as soon as it does, or the time is up, whatever the agent does. */
export async function execute(
  run: ClaimedRun,
  signal: AbortSignal,
  { store, agents, policy, clock, lingers }: ExecuteDependencies,
): Promise<Attempt | "lost" | "released"> {
  const startedAt = clock.now();
  const limitSeconds = timeLimitSeconds(run, policy());
  let shown: Omit<HeartbeatPrompt, "prompt"> = { shownEventIds: [], leftOver: false };
  const attempt = (outcome: Outcome): Attempt => ({ ...shown, outcome, workedMs: clock.now() - startedAt });

  try {
    const budgetMs = limitSeconds * 1000 - run.elapsedMs;
    const before = signal.aborted ? stopped(signal) : endBeforeTurn(run, policy(), limitSeconds, budgetMs);
    if (before) return typeof before === "string" ? before : attempt(before);
    const { config, agent } = agents().find(run.agentId);
    let prompt: string;
    if (run.kind === "heartbeat") {
      const events = await store.waitingEvents(mainSessionKey, eventsToRead);
      ({ prompt, ...shown } = heartbeatPrompt(events, clock.now(), config.instructions));
    } else prompt = hookPrompt(run, config.instructions);

    const turn = {
      runId: run.id,
      agentId: config.id,
      sessionKey: run.sessionKey,
      prompt,
      model: run.request.model ?? config.model,
      thinking: run.request.thinking ?? config.thinking,
      timeoutSeconds: Math.ceil(budgetMs / 1000),
    };
    const end = await untilEnd({
      start: (stop) => agent.run(turn, stop),
      signal,
      clock,
      budgetMs,
      lingers,
    });
    if (end === "time is up") return attempt({ kind: "timed-out", afterSeconds: limitSeconds });
    return typeof end === "string" ? end : attempt(end);
  } catch (fault) {
    return attempt({ kind: "failed", reason: `internal fault: ${faultKind(fault)}`, mayPass: true });
  }
}

function endBeforeTurn(
  run: ClaimedRun,
  { maxAttempts }: { maxAttempts: number },
  limitSeconds: number,
  budgetMs: number,
): Outcome | null {
  if (run.cancelRequested) return { kind: "cancelled" };
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
  lingers: (turn: Promise<unknown>) => void;
};

async function untilEnd({ start, signal, clock, budgetMs, lingers }: Race) {
  if (signal.aborted) return stopped(signal);
  const stopAgent = new AbortController();
  const fromOutside = Promise.withResolvers<Outcome | "lost" | "released" | "time is up">();
  const onStop = () => fromOutside.resolve(stopped(signal));
  const takeBackDeadline = clock.after(budgetMs, () => fromOutside.resolve("time is up"));
  signal.addEventListener("abort", onStop, { once: true });
  let over = false;
  const takeTurn = async () => {
    try {
      return await start(stopAgent.signal);
    } finally {
      over = true;
    }
  };
  const ended = takeTurn();
  try {
    return await Promise.race([fromOutside.promise, ended]);
  } finally {
    takeBackDeadline();
    signal.removeEventListener("abort", onStop);
    if (!over) {
      stopAgent.abort();
      lingers(ended.catch(() => {}));
    }
  }
}
