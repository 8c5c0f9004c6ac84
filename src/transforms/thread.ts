// The gateway's side of one worker thread. It loads its modules, then takes one request at a time. A load or request
// that exceeds its limit of time or memory ends the thread, even in an endless loop.
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
import { heapLimits } from "./memory.ts";
import { createPendingResult, tooMuchMemory, type WorkerResult } from "./pending.ts";

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
  /** It takes no more requests. */
  hasEnded(): boolean;
  /** One request at a time, once loaded. */
  call(request: WorkerRequest, limitMs: number): Promise<CallResult[] | TransformFault>;
  end(): Promise<void>;
};

/** The modules that cannot be used, and those that were read. */
export type Loaded = { faults: readonly ModuleFault[]; snapshot: Snapshot | null };

type State = { hasEnded: boolean; reason: string };

export function startThread(options: ThreadOptions): TransformThread {
  const { worker, port } = startWorker(options);
  const progress: LoadProgress = { index: 0, faults: [] };
  const state: State = { hasEnded: false, reason: "it ended its worker thread, as process.exit() does" };

  const take = (message: WorkerMessage): void => {
    if (message.kind === "loading") progress.index = message.index;
    else if (message.kind === "unusable") progress.faults.push(message.fault);
    else pending.settle(message);
  };
  /** Reads messages that have arrived while this thread was too busy to read them. */
  const takeAll = (): void => {
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port))
      take(more.message as WorkerMessage);
  };
  const end = async (): Promise<void> => {
    state.hasEnded = true;
    state.reason = "the gateway is stopping";
    await worker.terminate();
  };
  const pending = createPendingResult(worker, { beforeLimit: takeAll, onLimit: () => void end() });

  port.on("message", take);
  worker.on("error", (fault) => {
    state.hasEnded = true;
    state.reason = reasonOf(fault);
  });
  worker.on("exit", () => {
    takeAll();
    state.hasEnded = true;
    pending.settle({ kind: "failed", reason: state.reason });
    port.close();
  });

  return {
    loaded: pending.wait(options.loadTimeoutMs).then((result) => loadedOf(result, progress, options)),
    hasEnded: () => state.hasEnded,
    end,
    async call(request, limitMs) {
      if (state.hasEnded) return { kind: "failed", reason: state.reason };
      const pendingResult = pending.wait(limitMs);
      port.postMessage(request);
      const result = await pendingResult;
      if (result.kind === "done") return JSON.parse(result.results) as CallResult[];
      return result.kind === "loaded" ? { kind: "failed", reason: "it sent no result" } : result;
    },
  };
}

/** `index`: the reference that is being loaded. */
type LoadProgress = { index: number; readonly faults: ModuleFault[] };

function loadedOf(
  result: WorkerResult,
  { index, faults }: LoadProgress,
  { references }: ThreadOptions,
): Loaded {
  if (result.kind === "loaded") return { faults, snapshot: result.snapshot };
  const reason = "reason" in result ? result.reason : "it sent a result too early";
  const fault = { index, message: `${references[index]?.module} cannot be loaded: ${reason}.` };
  return { faults: [...faults, fault], snapshot: null };
}

/** The thread gets a port of its own: a message that user code posts to its parent must not count as a result. */
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
