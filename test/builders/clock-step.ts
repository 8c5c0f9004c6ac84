// Steps of a wall clock, as tests make them.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** By name, in milliseconds. */
export const clockSteps: readonly (readonly [name: string, stepMs: number])[] = [
  ["a minute forward", minuteMs],
  ["a minute back", -minuteMs],
  ["an hour forward", hourMs],
  ["an hour back", -hourMs],
  ["two days forward", 48 * hourMs],
  ["two days back", -48 * hourMs],
];
