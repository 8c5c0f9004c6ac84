// The crash lab at the size of every test run: each cell once, but for faults that take long, which strike at one point
// of the work. All of it, and more often: npm run lab -- --rounds 50
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { randomSeed } from "../support/random.ts";
import { cellName, cellsForTests, cellsOf, settingName, settings } from "./cells.ts";
import { createBar, failureOf } from "./report.ts";
import { createTrack } from "./track.ts";

const seed = randomSeed();
const cells = cellsForTests(seed);
const bar = createBar(cells.length, process.stderr);
let done = 0;

// Settings side by side, the cells of each one after another, however the runner is set to run tests concurrently.
suite(`the crash lab, seed ${seed}`, { concurrency: true }, () => {
  for (const setting of settings) {
    test(settingName(setting), async (t) => {
      const track = createTrack(setting);
      t.after(() => track.close());
      for (const cell of cellsOf(setting, cells)) {
        await t.test(cellName(cell), async () => {
          const result = await track.round(cell, seed);
          bar.step(++done, cellName(cell));
          assert.ok(result.violations.length === 0, failureOf(result));
        });
      }
    });
  }
});
