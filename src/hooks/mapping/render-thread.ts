// The gateway's side of the thread that renders what may take long. The thread is started when it is first needed, and
// ended when it was idle for a while. It takes one job at a time, so that a job which ends in no time can be ended with
// its thread.
import { Worker } from "node:worker_threads";
import type { MappingConfig } from "../../config/config.ts";
import { tookTooLong } from "../template/budget.ts";
import type { RenderJob, RenderResult } from "./render-job.ts";

export type RenderThread = {
  /** Never rejects. */
  render(job: RenderJob): Promise<RenderResult>;
  close(): Promise<void>;
};

type Limits = { waiting: number; waitMs: number; idleMs: number; longestMs: number };
/**
 * `longestMs`: the thread itself ends a job that is over its processor time, between two nodes of a template. One that
 * hangs in a single filter is ended with its thread. It includes the thread's start, and waiting for a processor.
 */
const usual: Limits = { waiting: 100, waitMs: 10_000, idleMs: 30_000, longestMs: 5_000 };

type Waiting = { job: RenderJob; since: number; resolve(result: RenderResult): void };

export function createRenderThread(
  mappings: readonly MappingConfig[],
  limits: Partial<Limits> = {},
): RenderThread {
  const { waiting: mostWaiting, waitMs, idleMs, longestMs } = { ...usual, ...limits };
  const waiting: Waiting[] = [];
  let worker: Worker | null = null;
  let settle: ((result: RenderResult) => void) | null = null;
  let idle: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = startWorker(mappings);
    started.on("message", (result: RenderResult) => {
      if (worker === started) settle?.(result);
    });
    started.on("error", () => {});
    started.on("exit", () => {
      if (worker !== started) return;
      worker = null;
      settle?.({ kind: "failed", reason: "the thread that renders templates ended" });
    });
    return started;
  }

  function end(): Promise<unknown> {
    const ended = worker;
    worker = null;
    return ended?.terminate() ?? Promise.resolve();
  }

  function run({ job, resolve }: Waiting): void {
    clearTimeout(idle);
    worker ??= start();
    worker.ref();
    const timer = setTimeout(() => {
      void end();
      settle?.({ kind: "failed", reason: tookTooLong(job.limits) });
    }, longestMs);
    settle = (result) => {
      clearTimeout(timer);
      settle = null;
      worker?.unref();
      resolve(result);
      advance();
    };
    worker.postMessage(job);
  }

  function advance(): void {
    while (settle === null) {
      const next = waiting.shift();
      if (next === undefined) {
        idle = setTimeout(() => void end(), idleMs).unref();
        return;
      }
      if (performance.now() - next.since <= waitMs) run(next);
      else next.resolve({ kind: "busy" });
    }
  }

  return {
    async render(job) {
      if (waiting.length >= mostWaiting) return { kind: "busy" };
      const { promise, resolve } = Promise.withResolvers<RenderResult>();
      waiting.push({ job, since: performance.now(), resolve });
      if (settle === null) advance();
      return promise;
    },
    async close() {
      clearTimeout(idle);
      await end();
    },
  };
}

function startWorker(mappings: readonly MappingConfig[]): Worker {
  // Compiled, this file is .js and so is the thread's; the compile cache must be asked for in each thread.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const entry = new URL(`./render-worker.${extension}`, import.meta.url);
  const code = `require("node:module").enableCompileCache(); import(${JSON.stringify(entry.href)});`;
  return new Worker(code, { eval: true, workerData: mappings });
}
