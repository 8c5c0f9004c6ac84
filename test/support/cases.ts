// How many cases a property is tried with, and which: few in every test run, always the same, so that a run that fails
// fails because of what was changed; many times as many under `npm run fuzz`, new ones each time.

export const casesVariable = "ROUSE_FUZZ_CASES";

const usualSeed = 20_261_117;

export function cases(count: number): { numRuns: number; seed?: number } {
  const times = process.env[casesVariable];
  return times === undefined
    ? { numRuns: count, seed: usualSeed }
    : { numRuns: Math.round(count * Number(times)) };
}
