// Loaded into every thread of the gateway's process before its own code, by `--require`. The main thread
// reports on a socket file how much memory all threads hold after a garbage collection, how many connections are open
// to the gateway, and for how long its event loop was held.
import { subscribe } from "node:diagnostics_channel";
import { createServer, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads";
import { type Hold, watchHolds } from "./held.ts";

export type Reading = {
  /** Of the main thread. */
  heapBytes: number;
  /** Of the thread with most. */
  threadHeapBytes: number;
  rssBytes: number;
  connections: number;
  /** The longest since the last reading. */
  holds: readonly Hold[];
};

export const probeVariable = "ROUSE_FUZZ_PROBE";

type Heap = { thread: number; bytes: number };

const path = process.env[probeVariable];
if (path !== undefined) (isMainThread ? listen : tell)(path);

/** Twice, because objects with finalisers are freed only by the next collection. */
function heapOf(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Reports this thread's memory for each "read" on the channel. */
function tell(name: string): void {
  const channel = new BroadcastChannel(name);
  channel.unref();
  channel.addEventListener("message", (event) => {
    const { data } = event as MessageEvent;
    if (data === "read") channel.postMessage({ thread: threadId, bytes: heapOf() } satisfies Heap);
  });
}

const longestWaitMs = 10_000;
const pollMs = 50;

function listen(path: string): void {
  const watch = watchHolds();
  const heaps = new Map<number, number>();
  let mostThreads = 0;
  const channel = new BroadcastChannel(path);
  channel.unref();
  channel.addEventListener("message", (event) => {
    const { data } = event as MessageEvent;
    const { thread, bytes } = data as Heap;
    heaps.set(thread, bytes);
    mostThreads = Math.max(mostThreads, heaps.size);
  });
  const open = new Set<Socket>();
  const probe = createServer((client) => {
    client.on("error", () => client.destroy());
    client.once("data", (question: Buffer) =>
      String(question) === "connections" ? client.end(String(open.size)) : tellMemory(client),
    );
  });
  const tellMemory = (client: Socket): void => {
    heaps.clear();
    channel.postMessage("read");
    const startedAt = performance.now();
    // Threads come and go: waits for as many as there ever were, up to a bound.
    const poll = setInterval(() => {
      const waitedMs = performance.now() - startedAt;
      if (waitedMs < 2 * pollMs || (heaps.size < mostThreads && waitedMs < longestWaitMs)) return;
      clearInterval(poll);
      const reading: Reading = {
        heapBytes: watch.without(heapOf),
        threadHeapBytes: Math.max(0, ...heaps.values()),
        rssBytes: process.memoryUsage.rss(),
        connections: open.size,
        holds: watch.longest(),
      };
      client.end(JSON.stringify(reading));
    }, pollMs);
  };
  subscribe("net.server.socket", (message) => {
    const { socket } = message as { socket: Socket & { server?: unknown } };
    if (socket.server === probe) return;
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  // A process that the gateway started finds the place taken: it is not the one to read.
  probe
    .on("error", () => {})
    .listen(path)
    .unref();
}
