// Transforms are the operator's modules that reshape requests. They run in processes of their own, so that
// an endless loop or a memory bomb in one fails its own request and no other.
import { createReaper } from "../processes/reaper.ts";
import type { CallResult, Snapshot, TransformCall, TransformFault, TransformReference } from "./call.ts";
import { createQueue, type QueueLimits, type TransformQueue } from "./queue.ts";
import { type Loaded, startProcess, type TransformProcess } from "./process.ts";

export type { CallResult, TransformCall, TransformFault, TransformReference } from "./call.ts";

export type Transforms = {
  /** One process makes all calls of a request, in order and within one time limit. Never rejects. */
  run(reference: TransformReference, calls: readonly TransformCall[]): Promise<CallResult[] | TransformFault>;
  /** Refuses the requests that wait and lets those that run finish. */
  close(): Promise<void>;
  /** Ends those that run, too. Comes before `close` or while it waits. */
  stop(): void;
};

export type LoadFault = { reference: TransformReference; message: string };

export type TransformsOptions = {
  transformsDir: string;
  references: readonly TransformReference[];
  timeoutMs: number;
  /** Gets what transforms print, which never reaches the gateway's own output. */
  onOutput?: ((text: string) => void) | undefined;
  limits?: Partial<Omit<QueueLimits, "timeoutMs">> & { loadTimeoutMs?: number };
};

export type OpenedTransforms = { ok: true; transforms: Transforms } | { ok: false; faults: LoadFault[] };

const usual = { loadTimeoutMs: 30_000, waitMs: 10_000, waiting: 1_000, idleMs: 30_000 };

/**
 * Loads every module in a process. Reports at most one fault for each reference, however often it is given. Modules are
 * read once for all processes, so edited ones need a new pool.
 */
export async function openTransforms(options: TransformsOptions): Promise<OpenedTransforms> {
  const { transformsDir, timeoutMs, onOutput } = options;
  const limits = { ...usual, ...options.limits, timeoutMs };
  const { loadTimeoutMs } = limits;
  const references = [...new Map(options.references.map((each) => [keyOf(each), each])).values()];
  const reaper = createReaper();
  const startWith = (snapshot: Snapshot | null) =>
    startProcess({ transformsDir, references, snapshot, loadTimeoutMs, onOutput, reaper });
  const { first, faults, snapshot } = await load(references.length, () => startWith(null));
  if (faults.length === 0)
    return {
      ok: true,
      transforms: serve(
        references,
        createQueue(first, () => startWith(snapshot), limits),
      ),
    };
  await first?.end();
  return {
    ok: false,
    faults: faults.map(({ index, message }) => ({ reference: references[index]!, message })),
  };
}

type First = Loaded & { first: TransformProcess | null };

/** Starts the first process; none without references. */
async function load(references: number, start: () => TransformProcess): Promise<First> {
  if (references === 0) return { first: null, faults: [], snapshot: null };
  try {
    const first = start();
    return { first, ...(await first.loaded) };
  } catch {
    const message = "No process could be started for transforms: look at this user's limits of processes.";
    return { first: null, faults: [{ index: 0, message }], snapshot: null };
  }
}

function serve(references: readonly TransformReference[], queue: TransformQueue): Transforms {
  const indexes = new Map(references.map((reference, index) => [keyOf(reference), index]));
  return {
    async run(reference, calls) {
      const index = indexes.get(keyOf(reference));
      if (index === undefined) return { kind: "failed", reason: `${reference.module} is not loaded` };
      return calls.length === 0 ? [] : queue.add({ index, calls });
    },
    close: queue.close,
    stop: queue.stop,
  };
}

const keyOf = (reference: TransformReference): string => JSON.stringify([reference.module, reference.export]);
