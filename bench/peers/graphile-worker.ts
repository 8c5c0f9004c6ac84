// graphile-worker: a job is one call of `add_job`, committed before the response. Worked in batches, as its pages
// recommend for throughput. A job that has ended is deleted.
import { importRival } from "../queue/rival.ts";
import { rowFinder } from "./database.ts";
import type { OpenPeer, PeerOptions, Work } from "./peer.ts";

type Utils = { migrate(): Promise<void>; addJob(task: string, payload: Work): Promise<unknown> };
type Library = {
  makeWorkerUtils(options: object): Promise<Utils>;
  run(options: object): Promise<unknown>;
  Logger: new (make: () => () => void) => unknown;
};

const task = "bench";
const pollInterval = 20;

export async function open({ address, concurrency, callAgent }: PeerOptions): Promise<OpenPeer> {
  const library = await importRival<Library>("graphile-worker");
  const logger = new library.Logger(() => () => {});
  const utils = await library.makeWorkerUtils({ connectionString: address, maxPoolSize: 20, logger });
  await utils.migrate();
  const worker = {
    connectionString: address,
    logger,
    pollInterval,
    concurrentJobs: concurrency,
    maxPoolSize: 20,
    localQueue: { size: concurrency + 1 },
    completeJobBatchDelay: 0,
  };
  const taskList = { [task]: ({ id }: Work) => callAgent?.(id) };
  if (callAgent) await library.run({ taskList, preset: { worker } });
  return {
    async accept(id, payload) {
      await utils.addJob(task, { id, payload });
    },
    hasUnfinished: await rowFinder(address, "select 1 from graphile_worker._private_jobs"),
  };
}
