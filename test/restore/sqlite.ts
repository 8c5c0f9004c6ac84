// SQLite: a copy of a store in use, and its files after the gateway was killed.
import { execFile } from "node:child_process";
import { copyFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { makeFolder } from "../support/folder.ts";
import { program } from "../support/process.ts";
import { documented } from "./documented.ts";
import { judge, type Restored } from "./judge.ts";
import { type Scene, startScene } from "./scene.ts";
import type { Drill } from "./drill.ts";

const run = promisify(execFile);

/** A copy while it runs, by the documented command in a home where the lab is `~/.rouse`; then the gateway is killed. */
export async function copyAndEnd(scene: Scene): Promise<Omit<Restored, "scene">> {
  const home = makeFolder("restore-home");
  symlinkSync(scene.lab.folder, join(home, ".rouse"));
  await scene.goOn();
  const mark = await scene.mark();
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}`;
  const env = { ...process.env, HOME: home, PATH };
  const rouse = `rouse() { node ${JSON.stringify(program)} "$@"; }`;
  await run("sh", ["-ec", [rouse, ...documented("rouse backup")].join("\n")], { cwd: home, env });
  const goneFrom = scene.next();
  await scene.goOn();
  await scene.end();
  const install = (folder: string): void =>
    copyFileSync(join(home, "rouse-copy.db"), join(folder, "rouse.db"));
  return { mark, goneFrom, databaseUrl: null, install };
}

export const sqliteDrill: Drill = async ({ seed, report }) => {
  const scene = await startScene(null, seed);
  try {
    const copied = await copyAndEnd(scene);
    report("SQLite, copied while it ran", await judge({ scene, ...copied }));

    const copyFiles = (folder: string): void => {
      for (const name of ["rouse.db", "rouse.db-wal"])
        copyFileSync(join(scene.lab.folder, name), join(folder, name));
    };
    const last = await scene.mark();
    report(
      "SQLite, its files after a kill",
      await judge({ scene, mark: last, goneFrom: null, databaseUrl: null, install: copyFiles }),
    );
  } finally {
    await scene.remove();
  }
};
