// An input by its number: the same seed, number and corpus give the same one.
import { type Hostile, hostileConnection } from "./hostile.ts";
import { type Random, randomFor } from "./random.ts";
import { type Whole, wholeRequest } from "./request.ts";

const hostileShare = 0.25;

export type Input = { kind: "whole"; whole: Whole } | { kind: "hostile"; hostile: Hostile };

export function inputOf(seed: number, number: number, corpus: readonly Buffer[]): Input & { random: Random } {
  const random = randomFor(seed, number);
  return random.chance(hostileShare)
    ? { kind: "hostile", hostile: hostileConnection(random, corpus), random }
    : { kind: "whole", whole: wholeRequest(random), random };
}

const longestShown = 3000;

/** As text with one character for each byte, to be put into the corpus or a test. */
export const shown = (input: Input): string =>
  JSON.stringify((input.kind === "whole" ? input.whole : input.hostile).bytes.toString("latin1")).slice(
    0,
    longestShown,
  );
