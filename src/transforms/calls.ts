// The requests that a process has taken. It works them one after another; the first is the one that runs. Of a request
// with several calls, the next is sent when the result of the one before is there: neither side holds more than one of
// them as JSON, and the gateway does other work between them.
import {
  type CallResult,
  type ProcessMessage,
  resultMarginBytes,
  type TransformCall,
  type TransformFault,
} from "./call.ts";
import type { WaitingRequest } from "./waiting.ts";
import type { Watch } from "./watch.ts";

export type Calls = {
  /** Takes the first, and more of one call each while they are small. Resolves, when all have ended, with the rest. */
  run(requests: readonly WaitingRequest[], limitMs: number): Promise<WaitingRequest[]>;
  /** Drops what is about another call than the one that runs. `bytes` is the size of the message. */
  take(message: Extract<ProcessMessage, { sequence: number }>, bytes: number): void;
  /** The process ends: the request that runs gets the fault. Those behind it were not begun and can run elsewhere. */
  breakOff(fault: TransformFault): void;
  /** Whether each call of the last run was. */
  wereQuick(): boolean;
  /** Ends with the request that runs. */
  takeNoMore(): void;
  /** The largest result that may come now, in bytes of JSON. */
  room(): number;
};

type Taken = { waiting: WaitingRequest; sequence: number; results: CallResult[]; room: number };

const longestCall = 128 * 1024 * 1024;
/** The process's own time: ours would count how long it waits for a processor. */
const quickMs = 10;
/** What is sent ahead takes memory of the request that runs. */
const mostAheadBytes = 256 * 1024;

/** Long: the steps share what was taken. */
export function createCalls(write: (text: string) => void, watch: Watch): Calls {
  let taken: Taken[] = [];
  let rest: WaitingRequest[] = [];
  let sequence = 0;
  let limit = 0;
  let takesNoMore = false;
  let slowestMs = Infinity;
  let finish = (_rest: WaitingRequest[]): void => {};

  const send = (each: Taken, call: string): void => {
    each.room += Buffer.byteLength(call);
    each.sequence = ++sequence;
    const { index } = each.waiting.request;
    write(`{"sequence":${sequence},"index":${index},"room":${each.room},"call":${call}}`);
  };
  const sendNext = (each: Taken): boolean => {
    const call = written(each.waiting.request.calls[each.results.length]!);
    if (call !== null) send(each, call);
    return call !== null;
  };
  const giveBack = (from = 0): void => {
    rest = [...taken.slice(from).map(({ waiting }) => waiting), ...rest];
    taken = taken.slice(0, from);
  };
  const next = (): void => {
    taken.shift();
    if (takesNoMore) giveBack();
    if (taken.length > 0) return watch.start(limit);
    watch.stop();
    finish(rest);
  };
  const end = (outcome: CallResult[] | TransformFault): void => {
    taken[0]?.waiting.resolve(outcome);
    next();
  };
  const takeAhead = (): void => {
    for (let left = mostAheadBytes; rest[0]?.request.calls.length === 1; rest.shift()) {
      const call = written(rest[0].request.calls[0]!);
      left -= call?.length ?? Infinity;
      if (call === null || left < 0) return;
      const each = begun(rest[0]);
      taken.push(each);
      send(each, call);
    }
  };

  return {
    run(requests, limitMs) {
      const { promise, resolve } = Promise.withResolvers<WaitingRequest[]>();
      const [first, ...others] = requests;
      finish = resolve;
      rest = others;
      limit = limitMs;
      slowestMs = 0;
      if (!first) return Promise.resolve([]);
      taken = [begun(first)];
      watch.start(limit);
      if (!sendNext(taken[0]!)) end(tooLong);
      else if (first.request.calls.length === 1) takeAhead();
      return promise;
    },
    take(message, bytes) {
      const [first] = taken;
      if (!first || message.sequence !== first.sequence) return;
      if (message.kind === "failed") return end({ kind: "failed", reason: message.reason });
      slowestMs = Math.max(slowestMs, message.ms);
      first.room = Math.max(0, first.room - bytes);
      first.results.push(message.result);
      if (first.results.length === first.waiting.request.calls.length) end(first.results);
      else if (!sendNext(first)) end(tooLong);
    },
    breakOff(fault) {
      if (taken.length === 0) return;
      slowestMs = Infinity;
      giveBack(1);
      end(fault);
    },
    wereQuick: () => slowestMs < quickMs,
    takeNoMore: () => void (takesNoMore = true),
    room: () => taken[0]?.room ?? 0,
  };
}

const begun = (waiting: WaitingRequest): Taken => ({
  waiting,
  sequence: 0,
  results: [],
  room: resultMarginBytes,
});

const tooLong: TransformFault = { kind: "failed", reason: "its input is larger than 128 MB" };

/** Null when it is too long. */
function written(call: TransformCall): string | null {
  try {
    const text = JSON.stringify(call);
    return text.length > longestCall ? null : text;
  } catch {
    // Longer than any string may be.
    return null;
  }
}
