// pg-boss: its policy `key_strict_fifo` runs the jobs of a key one at a time and in order. Worked through `fetch` and
// `complete` in batches, because its own worker pauses for at least half a second after every batch that is not full,
// which with few lanes is nearly every batch.
import type { Handle, Job, QueueContender } from "./contender.ts";
import { importRival } from "./rival.ts";

type Fetched = { id: string; data: Job };
type Boss = {
  on(event: "error", heard: (fault: unknown) => void): void;
  start(): Promise<unknown>;
  stop(options: { graceful: boolean }): Promise<void>;
  getQueue(name: string): Promise<unknown>;
  createQueue(name: string, options: { policy: string }): Promise<void>;
  insert(name: string, jobs: { data: Job; singletonKey: string }[]): Promise<unknown>;
  fetch(name: string, options: { batchSize: number }): Promise<Fetched[]>;
  complete(name: string, ids: string[]): Promise<unknown>;
};
type Library = { PgBoss: new (options: object) => Boss };

const queue = "bench";
const batch = 5000;
const restMs = 5;

async function open(address: string, slots: number): Promise<Boss> {
  const { PgBoss } = await importRival<Library>("pg-boss");
  const boss = new PgBoss({ connectionString: address, max: slots + 2, supervise: false, schedule: false });
  boss.on("error", (fault) => console.error(fault));
  await boss.start();
  return boss;
}

export const pgBoss: QueueContender = {
  async fill(address, jobs) {
    const boss = await open(address, 2);
    if ((await boss.getQueue(queue)) == null) await boss.createQueue(queue, { policy: "key_strict_fifo" });
    for (let at = 0; at < jobs.length; at += batch)
      await boss.insert(queue, jobs.slice(at, at + batch).map(insertOf));
    await boss.stop({ graceful: false });
  },
  async work(address, slots, handle) {
    const boss = await open(address, slots);
    const stopping = new AbortController();
    const working = workUntil(stopping.signal, boss, slots, handle);
    return {
      async stop() {
        stopping.abort();
        await working;
        await boss.stop({ graceful: false });
      },
    };
  },
  unfinishedSql: "select count(*) as count from pgboss.job where state in ('created', 'retry', 'active')",
};

const insertOf = (job: Job) => ({ data: job, singletonKey: job.lane });

async function workUntil(stopping: AbortSignal, boss: Boss, slots: number, handle: Handle): Promise<void> {
  while (!stopping.aborted) {
    const jobs = await boss.fetch(queue, { batchSize: slots });
    if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    await Promise.all(jobs.map(({ data }) => handle(data.lane)));
    if (jobs.length > 0)
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      );
  }
}
