// PostgreSQL: a base backup and the archived log, after the machine was lost: up to a point, and as far as they go.
import { join } from "node:path";
import { until } from "../support/process.ts";
import {
  asOwner,
  type Cluster,
  createCluster,
  inCharge,
  makeOwnFolder,
  makeOwnSubfolder,
  passwordOf,
  startCluster,
} from "./cluster.ts";
import { documented } from "./documented.ts";
import type { Drill } from "./drill.ts";
import { judge, type Restored } from "./judge.ts";
import { startScene } from "./scene.ts";

export const pointInTimeDrill: Drill = async ({ seed, report }) => {
  const folder = makeOwnFolder("restore-point");
  const backups = makeOwnSubfolder(folder, "backup");
  makeOwnSubfolder(backups, "wal");
  const primary = await createCluster(folder, documented("archive_mode", backups));
  const scene = await startScene(primary.url, seed);
  try {
    const [backUp = ""] = documented("pg_basebackup", backups);
    await asOwner(backUp, { cwd: folder, env: { DATABASE_URL: primary.url } });
    await scene.goOn();
    const mark = await scene.mark();
    const [makePoint = ""] = documented("pg_create_restore_point");
    await primary.query(makePoint);
    const goneFrom = scene.next();
    await scene.goOn();
    const archived = await scene.mark();
    await archiveAll(primary);
    await scene.goOn();
    await primary.destroy();
    await scene.end();

    const recovery = documented("restore_command", backups);
    const toTheEnd = recovery.filter((line) => !line.startsWith("recovery_target"));
    const password = passwordOf(primary);
    const recover = async (
      name: string,
      settings: readonly string[],
      judged: Omit<Restored, "databaseUrl">,
    ) => {
      const data = await copyBase(folder, name, backups);
      const cluster = await startCluster(data, password, ["archive_mode = off", ...settings]);
      try {
        await inCharge(cluster);
        report(`PostgreSQL, recovered ${name}`, await judge({ ...judged, databaseUrl: cluster.url }));
      } finally {
        await cluster.stop();
      }
    };
    await recover("to a point", recovery, { scene, mark, goneFrom });
    await recover("to the end of the archive", toTheEnd, { scene, mark: archived, goneFrom: null });
  } finally {
    await scene.remove();
    await primary.stop();
  }
};

/** Resolves when everything written so far is archived. */
async function archiveAll(cluster: Cluster): Promise<void> {
  const [row] = await cluster.query("select pg_walfile_name(pg_switch_wal()) as name");
  const name = String(row?.["name"]);
  await until("the archive has it", async () => {
    const [last] = await cluster.query("select last_archived_wal as name from pg_stat_archiver");
    return String(last?.["name"]) >= name;
  });
}

async function copyBase(folder: string, name: string, backups: string): Promise<string> {
  const data = join(folder, name.replaceAll(" ", "-"));
  await asOwner(`cp -R "${join(backups, "base")}" "${data}" && touch "${data}/recovery.signal"`, {
    cwd: folder,
  });
  return data;
}
