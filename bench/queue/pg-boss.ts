// pg-boss: its policy `key_strict_fifo` runs the jobs of a key one at a time and in order. It is worked through
// `fetch` and `complete`, in batches: its own worker rests for half a second at least whenever a batch was not full,
// as batches often are not when lanes are few.
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

async function open(place: string, places: number): Promise<Boss> {
  const { PgBoss } = await importRival<Library>("pg-boss");
  const boss = new PgBoss({ connectionString: place, max: places + 2, supervise: false, schedule: false });
  boss.on("error", (fault) => console.error(fault));
  await boss.start();
  return boss;
}

export const pgBoss: QueueContender = {
  async fill(place, jobs) {
    const boss = await open(place, 2);
    if ((await boss.getQueue(queue)) == null) await boss.createQueue(queue, { policy: "key_strict_fifo" });
    for (let at = 0; at < jobs.length; at += batch)
      await boss.insert(queue, jobs.slice(at, at + batch).map(insertOf));
    await boss.stop({ graceful: false });
  },
  async work(place, places, handle) {
    const boss = await open(place, places);
    const stopping = new AbortController();
    const working = workUntil(stopping.signal, boss, places, handle);
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

async function workUntil(stopping: AbortSignal, boss: Boss, places: number, handle: Handle): Promise<void> {
  while (!stopping.aborted) {
    const jobs = await boss.fetch(queue, { batchSize: places });
    if (jobs.length === 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    await Promise.all(jobs.map(({ data }) => handle(data.lane)));
    if (jobs.length > 0)
      await boss.complete(
        queue,
        jobs.map(({ id }) => id),
      );
  }
}
