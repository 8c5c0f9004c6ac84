// How much other work disturbs this machine: a loop with a fixed number of steps, timed again and again. On a quiet
// machine every slice takes equally long; on a shared one the slow slices show which delays no server can avoid.
import { figure } from "./row.ts";
import { quantile } from "./statistics.ts";

export type Noise = {
  /** The share of the time that a quiet machine would not have needed. */
  lost: number;
  /** The 99th percentile and the longest slice, as multiples of the usual one. */
  p99: number;
  longest: number;
};

const sliceMs = 1;
const calibrateMs = 1000;

export function measureNoise(forMs: number): Noise {
  const steps = stepsIn(sliceMs);
  const slices: number[] = [];
  for (let left = forMs; left > 0; left -= slices.at(-1)!) slices.push(timeOf(steps));
  return noiseOf(slices);
}

export function noiseOf(slices: readonly number[]): Noise {
  const usual = quantile(slices, 0.25);
  const total = slices.reduce((sum, slice) => sum + slice, 0);
  return {
    lost: Math.max(0, 1 - (usual * slices.length) / total),
    p99: quantile(slices, 0.99) / usual,
    longest: quantile(slices, 1) / usual,
  };
}

/** One line on the noise before and after a measurement. */
export const noiseNote = (before: Noise, after: Noise): string =>
  `noise of the machine before and after: a counting loop lost ${percent(before.lost)} and ${percent(after.lost)} of its time; of what takes 1 ms, one in a hundred took ${figure(before.p99)} and ${figure(after.p99)} ms, the longest ${figure(Math.max(before.longest, after.longest))} ms`;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The steps that take this long once the loop is compiled, by the fastest of many probes. */
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
  const startedAt = performance.now();
  let state = 1;
  for (let step = 0; step < steps; step++) state = Math.imul(state, 0x6d2b79f5) + 1;
  // Uses the result, so that the compiler cannot drop the loop.
  return performance.now() - startedAt + (state === 0.5 ? 1 : 0);
}
