// The crash lab. The settings (store and nodes) run at the same time.
import { readOptions } from "../support/options.ts";
import { randomSeed } from "../support/random.ts";
import { type Cell, cellName, cells, cellsOf, type Setting, settings } from "./cells.ts";
import { createBar, failureOf, tableOf } from "./report.ts";
import { createTrack, type RoundResult } from "./track.ts";

const usage = `npm run lab -- [--rounds N] [--seed S] [--cells PATTERN] [--store sqlite|postgres] [--minutes M]

--rounds is for each cell; the first round of a cell has the seed S, the next S + 1, and so on. After M minutes no
further round is started.`;

async function main(): Promise<number> {
  const values = readOptions(usage, {
    rounds: { type: "string", default: "1" },
    seed: { type: "string", default: String(randomSeed()) },
    cells: { type: "string", default: "" },
    store: { type: "string" },
    minutes: { type: "string", default: "Infinity" },
  });
  const rounds = Number(values.rounds);
  const seed = Number(values.seed);
  const minutes = Number(values.minutes);
  const pattern = new RegExp(values.cells);
  const chosen = cells.filter(
    (cell) => pattern.test(cellName(cell)) && (values.store === undefined || cell.store === values.store),
  );
  if (chosen.length === 0 || !(rounds >= 1) || !(minutes > 0) || Number.isNaN(seed)) {
    console.error(`No such cells or numbers. Cells:\n${cells.map(cellName).join("\n")}`);
    return 2;
  }
  const total = chosen.length * rounds;
  console.log(`lab: ${chosen.length} cells, ${total} rounds, seed ${seed}`);
  const startedAt = performance.now();
  const results = await playAll(chosen, { rounds, seed, minutes });
  const failed = results.filter(({ violations }) => violations.length > 0);
  console.log(tableOf(chosen, results));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${results.length} rounds in ${seconds} s, ${failed.length} with violations`);
  return failed.length === 0 ? 0 : 1;
}

type Extent = { rounds: number; seed: number; minutes: number };

async function playAll(chosen: readonly Cell[], { rounds, seed, minutes }: Extent): Promise<RoundResult[]> {
  const bar = createBar(chosen.length * rounds, process.stderr);
  const endAt = performance.now() + minutes * 60_000;
  const results: RoundResult[] = [];
  const note = (result: RoundResult): void => {
    results.push(result);
    if (result.violations.length > 0) {
      bar.clear();
      console.log(failureOf(result));
    }
    bar.step(results.length, `${cellName(result.cell)} ${Math.round(result.tookMs)} ms`);
  };
  const playTrack = async (setting: Setting): Promise<void> => {
    const track = createTrack(setting);
    const own = cellsOf(setting, chosen);
    try {
      for (let round = 0; round < rounds; round++) {
        for (const cell of own) if (performance.now() < endAt) note(await track.round(cell, seed + round));
      }
    } finally {
      await track.close();
    }
  };
  await Promise.all(settings.map(playTrack));
  bar.clear();
  return results;
}

process.exitCode = await main();
