// The worker thread that runs transforms. It loads every module, then takes one request after another.
import { isMainThread, workerData } from "node:worker_threads";
import type { Transform } from "../sdk/transform.ts";
import {
  type CallResult,
  oneLine,
  type TransformCall,
  type TransformReference,
  type WorkerMessage,
  type WorkerRequest,
  type WorkerStart,
} from "./call.ts";
import { findModule, loadTransform, registerTransformHooks } from "./load.ts";
import { readResult } from "./result.ts";

async function work({ port, transformsDir, references, snapshot }: WorkerStart): Promise<void> {
  const send = (message: WorkerMessage): void => port.postMessage(message);
  const loaded: (Transform | string)[] = [];
  const entries: string[] = [];
  const modules = registerTransformHooks(transformsDir, snapshot?.modules ?? new Map());
  const load = async (reference: TransformReference, index: number): Promise<Transform> => {
    const url = snapshot?.entries[index] ?? findModule(transformsDir, reference);
    entries[index] = url;
    return loadTransform(url, reference);
  };
  // Registered before loading: the listener keeps the thread alive while a module awaits something.
  port.on("message", ({ index, calls }: WorkerRequest) => {
    const transform = loaded[index] ?? "it is not loaded";
    const results =
      typeof transform === "string" ? Promise.reject(new Error(transform)) : run(transform, calls);
    results.then(
      (done) => send({ kind: "done", results: done }),
      (fault: unknown) => send({ kind: "failed", reason: messageOf(fault) }),
    );
  });
  for (const [index, reference] of references.entries()) {
    send({ kind: "loading", index });
    const transform = await load(reference, index).catch(messageOf);
    if (typeof transform === "string") send({ kind: "unusable", fault: { index, message: transform } });
    loaded.push(transform);
  }
  send({ kind: "loaded", snapshot: snapshot ?? { entries, modules } });
}

async function run(transform: Transform, calls: string): Promise<string> {
  const results: CallResult[] = [];
  for (const { input, action } of JSON.parse(calls, freeze) as TransformCall[]) {
    const returned = await call(transform, input, action);
    results.push(readResult(returned));
  }
  return JSON.stringify(results);
}

async function call(transform: Transform, ...[input, action]: Parameters<Transform>): Promise<unknown> {
  try {
    return await transform(input, action);
  } catch (fault) {
    const what = fault instanceof Error ? `${fault.name}: ${fault.message}` : String(fault);
    throw new Error(`it threw ${what}`, { cause: fault });
  }
}

/** A reviver for `JSON.parse`, which visits every value. */
const freeze = (_key: string, value: unknown): unknown => Object.freeze(value);

const messageOf = (fault: unknown): string =>
  oneLine(fault instanceof Error ? fault.message : "it threw something that is not an error");

if (!isMainThread) await work(workerData as WorkerStart);
