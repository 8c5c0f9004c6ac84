// npm run bench -- --against REF: this version beside another one, measure by measure, on both stores.
import type { Lab } from "../lab.ts";
import type { Result, Row } from "../row.ts";
import type { StoreKind } from "../subjects/gateway.ts";
import { measureFirstByte, measureRequests, measureRuns, measureStart } from "./measures.ts";
import type { Sides, Turns } from "./pairs.ts";
import { openVersion } from "./version.ts";

type Measure = (lab: Lab, sides: Sides, store: StoreKind, turns: Turns) => Promise<Row[]>;

export const versionMeasures: Record<string, Measure> = {
  wake: (...given) => measureRequests("wake", ...given),
  agent: (...given) => measureRequests("agent", ...given),
  mapping: (...given) => measureRequests("mapping", ...given),
  transform: (...given) => measureRequests("transform", ...given),
  runs: measureRuns,
  "first-byte": measureFirstByte,
  start: measureStart,
};

export type Comparison = Turns & {
  of: string | undefined;
  against: string;
  only: readonly string[];
  stores: readonly StoreKind[];
};

export async function compareVersions(lab: Lab, comparison: Comparison): Promise<Result> {
  const { against, of, only, stores } = comparison;
  const sides: Sides = { ours: openVersion(lab, of), theirs: openVersion(lab, against) };
  const rows: Row[] = [];
  for (const name of only)
    for (const store of stores) rows.push(...(await versionMeasures[name]!(lab, sides, store, comparison)));
  return {
    name: "against",
    title: `${sides.ours.name} against ${sides.theirs.name}`,
    rows,
    notes: [
      `median of ${comparison.pairs} pairs of neighbouring turns of ${comparison.seconds} s; in brackets the quartiles of their ratios`,
      "rates: more is better; times and memory: less is better",
    ],
  };
}
