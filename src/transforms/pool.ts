// Transforms: modules of the operator's that reshape a request, run in worker threads, so that an endless loop or a
// memory bomb in one costs its own request and nothing else.
import type { CallResult, Snapshot, TransformCall, TransformFault, TransformReference } from "./call.ts";
import { createQueue, type QueueLimits, type TransformQueue } from "./queue.ts";
import { startThread } from "./thread.ts";

export type { CallResult, TransformCall, TransformFault, TransformReference } from "./call.ts";

export type Transforms = {
  /** All calls of one request go to one worker in order; one time limit for all of them. Never rejects. */
  run(reference: TransformReference, calls: readonly TransformCall[]): Promise<CallResult[] | TransformFault>;
  /** Calls that wait are refused, calls that run are finished. */
  close(): Promise<void>;
};

export type LoadFault = { reference: TransformReference; message: string };

export type TransformsOptions = {
  transformsDir: string;
  references: readonly TransformReference[];
  timeoutMs: number;
  /** What transforms print; never on the gateway's own output. */
  onOutput?: ((text: string) => void) | undefined;
  limits?: Partial<Omit<QueueLimits, "timeoutMs">> & { loadTimeoutMs?: number };
};

export type OpenedTransforms = { ok: true; transforms: Transforms } | { ok: false; faults: LoadFault[] };

const usual = { loadTimeoutMs: 30_000, waitMs: 10_000, waiting: 1_000, idleMs: 30_000 };

/**
 * Loads every module in a worker; at most one fault for each reference, however often it is given. Modules are
 * read once, for all workers: edited ones need a new pool.
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
  const places = new Map(references.map((reference, index) => [keyOf(reference), index]));
  return {
    async run(reference, calls) {
      const index = places.get(keyOf(reference));
      if (index === undefined) return { kind: "failed", reason: `${reference.module} is not loaded` };
      return queue.add({ index, calls: JSON.stringify(calls) });
    },
    close: queue.close,
  };
}

const keyOf = (reference: TransformReference): string => JSON.stringify([reference.module, reference.export]);
