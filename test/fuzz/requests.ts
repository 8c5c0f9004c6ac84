// The fuzz run against a running gateway: inputs by number, in blocks over many connections, with a pause every so
// often in which all work must end and the memory is read; at the end the store is compared with the responses.
import { setTimeout as pause } from "node:timers/promises";
import { until } from "../support/process.ts";
import { attack, createLine, type Line, type Numbered, type Seen } from "./connection.ts";
import { keepFound, loadCorpus } from "./corpus.ts";
import { type FuzzedGateway, startFuzzedGateway, token } from "./gateway.ts";
import { inputOf, shown } from "./input.ts";
import { createLedger, type Ledger, pairOf } from "./ledger.ts";
import { riseOf } from "./memory.ts";
import { type Hold, isTooLong } from "./held.ts";
import { type Outside, startOutside } from "./outside.ts";
import type { Reading } from "./probe.ts";
import { type Random, randomFor } from "./random.ts";
import type { Whole } from "./request.ts";
import { openReader, type StoreReader } from "./stored.ts";

export type FuzzOptions = {
  seed: number;
  requests: number;
  /** Ends sooner when this much time has passed. */
  seconds: number;
  databaseUrl: string | null;
  /** Reads and writes the inputs that runs on this machine have found. */
  keep: boolean;
  /** Ends the run early; requests sent before are still judged. */
  signal?: AbortSignal;
  progress?: (line: string) => void;
};

export type FuzzResult = {
  faults: readonly string[];
  requests: number;
  seconds: number;
  perSecond: number;
  responses: number;
  withoutResponse: number;
  outcomes: Record<string, number>;
  stored: { runs: number; wakes: number; records: number; mails: number; messages: number };
  corpus: string;
  found: number;
  /** The responses of `/readyz` after the end, before the first that said ready. */
  notReady: readonly string[];
  readings: readonly (Reading & { requests: number })[];
  /** The rise of the line through the readings after the first part. */
  rises: Record<"heapBytes" | "threadHeapBytes" | "rssBytes", number>;
};

const lines = 48;
/** The most attacks at once; they run beside the lines, because some take seconds. */
const mostAttacks = 200;
const blockLength = 16;
/** Each part ends with a pause and a reading. */
const partsOf = (requests: number): number => (requests > 100_000 ? 20 : 5);
/** With so many faults a run ends early. */
const enoughFaults = 5;
const megabyte = 1_048_576;
/** The most that memory may grow by over a run of any length; a leak of a few bytes a request exceeds it. */
const bounds = { heapBytes: 16 * megabyte, threadHeapBytes: 16 * megabyte, rssBytes: 384 * megabyte };

export async function fuzzRequests(options: FuzzOptions): Promise<FuzzResult> {
  await using stack = new AsyncDisposableStack();
  const outside = await startOutside(options.seed);
  stack.defer(() => outside.stop());
  const gateway = await startFuzzedGateway(options.databaseUrl, outside);
  stack.defer(() => gateway.remove());
  const reader = await openReader(gateway.folder, options.databaseUrl);
  stack.defer(() => reader.close());
  await until("the mailbox is watched", () => Promise.resolve(outside.isWatched()), { withinMs: 30_000 });
  return await fuzz({ gateway, outside, reader }, options);
}

type World = { gateway: FuzzedGateway; outside: Outside; reader: StoreReader };

