// The gateway's side of one process that runs transforms. It loads its modules, then takes one request at a time. A
// load or request that exceeds its limit of time, memory or size ends the process and what it has started, even in an
// endless loop.
import { randomBytes } from "node:crypto";
import type { Reaper } from "../processes/reaper.ts";
import {
  type ModuleFault,
  oneLine,
  type ProcessMessage,
  type ProcessStart,
  type Snapshot,
  stopping,
  tooLarge,
  type TransformFault,
  type TransformReference,
} from "./call.ts";
import { createCalls } from "./calls.ts";
import { createFrameReader, frameOf, keyBytes, noKey } from "./frames.ts";
import { startLife } from "./life.ts";
import { readMessage } from "./message.ts";
import type { WaitingRequest } from "./waiting.ts";
import { createWatch } from "./watch.ts";

export type ProcessOptions = Omit<ProcessStart, "key"> & {
  loadTimeoutMs: number;
  onOutput: ((text: string) => void) | undefined;
  reaper: Reaper;
};

export type TransformProcess = {
  /** Never rejects. */
  readonly loaded: Promise<Loaded>;
  /** It takes no more requests. */
  hasEnded(): boolean;
  /** Works these one after another, once loaded. Resolves with those that were not begun. */
  run(requests: readonly WaitingRequest[], limitMs: number): Promise<WaitingRequest[]>;
  /** Whether each call of the last run was: it may be given several requests at once. */
  wereQuick(): boolean;
  /** Ends with the request that runs. */
  takeNoMore(): void;
  end(): Promise<void>;
};

/** The modules that cannot be used, and those that were read. */
export type Loaded = { faults: readonly ModuleFault[]; snapshot: Snapshot | null };

/** Beside a result: the message around it, or a reason. */
const messageBytes = 10_000;
const largestSnapshotBytes = 64 * 1024 * 1024;

/** Throws where the system refuses to start it. Long: the steps of one life share its state. */
export function startProcess(options: ProcessOptions): TransformProcess {
  const { transformsDir, references, snapshot, loadTimeoutMs } = options;
  const life = startLife(options);
  const key = randomBytes(keyBytes);
  /** Null once loaded. */
  let loading: Loading | null = createLoading(references);
  let isCut = false;
  let stray: string | null = null;

  const settle = (fault: TransformFault): void => {
    loading?.fail(fault.reason);
    loading = null;
    calls.breakOff(fault);
  };
  const cut = (fault: TransformFault): void => {
    isCut = true;
    watch.stop();
    life.kill();
    settle(fault);
  };
  const fail = (reason: string): void => cut({ kind: "failed", reason });
  const write = (text: string): void => void life.pipe.write(frameOf(noKey, text));
  const watch = createWatch(life.pid, cut);
  const calls = createCalls(write, watch);
  const take = (message: ProcessMessage | null, bytes: number): void => {
    if (message === null) return fail("it sent what is no result");
    if (message.kind === "stray") stray ??= oneLine(message.reason);
    else if ("sequence" in message) calls.take(message, bytes);
    else if (loading?.take(message)) {
      loading = null;
      watch.stop();
    }
  };
  const largest = (): number => messageBytes + (loading ? largestSnapshotBytes : calls.room());
  const read = createFrameReader(key, largest, {
    onText: (text) => void (isCut || take(readMessage(text), Buffer.byteLength(text))),
    onFault: (fault) => fail(fault === "too-long" ? tooLarge : "it wrote to the pipe of its results"),
  });
  const { loaded } = loading;
  life.pipe.on("data", read);
  void life.ended.then((how) => fail(stray ?? how));
  const start: ProcessStart = { key: key.toString("hex"), transformsDir, references, snapshot };
  write(JSON.stringify(start));
  watch.start(loadTimeoutMs);

  return {
    loaded,
    hasEnded: () => isCut || life.hasExited(),
    async run(requests, limitMs) {
      if (isCut || life.hasExited()) return [...requests];
      // What is sent ahead goes in one write.
      life.pipe.cork();
      const rest = calls.run(requests, limitMs);
      life.pipe.uncork();
      return rest;
    },
    wereQuick: calls.wereQuick,
    takeNoMore: calls.takeNoMore,
    async end() {
      cut(stopping);
      await life.ended;
    },
  };
}

type Loading = {
  loaded: Promise<Loaded>;
  /** Whether it has ended. */
  take(message: Exclude<ProcessMessage, { sequence: number } | { kind: "stray" }>): boolean;
  fail(reason: string): void;
};

function createLoading(references: readonly TransformReference[]): Loading {
  const { promise: loaded, resolve } = Promise.withResolvers<Loaded>();
  const faults: ModuleFault[] = [];
  /** The reference that is being loaded. */
  let index = 0;
  return {
    loaded,
    take(message) {
      if (message.kind === "loading") index = message.index;
      else if (message.kind === "unusable") faults.push(message.fault);
      else resolve({ faults, snapshot: message.snapshot });
      return message.kind === "loaded";
    },
    fail(reason) {
      const fault = { index, message: `${references[index]?.module} cannot be loaded: ${reason}.` };
      resolve({ faults: [...faults, fault], snapshot: null });
    },
  };
}
