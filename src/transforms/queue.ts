// Gives waiting requests to worker threads. One thread is kept warm; a second is started while the first is busy, and
// ended once it has been idle for a while. A thread that ended during a call is replaced.
import type { TransformFault, WorkerRequest } from "./call.ts";
import type { TransformThread } from "./thread.ts";
import { createWaitingRequests, type Outcome, type WaitingLimits, type WaitingRequest } from "./waiting.ts";

export type QueueLimits = WaitingLimits & {
  /** For one request, once a thread has taken it. */
  timeoutMs: number;
  /** How long a second thread is kept without work. */
  idleMs: number;
};

export type TransformQueue = {
  add(request: WorkerRequest): Promise<Outcome>;
  /** Refuses the requests that wait and lets those that run finish. */
  close(): Promise<void>;
};

/** loading → free ⇄ busy. A member whose thread has ended is removed by the next `advance`. */
type Member = {
  thread: TransformThread;
  state: "loading" | "free" | "busy";
  work: Promise<void> | null;
  idle: NodeJS.Timeout | undefined;
};

const maxThreads = 2;
const stopping: TransformFault = { kind: "failed", reason: "the gateway is stopping" };

const memberOf = (thread: TransformThread, state: Member["state"]): Member => ({
  thread,
  state,
  work: null,
  idle: undefined,
});

/** `first` is loaded already; null when there is no thread yet. */
export function createQueue(
  first: TransformThread | null,
  start: () => TransformThread,
  limits: QueueLimits,
): TransformQueue {
  const waiting = createWaitingRequests(limits);
  let members: Member[] = first ? [memberOf(first, "free")] : [];
  let closed: Promise<void> | null = null;

  function advance(): void {
    members = members.filter(({ thread }) => !thread.hasEnded());
    for (const member of members) {
      const next = member.state === "free" ? waiting.next() : undefined;
      if (next) member.work = serve(member, next);
    }
    const isLoading = members.some(({ state }) => state === "loading");
    if (!waiting.isEmpty() && !isLoading && members.length < maxThreads) addThread();
  }

  async function serve(member: Member, { request, resolve }: WaitingRequest): Promise<void> {
    clearTimeout(member.idle);
    member.state = "busy";
    resolve(await member.thread.call(request, limits.timeoutMs));
    member.state = "free";
    if (members.length > 1) member.idle = setTimeout(endIdle, limits.idleMs, member).unref();
    advance();
    if (members.length === 0 && !closed) addThread();
  }

  function addThread(): void {
    load().catch((fault: unknown) => refuseIfNoThread(`no worker thread could be started: ${String(fault)}`));
  }

  async function load(): Promise<void> {
    const member = memberOf(start(), "loading");
    members.push(member);
    const { faults } = await member.thread.loaded;
    member.state = "free";
    if (member.thread.hasEnded()) refuseIfNoThread(faults.at(-1)?.message ?? "its worker thread ended");
    else advance();
  }

  /** Without a thread, waiting requests would wait for ever. The next request tries to start one again. */
  function refuseIfNoThread(reason: string): void {
    if (members.every(({ thread }) => thread.hasEnded())) waiting.refuseAll({ kind: "failed", reason });
  }

  function endIdle(member: Member): void {
    if (member.state !== "free" || members.length < 2) return;
    members = members.filter((each) => each !== member);
    void member.thread.end();
  }

  return {
    add: async (request) => (closed ? stopping : waiting.add(request, advance)),
    close() {
      waiting.refuseAll(stopping);
      closed ??= Promise.all(members.map(finish)).then(() => {});
      return closed;
    },
  };
}

async function finish({ thread, state, work, idle }: Member): Promise<void> {
  clearTimeout(idle);
  if (state === "busy") await work;
  await thread.end();
}