async function fuzz({ gateway, outside, reader }: World, options: FuzzOptions): Promise<FuzzResult> {
  const { seed, requests, seconds, keep, signal, progress = () => {} } = options;
  const parts = partsOf(requests);
  const corpus = loadCorpus(token, keep);
  const ledger = createLedger(corpus.known.map(pairOf));
  let found = 0;
  const seen: Seen = {
    response(number, hook, verdict, bytes) {
      if (!ledger.note(number, hook, verdict)) return;
      found++;
      if (keep) keepFound(token, { hook, outcome: verdict.outcome, bytes });
    },
    withoutResponse: (count) => void (ledger.withoutResponse += count),
    fault: (number, what) =>
      ledger.fault(number, number < 0 ? what : `${what}\n  ${shown(inputOf(seed, number, corpus.inputs))}`),
  };
  const all = Array.from({ length: lines }, () => createLine(gateway.port, seen));
  const readings = [{ ...(await gateway.read()), requests: 0 }];
  const attacks = new Set<Promise<void>>();
  const heavy: Heavy[] = [];
  const addMail = (raw: Buffer): void => {
    ledger.mails++;
    outside.addMail(raw);
  };
  let next = 0;
  let workedMs = 0;
  let told = 0;

  const isOver = (): boolean => signal?.aborted === true || ledger.faults.length >= enoughFaults;
  for (let part = 1; part <= parts && !isOver(); part++) {
    const end = Math.round((requests * part) / parts);
    const startedAt = performance.now();
    const endMs = (seconds * 1000 * part) / parts;
    const timeLeft = (): boolean => workedMs + performance.now() - startedAt < endMs;
    const work = async (line: Line): Promise<void> => {
      while (next < end && timeLeft() && !isOver()) {
        const from = next;
        next = Math.min(end, from + blockLength);
        const way = { port: gateway.port, line, corpus: corpus.inputs, seen, attacks, addMail, heavy };
        await sendBlock({ seed, from, to: next }, way);
      }
    };
    await Promise.all(all.map(work));
    await Promise.all(attacks);
    workedMs += performance.now() - startedAt;
    await Promise.all(all.map((line) => line.close()));
    const reading = await rest(gateway, reader, ledger);
    readings.push({ ...reading, requests: next });
    progress(
      `${next} requests, ${Math.round((next / workedMs) * 1000)}/s, ${describe(reading)}, ${found} new, ${ledger.faults.length} faults`,
    );
    for (const fault of ledger.faults.slice(told)) progress(fault);
    told = ledger.faults.length;
  }

  const stored = await reader.read();
  ledger.compare(stored);
  const after = readings.slice(2);
  const rises = { heapBytes: 0, threadHeapBytes: 0, rssBytes: 0 };
  for (const name of ["heapBytes", "threadHeapBytes", "rssBytes"] as const) {
    rises[name] = riseOf(after.map((each) => ({ requests: each.requests, bytes: each[name] })));
    if (rises[name] > bounds[name])
      ledger.faults.push(`${name} rises by ${Math.round(rises[name])} after warm-up`);
  }
  // Those of the first reading are from the start, which loads the program.
  for (const hold of readings.slice(1).flatMap(({ holds }) => holds))
    if (isTooLong(hold)) ledger.faults.push(`${describeHold(hold)}; sent before: ${sentBefore(hold, heavy)}`);
  ledger.faults.push(...outside.platform.faults.map((fault) => `the platform was sent ${fault}`));
  const notReady = await finish(gateway, ledger);
  return {
    faults: ledger.faults,
    requests: next,
    seconds: workedMs / 1000,
    perSecond: (next / workedMs) * 1000,
    responses: ledger.responses,
    withoutResponse: ledger.withoutResponse,
    outcomes: Object.fromEntries([...ledger.outcomes].toSorted(([, left], [, right]) => right - left)),
    stored: {
      runs: stored.runs.length,
      wakes: stored.wakes.length,
      records: stored.requests,
      mails: stored.mails,
      messages: outside.platform.messages(),
    },
    corpus: corpus.fingerprint,
    found,
    notReady,
    readings,
    rises,
  };
}

type Block = { seed: number; from: number; to: number };
type Way = {
  port: number;
  line: Line;
  corpus: readonly Buffer[];
  seen: Seen;
  attacks: Set<Promise<void>>;
  addMail: (raw: Buffer) => void;
  heavy: Heavy[];
};
/** An input that is much work, for the report of what held the event loop. */
type Heavy = { number: number; what: string; at: number };

