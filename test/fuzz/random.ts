// Repeatable chance: every input has its own source, made from the seed of the run and its number, so that one input can
// be made again without the others.
import { createRandom } from "../support/random.ts";

export type Random = {
  /** A whole number from 0, below the limit. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** One of the entries, each as often as its weight says. */
  weighted<T>(entries: readonly (readonly [weight: number, value: T])[]): T;
};

export function randomFor(seed: number, number: number): Random {
  const next = createRandom(Math.imul(seed + 1, 0x9e37_79b1) ^ Math.imul(number + 1, 0x85eb_ca6b));
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)]!,
    weighted(entries) {
      let left = next() * entries.reduce((sum, [weight]) => sum + weight, 0);
      for (const [weight, value] of entries) if ((left -= weight) < 0) return value;
      return entries[0]![1];
    },
  };
}
