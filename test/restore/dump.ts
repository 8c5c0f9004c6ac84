// PostgreSQL: a dump of a database in use, restored into an empty one.
import { asOwner, createCluster, makeOwnFolder } from "./cluster.ts";
import { documented } from "./documented.ts";
import type { Drill } from "./drill.ts";
import { judge } from "./judge.ts";
import { startScene } from "./scene.ts";

export const dumpDrill: Drill = async ({ seed, report }) => {
  const folder = makeOwnFolder("restore-dump");
  const cluster = await createCluster(folder);
  try {
    const [dump = "", restore = ""] = documented("pg_dump");
    const scene = await startScene(cluster.url, seed);
    try {
      await scene.goOn();
      const mark = await scene.mark();
      await asOwner(dump, { cwd: folder, env: { DATABASE_URL: cluster.url } });
      const goneFrom = scene.next();
      await scene.goOn();
      await scene.end();

      await cluster.query("create database restored");
      const databaseUrl = cluster.url.replace(/postgres$/, "restored");
      await asOwner(restore, { cwd: folder, env: { DATABASE_URL: databaseUrl } });
      report("PostgreSQL, pg_dump while it ran", await judge({ scene, mark, goneFrom, databaseUrl }));
    } finally {
      await scene.remove();
    }
  } finally {
    await cluster.stop();
  }
};
