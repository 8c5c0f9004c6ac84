// SQLite: a copy of a store in use, and its files after the gateway was killed.
import { execFile } from "node:child_process";
import { copyFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { makeFolder } from "../support/folder.ts";
import type { Lab } from "../system/lab.ts";
import { documented } from "./documented.ts";
import { judge } from "./judge.ts";
import { startScene } from "./scene.ts";
import type { Drill } from "./drill.ts";

const run = promisify(execFile);

/** By the documented command, in a home where the lab is `~/.rouse`. Answers the file. */
export async function copyWhileItRuns(lab: Lab): Promise<string> {
  const home = makeFolder("restore-home");
  symlinkSync(lab.folder, join(home, ".rouse"));
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`;
  const env = { ...process.env, HOME: home, PATH };
  await run("sh", ["-c", documented("vacuum into").join("\n")], { cwd: home, env });
  return join(home, "rouse-copy.db");
}

export const sqliteDrill: Drill = async ({ seed, report }) => {
  const scene = await startScene(null, seed);
  try {
    await scene.goOn();
    const mark = await scene.mark();
    const copy = await copyWhileItRuns(scene.lab);
    const goneFrom = scene.next();
    await scene.goOn();
    await scene.end();

    const databaseUrl = null;
    const place = (folder: string): void => copyFileSync(copy, join(folder, "rouse.db"));
    report("SQLite, copied while it ran", await judge({ scene, mark, goneFrom, databaseUrl, place }));

    const placeFiles = (folder: string): void => {
      for (const name of ["rouse.db", "rouse.db-wal"])
        copyFileSync(join(scene.lab.folder, name), join(folder, name));
    };
    const last = await scene.mark();
    report(
      "SQLite, its files after a kill",
      await judge({ scene, mark: last, goneFrom: null, databaseUrl, place: placeFiles }),
    );
  } finally {
    await scene.remove();
  }
};
