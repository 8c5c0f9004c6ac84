// How many cases a property is tried with, and which ones: in `npm test` a few, always the same, so that a failure
// comes from what was changed; in `npm run test:quick` fewer; under `npm run fuzz` many times as many, from a new seed.

export const casesVariable = "ROUSE_FUZZ_CASES";
export const seedVariable = "ROUSE_FUZZ_SEED";

const usualSeed = 20_261_117;

/** The parameters of every `fc.assert`. `test/rules.test.ts` finds a property without them. */
export function cases(count: number): { numRuns: number; seed: number } {
  const { [casesVariable]: times, [seedVariable]: seed } = process.env;
  return { numRuns: Math.ceil(count * Number(times ?? 1)), seed: Number(seed ?? usualSeed) };
}
