// The gateway's side of one worker thread. It has one question at a time: load, then request after request, each with a
// limit of time and memory. What goes beyond them is ended, endless loop or not.
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import {
  type CallResult,
  type ModuleFault,
  oneLine,
  type Snapshot,
  type TransformFault,
  type TransformReference,
  type WorkerMessage,
  type WorkerRequest,
  type WorkerStart,
} from "./call.ts";
import { heapLimits, memoryMb, watchMemory } from "./memory.ts";

export type ThreadOptions = {
  transformsDir: string;
  references: readonly TransformReference[];
  /** Null: the modules are read from the folder. */
  snapshot: Snapshot | null;
  loadTimeoutMs: number;
  onOutput: ((text: string) => void) | undefined;
};

export type TransformThread = {
  /** Never rejects. */
  readonly loaded: Promise<Loaded>;
  /** Nothing can be asked any more. */
  hasEnded(): boolean;
  /** One at a time, once loaded. */
  call(request: WorkerRequest, limitMs: number): Promise<CallResult[] | TransformFault>;
  end(): Promise<void>;
};

/** The modules that cannot be used, and those that were read. */
export type Loaded = { faults: readonly ModuleFault[]; snapshot: Snapshot | null };

const tooMuchMemory = `it used more than ${memoryMb} MB of memory`;

type Answer = Extract<WorkerMessage, { kind: "loaded" }> | { kind: "done"; results: string } | TransformFault;

export function startThread(options: ThreadOptions): TransformThread {
  const { worker, port } = startWorker(options);
  const faults: ModuleFault[] = [];
  let loading = 0;
  let settle: ((answer: Answer) => void) | null = null;
  let hasEnded = false;
  let reason = "it ended its worker thread, as process.exit() does";

  const take = (message: WorkerMessage): void => {
    if (message.kind === "loading") loading = message.index;
    else if (message.kind === "unusable") faults.push(message.fault);
    else settle?.(message);
  };
  /** An answer may have come that this thread was too busy to see. */
  const takeAll = (): void => {
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port))
      take(more.message as WorkerMessage);
  };
  const end = async (): Promise<void> => {
    hasEnded = true;
    reason = "the gateway is stopping";
    await worker.terminate();
  };
  const ask = (limitMs: number): Promise<Answer> => {
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const giveUp = (fault: TransformFault): void => {
      takeAll();
      if (!settle) return;
      settle(fault);
      void end();
    };
    const late: TransformFault = { kind: "timeout", reason: `it took longer than ${limitMs} ms` };
    const timer = setTimeout(giveUp, limitMs, late);
    const endWatch = watchMemory(worker, () => giveUp({ kind: "failed", reason: tooMuchMemory }));
    settle = (answer) => {
      settle = null;
      clearTimeout(timer);
      endWatch();
      resolve(answer);
    };
    return promise;
  };

  port.on("message", take);
  worker.on("error", (fault) => {
    hasEnded = true;
    reason = reasonOf(fault);
  });
  worker.on("exit", () => {
    takeAll();
    hasEnded = true;
    settle?.({ kind: "failed", reason });
    port.close();
  });

  const load = async (): Promise<Loaded> => {
    const answer = await ask(options.loadTimeoutMs);
    if (answer.kind === "loaded") return { faults, snapshot: answer.snapshot };
    const reason = "reason" in answer ? answer.reason : "it answered too early";
    const name = options.references[loading]?.module;
    const fault = { index: loading, message: `${name} cannot be loaded: ${reason}.` };
    return { faults: [...faults, fault], snapshot: null };
  };

  return {
    loaded: load(),
    hasEnded: () => hasEnded,
    end,
    async call(request, limitMs) {
      if (hasEnded) return { kind: "failed", reason };
      const asked = ask(limitMs);
      port.postMessage(request);
      const answer = await asked;
      if (answer.kind === "done") return JSON.parse(answer.results) as CallResult[];
      return answer.kind === "loaded" ? { kind: "failed", reason: "it did not answer" } : answer;
    },
  };
}

/** Over a port of its own, so that what user code posts to its parent is not taken for an answer. */
function startWorker(options: ThreadOptions): { worker: Worker; port: MessagePort } {
  const { transformsDir, references, snapshot, onOutput } = options;
  const { port1, port2 } = new MessageChannel();
  const workerData: WorkerStart = { port: port2, transformsDir, references, snapshot };
  // Compiled, this file is .js and so is the thread's; the compile cache must be asked for in each thread.
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const entry = new URL(`./worker.${extension}`, import.meta.url);
  const code = `require("node:module").enableCompileCache(); import(${JSON.stringify(entry.href)});`;
  const worker = new Worker(code, {
    eval: true,
    stdout: true,
    stderr: true,
    workerData,
    transferList: [port2],
    resourceLimits: heapLimits,
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => onOutput?.(text));
  return { worker, port: port1 };
}

function reasonOf(fault: unknown): string {
  if (!(fault instanceof Error)) return "it threw something that is not an error, outside of a call";
  if ("code" in fault && fault.code === "ERR_WORKER_OUT_OF_MEMORY") return tooMuchMemory;
  return oneLine(`it threw outside of a call: ${fault.name}: ${fault.message}`);
}