/** Sends whole requests one after another on the line, and hostile ones beside it. */
async function sendBlock({ seed, from, to }: Block, way: Way): Promise<void> {
  const { port, line, corpus, seen, attacks, addMail, heavy } = way;
  let burst: Numbered<Whole>[] = [];
  const flush = async (random: Random): Promise<void> => {
    const sent = burst;
    burst = [];
    if (sent.length > 0) await line.send(sent, random);
  };
  let random = randomFor(seed, from);
  for (let number = from; number < to; number++) {
    const input = inputOf(seed, number, corpus);
    random = input.random;
    if (input.kind === "mail") {
      heavy.push({ number, what: "mail", at: Date.now() });
      addMail(input.raw);
    } else if (input.kind === "hostile") {
      while (attacks.size >= mostAttacks) await Promise.race(attacks);
      const started = attack(port, { number, input: input.hostile }, random, seen);
      attacks.add(started);
      void started.then(() => attacks.delete(started));
    } else {
      const { hook } = input.whole;
      if (hook.startsWith("hurt/")) heavy.push({ number, what: hook, at: Date.now() });
      burst.push({ number, input: input.whole });
      if (input.whole.mayClose) await flush(random);
    }
  }
  await flush(random);
}

const describeHold = ({ workedMs, passedMs, in: functions = [] }: Hold): string =>
  `the event loop was held for ${Math.round(workedMs)} ms of work, ${Math.round(passedMs)} ms on the clock, in ${functions.join(", ")}`;

const mostNamed = 12;

/** Those of the last seconds; a mail may wait for its turn. */
const sentBefore = ({ endedAt, passedMs }: Hold, heavy: readonly Heavy[]): string =>
  heavy
    .filter(({ at }) => at <= endedAt && at >= endedAt - passedMs - 3000)
    .slice(-mostNamed)
    .map(({ number, what, at }) => `${what} ${number} (${endedAt - at} ms)`)
    .join(", ") || "nothing heavy";

const restMs = 120_000;

/** Waits until no connection and no unfinished run is left, so that the reading shows only kept memory. */
async function rest(gateway: FuzzedGateway, reader: StoreReader, ledger: Ledger): Promise<Reading> {
  const options = { withinMs: restMs, everyMs: 100 };
  try {
    await until("no connection is open", async () => (await gateway.connections()) === 0, options);
    await until("all mails are taken in", async () => (await reader.mails()) >= ledger.mails, options);
    await until("all runs have ended", async () => (await reader.unfinished()) === 0, options);
  } catch (fault) {
    ledger.faults.push(`${(fault as Error).message}: ${await reader.describeUnfinished()}`);
  }
  await pause(50);
  return gateway.read();
}

/** The gateway must be ready, have logged no error, and stop cleanly. */
async function finish({ port, process: gateway }: FuzzedGateway, ledger: Ledger): Promise<string[]> {
  const notReady: string[] = [];
  try {
    // One that is no fault of ours ends by itself: a load balancer asks again, too.
    await until("the gateway is ready", () => isReady(port, notReady), { withinMs: restMs, everyMs: 500 });
  } catch (fault) {
    ledger.faults.push(`${(fault as Error).message}: ${notReady.at(-1)}`);
  }
  const { code, signal } = await gateway.stop();
  if (code !== 0) ledger.faults.push(`the gateway ended with ${code ?? signal}`);
  const errors = gateway.log().filter(({ level }) => level === "error");
  for (const { message, kind } of errors.slice(0, 10))
    ledger.faults.push(`it logged: ${message} ${kind ?? ""}`);
  const unready = gateway.log().filter(({ message }) => message.startsWith("the gateway is not ready"));
  return [...notReady, ...unready.map(({ message, kind }) => `it logged: ${message} (${kind})`)];
}

async function isReady(port: number, notReady: string[]): Promise<boolean> {
  const startedAt = performance.now();
  const said = await fetch(`http://127.0.0.1:${port}/readyz`)
    .then(async (response) =>
      response.status === 200 ? null : `${response.status} ${await response.text()}`,
    )
    .catch((fault: Error) => `${fault.message} ${String(fault.cause)}`);
  if (said !== null) notReady.push(`${said} after ${Math.round(performance.now() - startedAt)} ms`);
  return said === null;
}

const megabytes = (bytes: number): string => `${(bytes / megabyte).toFixed(1)} MB`;

export const describe = ({ heapBytes, threadHeapBytes, rssBytes, connections, holds }: Reading): string =>
  `held up to ${Math.round(Math.max(0, ...holds.map(({ workedMs }) => workedMs)))} ms, heap ${megabytes(heapBytes)} (threads up to ${megabytes(threadHeapBytes)}), RSS ${megabytes(rssBytes)}, ${connections} connections`;
