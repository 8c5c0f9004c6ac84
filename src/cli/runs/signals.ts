// The signals of outside text, as text for people.
import type { Signals } from "../../core/signals.ts";

const words: Readonly<Record<keyof Signals, string>> = {
  hiddenCharacters: "hidden characters",
  chatTokens: "chat tokens",
  fakeMarkers: "fake markers",
  roleLabels: "role labels",
};

export function signalWords(signals: Signals | null): string {
  if (signals === null) return "not counted before its first attempt";
  const names = Object.keys(words) as (keyof Signals)[];
  const found = names.filter((name) => signals[name] > 0);
  return found.map((name) => `${words[name]}: ${signals[name]}`).join(", ") || "none";
}
