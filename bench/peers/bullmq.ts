// BullMQ on a Redis with `appendfsync always`: Redis replies after the write is in its append-only file and flushed.
import { importRival } from "../queue/rival.ts";
import type { OpenPeer, PeerOptions, Work } from "./peer.ts";

type Counts = Record<string, number>;
type Queue = {
  add(name: string, data: Work): Promise<unknown>;
  getJobCounts(...types: string[]): Promise<Counts>;
};
type Library = {
  Queue: new (name: string, options: object) => Queue;
  Worker: new (
    name: string,
    handle: (job: { data: Work }) => Promise<void>,
    options: object,
  ) => { run(): Promise<void> };
};

const name = "bench";

export async function open({ address, concurrency, callAgent }: PeerOptions): Promise<OpenPeer> {
  const { Queue, Worker } = await importRival<Library>("bullmq");
  const connection = { host: "127.0.0.1", port: Number(address) };
  const queue = new Queue(name, { connection });
  if (callAgent) {
    const options = { connection, concurrency, autorun: false };
    void new Worker(name, ({ data }) => callAgent(data.id), options).run();
  }
  return {
    async accept(id, payload) {
      await queue.add("run", { id, payload });
    },
    async hasUnfinished() {
      const counts = await queue.getJobCounts("wait", "active", "delayed", "prioritized");
      return Object.values(counts).some((count) => count > 0);
    },
  };
}
