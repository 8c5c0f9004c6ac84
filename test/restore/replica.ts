// PostgreSQL: a synchronous replica takes over after its primary was lost. Before that the replica is away for a while,
// in which nothing may be accepted.
import { join } from "node:path";
import { until } from "../support/process.ts";
import type { Sent } from "../system/crash-load.ts";
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
import { judge } from "./judge.ts";
import { isAccepted, type Scene, startScene } from "./scene.ts";

export const replicaDrill: Drill = async ({ seed, report }) => {
  const folder = makeOwnFolder("restore-replica");
  const primary = await createCluster(folder);
  const running = [primary];
  try {
    const data = await copyPrimary(folder, primary);
    const startStandby = async (): Promise<Cluster> => {
      const standby = await startCluster(data, passwordOf(primary), documented("cluster_name"));
      running.push(standby);
      return standby;
    };
    const first = await startStandby();
    for (const setting of documented("synchronous_standby_names"))
      await primary.query(`alter system set ${setting}`);
    await primary.query("select pg_reload_conf()");
    await inStep(primary);

    const scene = await startScene(primary.url, seed);
    try {
      await scene.goOn();
      await first.stop();
      const awayFaults = await nothingAccepted(scene);
      const standby = await startStandby();
      await inStep(primary);
      await scene.goOn();

      const { ended } = await scene.mark();
      await primary.destroy();
      await scene.end();
      await standby.query("select pg_promote()");
      await inCharge(standby);
      const mark = { accepted: scene.load.sent.filter(isAccepted), ended };
      const verdict = await judge({ scene, mark, goneFrom: null, databaseUrl: standby.url });
      report("PostgreSQL, its synchronous replica", {
        ...verdict,
        faults: [...awayFaults, ...verdict.faults],
      });
    } finally {
      await scene.remove();
    }
  } finally {
    for (const cluster of running.toReversed()) await cluster.stop();
  }
};

async function copyPrimary(folder: string, primary: Cluster): Promise<string> {
  const backups = makeOwnSubfolder(folder, "backup");
  const [copy = ""] = documented("--write-recovery-conf", backups);
  await asOwner(copy, { cwd: folder, env: { DATABASE_URL: primary.url } });
  return join(backups, "replica");
}

/** The primary waits for it at each commit. */
const inStep = (primary: Cluster): Promise<boolean> =>
  until("the replica is in step", async () => {
    const [row] = await primary.query("select sync_state from pg_stat_replication");
    return row?.["sync_state"] === "sync";
  });

/** No request that starts now gets a 2xx: the gateway is not ready, and responds with 503. */
async function nothingAccepted({ load, url, next, refused }: Scene): Promise<string[]> {
  const from = next();
  const before = refused();
  const sent = (): Sent[] => load.sent.filter(({ order }) => order >= from);
  const isReady = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
  await until("not ready", async () => sent().some(isAccepted) || !(await isReady()));
  await until("a 503", () => Promise.resolve(sent().some(isAccepted) || refused() > before));
  if (sent().length === 0) return ["nothing was sent while the replica was away"];
  return sent()
    .filter(isAccepted)
    .map(({ marker }) => `${marker} was accepted while the replica was away`);
}
