// The newest version is bad: the backup from before it, and the version before it, which is ours here.
import { sendAgent } from "../system/lab.ts";
import { lateStartFaults, nextCode, ownCode } from "../upgrade/code.ts";
import type { Drill } from "./drill.ts";
import { judge } from "./judge.ts";
import { startScene } from "./scene.ts";
import { copyAndEnd } from "./sqlite.ts";

/** Taken by the new version before it is given up. */
const tried = 10;

export const rollbackDrill: Drill = async ({ seed, report }) => {
  const next = nextCode();
  const scene = await startScene(null, seed);
  try {
    const copied = await copyAndEnd(scene);
    const bad = await scene.lab.start(next.launch(scene.lab));
    for (let at = 0; at < tried; at++) await sendAgent(bad.url, { message: "to the new version" });
    await bad.kill();
    const faults = await lateStartFaults(scene.lab, ownCode, next.schema);

    const verdict = await judge({ scene, ...copied });
    const saw = `the version before would not start on schema ${next.schema}; on the copy ${verdict.saw}`;
    report("A version is bad, and the one before it comes back", {
      faults: [...faults, ...verdict.faults],
      saw,
    });
  } finally {
    await scene.remove();
  }
};
