// The newest version is bad: the backup from before it, and the version before it, which is ours here.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sendAgent } from "../system/lab.ts";
import { lateStartFaults, nextCode, ownCode } from "../upgrade/code.ts";
import type { Drill } from "./drill.ts";
import { judge } from "./judge.ts";
import { startScene } from "./scene.ts";
import { copyWhileItRuns } from "./sqlite.ts";

/** Taken by the new version before it is given up. */
const tried = 10;

export const rollbackDrill: Drill = async ({ seed, report }) => {
  const next = nextCode();
  const scene = await startScene(null, seed);
  try {
    await scene.goOn();
    const mark = await scene.mark();
    const copy = await copyWhileItRuns(scene.lab);
    const goneFrom = scene.next();
    await scene.goOn();
    await scene.end();

    const bad = await scene.lab.start(next.launch(scene.lab));
    for (let at = 0; at < tried; at++) await sendAgent(bad.url, { message: "to the new version" });
    await bad.kill();
    const faults = await lateStartFaults(scene.lab, ownCode, next.schema);

    const place = (folder: string): void => copyFileSync(copy, join(folder, "rouse.db"));
    const verdict = await judge({ scene, mark, goneFrom, databaseUrl: null, place });
    const saw = `the version before would not start on schema ${next.schema}; on the copy ${verdict.saw}`;
    report("A version is bad, and the one before it comes back", {
      faults: [...faults, ...verdict.faults],
      saw,
    });
  } finally {
    await scene.remove();
    if (next.folder !== null) rmSync(next.folder, { recursive: true, force: true });
  }
};
