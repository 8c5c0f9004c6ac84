// How much of its own speed the machine gives: one thread that only counts, in slices that always count as far. On a
// machine of one's own they all take as long; on one that is shared the slow ones say what no server can do anything
// about, and what a p99 has in it whatever is measured.
import { figure } from "./row.ts";
import { quantile } from "./statistics.ts";

export type Steadiness = {
  /** Of the time it took, what it would not have taken at its usual speed. */
  lost: number;
  /** The slowest of a hundred slices against the usual one, and the slowest of all. */
  p99: number;
  longest: number;
};

const sliceMs = 1;
const calibrateMs = 1000;

export function measureSteadiness(forMs: number): Steadiness {
  const steps = stepsIn(sliceMs);
  const slices: number[] = [];
  for (let left = forMs; left > 0; left -= slices.at(-1)!) slices.push(timeOf(steps));
  return steadinessOf(slices);
}

export function steadinessOf(slices: readonly number[]): Steadiness {
  const usual = quantile(slices, 0.25);
  const total = slices.reduce((sum, slice) => sum + slice, 0);
  return {
    lost: Math.max(0, 1 - (usual * slices.length) / total),
    p99: quantile(slices, 0.99) / usual,
    longest: quantile(slices, 1) / usual,
  };
}

/** Of the machine by itself, before and after a measurement. */
export const steadinessNote = (before: Steadiness, after: Steadiness): string =>
  `a loop that only counts, before and after it, with nothing beside it: lost ${percent(before.lost)} and ${percent(after.lost)} of its time; of what takes 1 ms, one in a hundred took ${figure(before.p99)} and ${figure(after.p99)} ms, the longest ${figure(Math.max(before.longest, after.longest))} ms`;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** Once it is compiled, at the speed of the fastest of many. */
function stepsIn(milliseconds: number): number {
  const probe = 100_000;
  let fastest = Infinity;
  for (let left = calibrateMs; left > 0;) {
    const took = timeOf(probe);
    fastest = Math.min(fastest, took);
    left -= took;
  }
  return Math.ceil((probe * milliseconds) / fastest);
}

function timeOf(steps: number): number {
  const begunAt = performance.now();
  let state = 1;
  for (let step = 0; step < steps; step++) state = Math.imul(state, 0x6d2b79f5) + 1;
  // So that nobody may leave the loop out.
  return performance.now() - begunAt + (state === 0.5 ? 1 : 0);
}
