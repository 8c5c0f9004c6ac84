// What was noticed in outside text, in words.
import type { Signals } from "../../core/signals.ts";

const words: Readonly<Record<keyof Signals, string>> = {
  hiddenCharacters: "hidden characters",
  chatTokens: "chat tokens",
  fakeMarkers: "fake markers",
  roleLabels: "role labels",
};

/** Null: nobody has looked yet. */
export function signalWords(signals: Signals | null): string {
  if (signals === null) return "not looked at before its first attempt";
  const names = Object.keys(words) as (keyof Signals)[];
  const noticed = names.filter((name) => signals[name] > 0);
  return noticed.map((name) => `${words[name]}: ${signals[name]}`).join(", ") || "nothing noticed";
}
