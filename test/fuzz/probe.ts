// Loaded into every thread of the gateway's process before its own code (`--require`, which also reaches threads). The main thread answers on a
// socket file what memory all threads hold once everything that can be collected is, and how many connections are open
// to the gateway.
import { subscribe } from "node:diagnostics_channel";
import { createServer, type Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { BroadcastChannel, isMainThread, threadId } from "node:worker_threads";

export type Reading = {
  /** Of the main thread. */
  heapBytes: number;
  /** Of the thread with most. */
  threadHeapBytes: number;
  rssBytes: number;
  connections: number;
};

export const probeVariable = "ROUSE_FUZZ_PROBE";

type Heap = { thread: number; bytes: number };

const path = process.env[probeVariable];
if (path !== undefined) (isMainThread ? listen : tell)(path);

/** Twice: what a collection finds to finalise, only the next one frees. */
function heapOf(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A thread that is asked on this channel says what it holds. */
function tell(name: string): void {
  const channel = new BroadcastChannel(name);
  channel.unref();
  channel.addEventListener("message", (event) => {
    const { data } = event as MessageEvent;
    if (data === "read") channel.postMessage({ thread: threadId, bytes: heapOf() } satisfies Heap);
  });
}

const patienceMs = 10_000;
const lookMs = 50;

function listen(path: string): void {
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
  const probe = createServer((asked) => {
    asked.on("error", () => asked.destroy());
    asked.once("data", (question: Buffer) =>
      String(question) === "connections" ? asked.end(String(open.size)) : tellMemory(asked),
    );
  });
  const tellMemory = (asked: Socket): void => {
    heaps.clear();
    channel.postMessage("read");
    const askedAt = performance.now();
    // Threads come and go: as many as there ever were are waited for, and for a while.
    const look = setInterval(() => {
      const waitedMs = performance.now() - askedAt;
      if (waitedMs < 2 * lookMs || (heaps.size < mostThreads && waitedMs < patienceMs)) return;
      clearInterval(look);
      const reading: Reading = {
        heapBytes: heapOf(),
        threadHeapBytes: Math.max(0, ...heaps.values()),
        rssBytes: process.memoryUsage.rss(),
        connections: open.size,
      };
      asked.end(JSON.stringify(reading));
    }, lookMs);
  };
  subscribe("net.server.socket", (message) => {
    const { socket } = message as { socket: Socket & { server?: unknown } };
    if (socket.server === probe) return;
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  probe.listen(path).unref();
}
