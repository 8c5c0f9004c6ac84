// A thread for work that would hold the event loop: one job after another. It is started with the first job, and ended
// when it was idle for a while.
import { Worker } from "node:worker_threads";

export type Thread<Job, Result> = {
  /** Null: the thread ended, or took too long and was ended. Never rejects. */
  run(job: Job): Promise<Result | null>;
  close(): Promise<void>;
};

export type ThreadOptions = {
  /** Gets jobs as messages, and posts one result for each. */
  readonly entry: URL;
  /** Of one job, the thread's start included. */
  readonly limitMs?: number;
  /** A thread without work ends after this time. */
  readonly idleMs?: number;
};

const largestHeapMb = 192;

export function createThread<Job, Result>({
  entry,
  limitMs = 20_000,
  idleMs = 10_000,
}: ThreadOptions): Thread<Job, Result> {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ending = worker;
    worker = null;
    await ending?.terminate();
  }

  async function work(job: Job): Promise<Result | null> {
    if (isClosed) return null;
    clearTimeout(idle);
    worker ??= startWorker(entry);
    const result = await resultOf<Result>(worker, job, limitMs);
    if (result === null) await end();
    if (!isClosed) idle = setTimeout(() => void end(), idleMs).unref();
    return result;
  }

  return {
    run(job) {
      const done = last.then(() => work(job));
      last = done;
      return done;
    },
    close() {
      isClosed = true;
      return end();
    },
  };
}

async function resultOf<Result>(worker: Worker, job: unknown, limitMs: number): Promise<Result | null> {
  const { promise, resolve } = Promise.withResolvers<Result | null>();
  const fail = (): void => resolve(null);
  const limit = setTimeout(fail, limitMs);
  worker.on("message", resolve).on("exit", fail).ref();
  worker.postMessage(job);
  const result = await promise;
  clearTimeout(limit);
  worker.off("message", resolve).off("exit", fail).unref();
  return result;
}

function startWorker(entry: URL): Worker {
  const code = `require("node:module").enableCompileCache(); import(${JSON.stringify(entry.href)});`;
  const worker = new Worker(code, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: largestHeapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  // Its end tells as much.
  return worker.on("error", () => {});
}
