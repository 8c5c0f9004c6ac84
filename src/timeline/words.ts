// Durations, sizes and counts as people read them.

import { cutWithMark, oneLine } from "../core/text.ts";

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** `3 ms`, `27.7 s`, `3 m 4 s`, `2 h 5 m`, `3 d 4 h`. */
export function durationWords(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < secondMs) return `${whole} ms`;
  if (whole < minuteMs - 50) return `${(whole / secondMs).toFixed(1)} s`;
  const seconds = Math.round(whole / secondMs) * secondMs;
  const [large, small, unit] = unitsOf(seconds);
  const count = Math.floor(seconds / large);
  const rest = Math.floor((seconds % large) / small);
  return rest === 0 ? `${count} ${unit[0]}` : `${count} ${unit[0]} ${rest} ${unit[1]}`;
}

const unitsOf = (ms: number): readonly [large: number, small: number, units: string] =>
  ms < hourMs ? [minuteMs, secondMs, "ms"] : ms < dayMs ? [hourMs, minuteMs, "hm"] : [dayMs, hourMs, "dh"];

/** `512 bytes`, `8.1 KB`, `1.2 MB`: with 1,000 bytes to the KB. */
export function sizeWords(bytes: number): string {
  if (bytes < 1000) return countWords(bytes, "byte");
  return bytes < 999_950 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export const numberWords = (count: number): string => count.toLocaleString("en-US");

export const countWords = (count: number, one: string, many = `${one}s`): string =>
  `${numberWords(count)} ${count === 1 ? one : many}`;

export const listWords = (parts: readonly (string | null | false)[]): string =>
  parts.filter((part) => part !== null && part !== false && part !== "").join(", ");

const longestReason = 300;

/** A reason inside of a sentence; the whole of it is in the step's facts. */
export const reasonWords = (reason: string): string => cutWithMark(oneLine(reason), longestReason);
