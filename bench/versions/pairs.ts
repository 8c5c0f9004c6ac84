// Two versions in neighbouring turns: both meet the same machine, and the one that goes first changes with every pair.
import { setTimeout as pause } from "node:timers/promises";
import { figure, row, type Row } from "../row.ts";
import { median, quantile } from "../statistics.ts";
import type { Version } from "./version.ts";

export type Pair = { ours: number; theirs: number };
export type Side = keyof Pair;
export type Sides = { ours: Version; theirs: Version };
export type Turns = { pairs: number; seconds: number };

const restMs = 300;
/** V8 goes on compiling for some tens of thousands of runs, so the warm-up turns are longer. */
const warmUpTimes = 3;

/** The first pair, number 0, warms up and does not count; `length` says how much longer its turns are to be. */
export async function takePairs(
  count: number,
  turn: (side: Side, pair: number, length: number) => Promise<number>,
  rest: () => Promise<void> = () => pause(restMs),
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let at = 0; at <= count; at++) {
    const pair: Pair = { ours: Number.NaN, theirs: Number.NaN };
    const order: Side[] = at % 2 === 0 ? ["theirs", "ours"] : ["ours", "theirs"];
    for (const side of order) {
      await rest();
      pair[side] = await turn(side, at, at === 0 ? warmUpTimes : 1);
    }
    if (at > 0) pairs.push(pair);
  }
  return pairs;
}

/** The median of ours, and of the ratios of the pairs with their quartiles. */
export function pairedRow(name: string, unit: string, against: string, pairs: readonly Pair[]): Row {
  const ratios = pairs.map(({ ours, theirs }) => ours / theirs);
  return row(name, median(pairs.map(({ ours }) => ours)), unit, {
    against: `${against}: ${figure(median(pairs.map(({ theirs }) => theirs)))}`,
    ratio: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  });
}
