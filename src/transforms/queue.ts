// Gives waiting requests to processes. One process is kept warm; a second is started when the first is busy for long
// or requests wait, and ended once it has been idle for a while. A process that ended during a call is replaced.
import { stopping } from "./call.ts";
import type { TransformProcess } from "./process.ts";
import {
  createWaitingRequests,
  type Outcome,
  type ProcessRequest,
  type WaitingLimits,
  type WaitingRequest,
} from "./waiting.ts";

export type QueueLimits = WaitingLimits & {
  /** For one request, once a process has taken it. */
  timeoutMs: number;
  /** How long a second process is kept without work. */
  idleMs: number;
};

export type TransformQueue = {
  add(request: ProcessRequest): Promise<Outcome>;
  /** Refuses the requests that wait and lets those that run finish. */
  close(): Promise<void>;
  /** Ends those that run, too. */
  stop(): void;
};

/** loading → free ⇄ busy. A member whose process has ended is removed by the next `advance`. */
type Member = {
  process: TransformProcess;
  state: "loading" | "free" | "busy";
  work: Promise<void> | null;
  idle: NodeJS.Timeout | undefined;
};

const maxProcesses = 2;
/** A request that takes longer may end its process: another is ready by then, for the next one. */
const spareAfterMs = 100;
/** So that a process that is quick need not wait for each. */
const mostAtOnce = 16;

const memberOf = (process: TransformProcess, state: Member["state"]): Member => ({
  process,
  state,
  work: null,
  idle: undefined,
});

/** `first` is loaded already; null when there is no process yet. */
export function createQueue(
  first: TransformProcess | null,
  start: () => TransformProcess,
  limits: QueueLimits,
): TransformQueue {
  const waiting = createWaitingRequests(limits);
  let members: Member[] = first ? [memberOf(first, "free")] : [];
  let closed: Promise<void> | null = null;

  function advance(): void {
    members = members.filter(({ process }) => !process.hasEnded());
    const free = members.filter(({ state }) => state === "free");
    for (const [at, member] of free.entries()) {
      const share = Math.ceil(waiting.count() / (free.length - at));
      const requests = waiting.next(Math.min(share, member.process.wereQuick() ? mostAtOnce : 1));
      if (requests.length > 0) member.work = serve(member, requests);
    }
    if (waiting.count() > 0) addSpare();
  }

  function addSpare(): void {
    const isLoading = members.some(({ state }) => state === "loading");
    if (!closed && !isLoading && members.length < maxProcesses) addProcess();
  }

  async function serve(member: Member, requests: readonly WaitingRequest[]): Promise<void> {
    clearTimeout(member.idle);
    member.state = "busy";
    const spare = setTimeout(addSpare, spareAfterMs);
    waiting.putBack(await member.process.run(requests, limits.timeoutMs));
    clearTimeout(spare);
    if (closed) waiting.refuseAll(stopping);
    setFree(member);
    advance();
    if (members.length === 0 && !closed) addProcess();
  }

  function addProcess(): void {
    load().catch((fault: unknown) => refuseIfNoProcess(`no process could be started: ${String(fault)}`));
  }

  async function load(): Promise<void> {
    const member = memberOf(start(), "loading");
    members.push(member);
    const { faults } = await member.process.loaded;
    setFree(member);
    if (member.process.hasEnded()) refuseIfNoProcess(faults.at(-1)?.message ?? "its process ended");
    else advance();
  }

  /** Without a process, waiting requests would wait for ever. The next request tries to start one again. */
  function refuseIfNoProcess(reason: string): void {
    if (members.every(({ process }) => process.hasEnded())) waiting.refuseAll({ kind: "failed", reason });
  }

  function setFree(member: Member): void {
    member.state = "free";
    clearTimeout(member.idle);
    if (members.length > 1) member.idle = setTimeout(endIdle, limits.idleMs, member).unref();
  }

  function endIdle(member: Member): void {
    if (member.state !== "free" || members.length < 2) return;
    members = members.filter((each) => each !== member);
    void member.process.end();
  }

  function close(): Promise<void> {
    waiting.refuseAll(stopping);
    for (const { process } of members) process.takeNoMore();
    closed ??= Promise.all(members.map(finish)).then(() => {});
    return closed;
  }

  return {
    add: async (request) => (closed ? stopping : waiting.add(request, advance)),
    close,
    stop() {
      void close();
      for (const { process } of members) void process.end();
    },
  };
}

async function finish({ process, state, work, idle }: Member): Promise<void> {
  clearTimeout(idle);
  if (state === "busy") await work;
  await process.end();
}
