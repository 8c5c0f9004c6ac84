// Requests wait here for a worker thread. One thread is kept warm; a second is started while the first is busy, and
// ended when it has had nothing to do for a while. A thread that ended in a call is replaced.
import type { CallResult, TransformFault, WorkerRequest } from "./call.ts";
import type { TransformThread } from "./thread.ts";

export type QueueLimits = {
  /** For one request, once a thread has taken it. */
  timeoutMs: number;
  /** Whoever waited longer for a thread is refused: the sender has given up meanwhile. */
  waitMs: number;
  /** How many may wait. */
  waiting: number;
  /** How long a second thread is kept without work. */
  idleMs: number;
};

export type Outcome = CallResult[] | TransformFault;

export type TransformQueue = {
  add(request: WorkerRequest): Promise<Outcome>;
  /** Refuses what waits, lets finish what runs. */
  close(): Promise<void>;
};

type Waiting = { request: WorkerRequest; since: number; resolve(outcome: Outcome): void };

/** loading → free ⇄ busy; one whose thread has ended is left out at the next look. */
type Member = {
  thread: TransformThread;
  state: "loading" | "free" | "busy";
  work: Promise<void> | null;
  idle: NodeJS.Timeout | undefined;
};

const mostThreads = 2;
const stopping: TransformFault = { kind: "failed", reason: "the gateway is stopping" };

/** `first` is loaded already, or there is none to begin with. */
export function createQueue(
  first: TransformThread | null,
  start: () => TransformThread,
  limits: QueueLimits,
): TransformQueue {
  const waiting: Waiting[] = [];
  let members: Member[] = first ? [{ thread: first, state: "free", work: null, idle: undefined }] : [];
  let closed: Promise<void> | null = null;

  function advance(): void {
    members = members.filter(({ thread }) => !thread.hasEnded());
    for (const member of members) {
      const next = member.state === "free" ? takeNext() : undefined;
      if (next) member.work = serve(member, next);
    }
    const isLoading = members.some(({ state }) => state === "loading");
    if (waiting.length > 0 && !isLoading && members.length < mostThreads) hire();
  }

  function takeNext(): Waiting | undefined {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      if (performance.now() - next.since <= limits.waitMs) return next;
      next.resolve({ kind: "busy", reason: `it waited longer than ${limits.waitMs} ms for a worker thread` });
    }
    return undefined;
  }

  async function serve(member: Member, { request, resolve }: Waiting): Promise<void> {
    clearTimeout(member.idle);
    member.state = "busy";
    resolve(await member.thread.call(request, limits.timeoutMs));
    member.state = "free";
    if (members.length > 1) member.idle = setTimeout(retire, limits.idleMs, member).unref();
    advance();
    if (members.length === 0 && !closed) hire();
  }

  function hire(): void {
    load().catch((fault: unknown) => refuseIfAlone(`no worker thread could be started: ${String(fault)}`));
  }

  async function load(): Promise<void> {
    const member: Member = { thread: start(), state: "loading", work: null, idle: undefined };
    members.push(member);
    const { faults } = await member.thread.loaded;
    member.state = "free";
    if (member.thread.hasEnded()) refuseIfAlone(faults.at(-1)?.message ?? "its worker thread ended");
    else advance();
  }

  /** With no thread left, whoever waits would wait for ever. The next request tries to start one again. */
  function refuseIfAlone(reason: string): void {
    if (members.every(({ thread }) => thread.hasEnded())) refuseAll({ kind: "failed", reason });
  }

  function retire(member: Member): void {
    if (member.state !== "free" || members.length < 2) return;
    members = members.filter((each) => each !== member);
    void member.thread.end();
  }

  function refuseAll(fault: TransformFault): void {
    for (const { resolve } of waiting.splice(0)) resolve(fault);
  }

  async function finish({ thread, state, work, idle }: Member): Promise<void> {
    clearTimeout(idle);
    if (state === "busy") await work;
    await thread.end();
  }

  return {
    async add(request) {
      if (closed) return stopping;
      if (waiting.length >= limits.waiting)
        return { kind: "busy", reason: `${limits.waiting} requests wait for a worker thread already` };
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      waiting.push({ request, since: performance.now(), resolve });
      advance();
      return promise;
    },
    close() {
      refuseAll(stopping);
      closed ??= Promise.all(members.map(finish)).then(() => {});
      return closed;
    },
  };
}
