// graphile-worker: a lane is a named queue, which runs one job at a time. Measured with batches, as its documentation
// recommends for throughput, and with its defaults: neither is faster for every number of lanes.
import type { Job, QueueContender } from "./contender.ts";
import { importRival } from "./rival.ts";

type Spec = { identifier: string; payload: Job; queueName: string };
type Utils = { migrate(): Promise<void>; addJobs(jobs: Spec[]): Promise<unknown>; release(): Promise<void> };
type Library = {
  makeWorkerUtils(options: { connectionString: string; logger: unknown }): Promise<Utils>;
  run(options: object): Promise<{ stop(): Promise<void> }>;
  Logger: new (make: () => () => void) => unknown;
};

const task = "bench";
const batch = 5000;
/** Milliseconds between polls of an empty queue. With few lanes its default of two seconds would decide the result. */
const pollInterval = 20;

const load = async (): Promise<{ library: Library; logger: unknown }> => {
  const library = await importRival<Library>("graphile-worker");
  return { library, logger: new library.Logger(() => () => {}) };
};

const withSettings = (settings: (slots: number) => object): QueueContender => ({
  async fill(address, jobs) {
    const { library, logger } = await load();
    const utils = await library.makeWorkerUtils({ connectionString: address, logger });
    await utils.migrate();
    for (let at = 0; at < jobs.length; at += batch)
      await utils.addJobs(jobs.slice(at, at + batch).map(specOf));
    await utils.release();
  },
  async work(address, slots, handle) {
    const { library, logger } = await load();
    const runner = await library.run({
      taskList: { [task]: ({ lane }: Job) => handle(lane) },
      preset: {
        worker: {
          connectionString: address,
          logger,
          concurrentJobs: slots,
          maxPoolSize: slots + 2,
          pollInterval,
          ...settings(slots),
        },
      },
    });
    return { stop: () => runner.stop() };
  },
  unfinishedSql: "select count(*) as count from graphile_worker._private_jobs",
});

const specOf = (job: Job): Spec => ({ identifier: task, payload: job, queueName: job.lane });

export const oneByOne = withSettings(() => ({}));
export const inBatches = withSettings((slots) => ({
  localQueue: { size: slots + 1 },
  completeJobBatchDelay: 0,
}));
