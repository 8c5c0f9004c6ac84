// pg-boss: a job is one insert, committed before the response. Worked through `fetch` and `complete` in batches, which
// is faster than its own worker: that one rests for half a second whenever a batch was not full.
import { importRival } from "../queue/rival.ts";
import { rowFinder } from "./database.ts";
import type { CallAgent, OpenPeer, PeerOptions, Work } from "./peer.ts";

type Boss = {
  on(event: "error", heard: (fault: unknown) => void): void;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<void>;
  send(name: string, data: Work): Promise<unknown>;
  fetch(name: string, options: { batchSize: number }): Promise<{ id: string; data: Work }[]>;
  complete(name: string, ids: string[]): Promise<unknown>;
};

const queue = "bench";
const restMs = 5;
const fetchers = 2;

export async function open({ address, concurrency, callAgent }: PeerOptions): Promise<OpenPeer> {
  const { PgBoss } = await importRival<{ PgBoss: new (options: object) => Boss }>("pg-boss");
  const boss = new PgBoss({ connectionString: address, max: 20, supervise: false, schedule: false });
  boss.on("error", (fault) => console.error(fault));
  await boss.start();
  await boss.createQueue(queue);
  const batchSize = concurrency / fetchers;
  if (callAgent) for (let at = 0; at < fetchers; at++) void work(boss, batchSize, callAgent);
  return {
    async accept(id, payload) {
      await boss.send(queue, { id, payload });
    },
    hasUnfinished: await rowFinder(
      address,
      "select 1 from pgboss.job where name = 'bench' and state in ('created', 'retry', 'active')",
    ),
  };
}

async function work(boss: Boss, batchSize: number, callAgent: CallAgent): Promise<never> {
  for (;;) {
    const jobs = await boss.fetch(queue, { batchSize });
    await Promise.all(jobs.map(({ data }) => callAgent(data.id)));
    const ids = jobs.map(({ id }) => id);
    if (ids.length > 0) await boss.complete(queue, ids);
    else await new Promise((resolve) => setTimeout(resolve, restMs));
  }
}
