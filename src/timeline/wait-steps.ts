// The steps of a run before its agent is asked: it waits, and its prompt is made.
import type { Run } from "../core/run.ts";
import type { Signals } from "../core/signals.ts";
import type { PromptFacts, RunFacts } from "./facts.ts";
import { draft, type Draft } from "./step.ts";
import { countWords, durationWords, listWords, reasonWords } from "./words.ts";

/** When its first attempt began; null while it has not. A run that was parked or released has been claimed before. */
export function beganAt({
  run,
  attempts,
  prompt,
}: Pick<RunFacts, "run" | "attempts" | "prompt">): number | null {
  const first = attempts.find(({ number }) => number === 1)?.startedAt ?? null;
  if (first !== null) return prompt === null ? first : Math.min(first, prompt.at);
  if (prompt !== null) return prompt.at;
  return run.status === "running" || run.nextTryAt !== null || (run.attempts > 0 && run.endedAt !== null)
    ? run.startedAt
    : null;
}

export function waitedStep(facts: RunFacts, now: number): Draft {
  const { run } = facts;
  const began = beganAt(facts);
  const until = began ?? run.endedAt ?? now;
  const durationMs = Math.max(0, until - run.createdAt);
  const isOver = began !== null || run.endedAt !== null;
  const behind = behindIn(facts, until);
  const parked = run.status === "parked";
  const step = { facts: { behind, parked }, durationMs };
  if (!isOver)
    return draft("waited", { ...step, state: "now", title: "Waits", text: waitingFor(run, behind) });
  if (began === null)
    return draft("waited", {
      ...step,
      state: "waited",
      title: "Waited",
      text: "until it ended without a start",
    });
  if (durationMs === 0)
    return draft("waited", { ...step, state: "none", title: "No wait", text: "a slot was free" });
  return draft("waited", { ...step, state: "waited", title: "Waited", text: waitedFor(durationMs, behind) });
}

/** The run before it in its conversation, if that had not ended when this one came. */
function behindIn({ run, behind }: RunFacts, until: number): string | null {
  if (behind === null) return null;
  const overlaps = behind.endedAt === null || (behind.endedAt > run.createdAt && behind.endedAt <= until);
  return overlaps ? behind.id : null;
}

const waitedFor = (durationMs: number, behind: string | null): string =>
  behind === null
    ? `${durationWords(durationMs)} for a slot`
    : `${durationWords(durationMs)} behind ${behind} of the same conversation`;

function waitingFor({ status, error }: Run, behind: string | null): string {
  if (status === "parked") return `parked${error === null ? "" : `, ${reasonWords(error)}`}`;
  return behind === null ? "for a slot" : `behind ${behind} of the same conversation`;
}

export function promptStep({ run, prompt, attempts }: RunFacts): Draft {
  if (prompt !== null) return madePrompt(run, prompt);
  const facts = { characters: null, texts: [], signals: run.signals };
  if (run.endedAt === null && attempts.length === 0 && run.status !== "running")
    return draft("prompt", { state: "to-come", title: "Prompt", text: "to come", facts });
  if (run.status === "running")
    return draft("prompt", { state: "now", title: "Prompt", text: "being made", facts });
  const text = run.attempts === 0 ? "no agent saw it" : "it is not kept";
  return draft("prompt", { state: "none", title: "No prompt", text, facts });
}

function madePrompt({ signals, request, kind }: Run, { at, characters, texts }: PromptFacts): Draft {
  const outside = request.unsafe
    ? "its mapping lifts the boundary around outside text"
    : texts.length === 0
      ? "no text from outside"
      : `${countWords(texts.length, "text")} from outside`;
  const text = listWords([
    kind === "heartbeat" && "of the main session",
    outside,
    ...signalParts(signals),
    countWords(characters, "character"),
  ]);
  return draft("prompt", { state: "done", at, title: "Prompt", text, facts: { characters, texts, signals } });
}

function signalParts(signals: Signals | null): string[] {
  if (signals === null) return [];
  const { hiddenCharacters, fakeMarkers, roleLabels, chatTokens } = signals;
  return [
    hiddenCharacters > 0 ? `${countWords(hiddenCharacters, "hidden character")} shown` : "",
    fakeMarkers > 0 ? countWords(fakeMarkers, "fake marker") : "",
    roleLabels > 0 ? countWords(roleLabels, "role label") : "",
    chatTokens > 0 ? countWords(chatTokens, "chat token") : "",
  ].filter((part) => part !== "");
}
