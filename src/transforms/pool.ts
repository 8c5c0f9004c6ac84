// Transforms are the operator's modules that reshape requests. They run in worker threads, so that an endless loop or
// a memory bomb in one fails its own request and no other.
import type { CallResult, Snapshot, TransformCall, TransformFault, TransformReference } from "./call.ts";
import { createQueue, type QueueLimits, type TransformQueue } from "./queue.ts";
import { startThread } from "./thread.ts";

export type { CallResult, TransformCall, TransformFault, TransformReference } from "./call.ts";

export type Transforms = {
  /** One worker makes all calls of a request, in order and within one time limit. Never rejects. */
  run(reference: TransformReference, calls: readonly TransformCall[]): Promise<CallResult[] | TransformFault>;
  /** Refuses the requests that wait and lets those that run finish. */
  close(): Promise<void>;
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
 * Loads every module in a worker. Reports at most one fault for each reference, however often it is given. Modules are
 * read once for all workers, so edited ones need a new pool.
 */
export async function openTransforms(options: TransformsOptions): Promise<OpenedTransforms> {
  const { transformsDir, timeoutMs, onOutput } = options;
  const limits = { ...usual, ...options.limits, timeoutMs };
  const { loadTimeoutMs } = limits;
  const references = [...new Map(options.references.map((each) => [keyOf(each), each])).values()];
  const startWith = (snapshot: Snapshot | null) =>
    startThread({ transformsDir, references, snapshot, loadTimeoutMs, onOutput });
  const first = references.length === 0 ? null : startWith(null);
  const { faults, snapshot } = (await first?.loaded) ?? { faults: [], snapshot: null };
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

function serve(references: readonly TransformReference[], queue: TransformQueue): Transforms {
  const indexes = new Map(references.map((reference, index) => [keyOf(reference), index]));
  return {
    async run(reference, calls) {
      const index = indexes.get(keyOf(reference));
      if (index === undefined) return { kind: "failed", reason: `${reference.module} is not loaded` };
      return queue.add({ index, calls: JSON.stringify(calls) });
    },
    close: queue.close,
  };
}

const keyOf = (reference: TransformReference): string => JSON.stringify([reference.module, reference.export]);
