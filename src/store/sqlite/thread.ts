// The gateway's side of the writer thread. A thread that dies is started again, and its pending calls are refused.
import { Worker } from "node:worker_threads";
import { StoreUnavailable, UsageError } from "../../core/errors.ts";
import type { Call } from "./engine.ts";
import { createPendingCalls } from "./pending-calls.ts";
import type { WriterResult, WriterFault, WriterRequest } from "./writer.ts";

export type WriterThread = {
  /** Called once, before anything is written. */
  open(path: string): void;
  write(call: Call): Promise<unknown>;
  close(): Promise<void>;
};

type Pending = { resolve(result: unknown): void; reject(fault: unknown): void };

/** The thread starts at once and loads its code; the file may be named later. */
export function startWriterThread(): WriterThread {
  const pending = createPendingCalls<Pending>();
  let path: string | null = null;
  let outgoing: WriterRequest[] = [];
  let closing = false;

  const settle = (results: readonly WriterResult[]): void => {
    for (const { id, result, fault } of results) {
      const waiting = pending.take(id);
      if (fault) waiting?.reject(toError(fault));
      else waiting?.resolve(result);
    }
  };

  const start = (): Worker => {
    // In the published package both files end in .js.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    const entry = new URL(`./writer.${extension}`, import.meta.url);
    // A thread has no compile cache by default; without one it takes 30 MB more and starts 0.1 s later.
    const code = `require("node:module").enableCompileCache(); import(${JSON.stringify(entry.href)});`;
    const started = new Worker(code, { eval: true });
    if (path !== null) started.postMessage(path);
    // Ids are used again, so a late message of an earlier thread must settle no call of this one.
    started.on("message", (results: readonly WriterResult[]) => {
      if (worker === started) settle(results);
    });
    let reason = "the writer thread ended";
    // The class of a fault does not come along from another thread.
    started.on("error", (fault) => {
      if (fault instanceof Error && fault.name === "StoreUnavailable") reason = fault.message;
    });
    started.on("exit", () => {
      if (worker === started) worker = null;
      for (const { reject } of pending.takeAll()) reject(new StoreUnavailable(reason));
    });
    return started;
  };
  let worker: Worker | null = start();

  const flush = (): void => {
    const requests = outgoing;
    outgoing = [];
    worker ??= start();
    worker.postMessage(requests);
  };

  return {
    open(file) {
      path = file;
      worker?.postMessage(file);
    },
    write({ name, input }) {
      if (closing) return Promise.reject(new StoreUnavailable("the store is closed"));
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const id = pending.put({ resolve, reject });
      if (outgoing.push({ id, name, input }) === 1) queueMicrotask(flush);
      return promise;
    },
    async close() {
      closing = true;
      const ending = worker;
      if (!ending) return;
      const ended = new Promise<void>((resolve) => ending.once("exit", () => resolve()));
      queueMicrotask(() => ending.postMessage([]));
      await ended;
    },
  };
}

const toError = ({ kind, message, code }: WriterFault): Error => {
  if (kind === "unavailable") return new StoreUnavailable(message);
  if (kind === "usage") return new UsageError(message);
  return Object.assign(new Error(message), code === null ? {} : { code });
};
