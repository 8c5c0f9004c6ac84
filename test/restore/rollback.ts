// The newest version is bad: the backup from before it, and the version before it.
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sendAgent } from "../system/lab.ts";
import { commitBeforeMigration, ownSchemaVersion, schemaVersion, unpack } from "../upgrade/old-code.ts";
import { startFaults } from "../upgrade/old-node.ts";
import { codeIn } from "./code.ts";
import type { Drill } from "./drill.ts";
import { judge } from "./judge.ts";
import { startScene } from "./scene.ts";
import { copyWhileItRuns } from "./sqlite.ts";

/** Taken by the new version before it is given up. */
const tried = 10;

export const rollbackDrill: Drill = async ({ seed, report }) => {
  const commit = commitBeforeMigration();
  const folder = unpack(commit);
  const code = codeIn(folder);
  const scene = await startScene(null, seed, code);
  try {
    await scene.goOn();
    const mark = await scene.mark();
    const copy = await copyWhileItRuns(scene.lab);
    const goneFrom = scene.next();
    await scene.goOn();
    await scene.end();

    const bad = await scene.lab.start();
    for (let at = 0; at < tried; at++) await sendAgent(bad.url, { message: "to the new version" });
    await bad.kill();
    const versions = { old: schemaVersion(commit), new: ownSchemaVersion() };
    const faults = await startFaults(scene.lab, code.launch(scene.lab), versions);

    const place = (to: string): void => copyFileSync(copy, join(to, "rouse.db"));
    const verdict = await judge({ scene, mark, goneFrom, databaseUrl: null, place, code });
    const name = `SQLite, back from schema ${versions.new} to ${versions.old}`;
    report(name, { ...verdict, faults: [...faults, ...verdict.faults] });
  } finally {
    await scene.remove();
    rmSync(folder, { recursive: true, force: true });
  }
};
