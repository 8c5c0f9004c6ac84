// Rounds one after another on one bench. After a round with violations the bench is replaced.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Bench, openBench } from "./bench.ts";
import { type Cell, cellName, type Setting } from "./cells.ts";
import { type Tally, tallyOf, violationsIn } from "./check.ts";
import type { Histories } from "./history.ts";
import { playRound } from "./round.ts";

export type RoundResult = {
  cell: Cell;
  seed: number;
  tally: Tally;
  violations: string[];
  tookMs: number;
  /** Where the histories of a round with violations are kept. */
  keptIn: string | null;
};

export type Track = {
  round(cell: Cell, seed: number): Promise<RoundResult>;
  close(): Promise<void>;
};

export function createTrack(setting: Setting): Track {
  let bench: Bench | null = null;
  const close = async (): Promise<void> => {
    await bench?.close();
    bench = null;
  };
  return {
    async round(cell, seed) {
      bench ??= await openBench(setting, seed);
      const startedAt = performance.now();
      const histories = await playRound(bench, cell, seed);
      const tookMs = performance.now() - startedAt;
      const violations = violationsIn(histories);
      const isGood = violations.length === 0;
      const keptIn = isGood ? null : keep(seed, histories, violations, bench);
      if (!isGood) await close();
      return { cell, seed, tally: tallyOf(histories), violations, tookMs, keptIn };
    },
    close,
  };
}

function keep(seed: number, histories: Histories, violations: readonly string[], { nodes }: Bench): string {
  const name = `${cellName(histories.cell).replaceAll("/", "-")}-${seed}`;
  const kept = mkdtempSync(join(tmpdir(), `rouse-crash-lab-${name}-`));
  const write = (name: string, value: unknown) =>
    writeFileSync(join(kept, `${name}.json`), JSON.stringify(value, null, 2));
  write("violations", violations);
  for (const [name, value] of Object.entries(histories)) write(name, value);
  for (const node of nodes) writeFileSync(join(kept, `${node.life()}.log`), node.output());
  return kept;
}
