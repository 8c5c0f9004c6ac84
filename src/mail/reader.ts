// Parses mails in a thread of its own, so that one made to be slow holds up nothing else. A mail that takes too long or
// too much memory ends the thread; of it only the headers are read, and its text says so.
import { Worker } from "node:worker_threads";
import { MailFault } from "./mailbox.ts";
import { type MimeMessage, nothingRead, type ReaderRequest, unreadText } from "./message.ts";

export type MailReader = {
  /** Rejects with a MailFault when the reader is closed meanwhile, and never else. */
  mime(raw: Uint8Array): Promise<MimeMessage>;
  /** The text of HTML. Rejects as `mime` does. */
  html(html: string): Promise<string>;
  close(): Promise<void>;
};

export type ReaderOptions = {
  /** Of one mail. */
  readonly limitMs?: number;
  /** A thread without work ends after this time. */
  readonly idleMs?: number;
  readonly entry?: URL;
};

const largestHeapMb = 192;
/** Until a new thread has loaded what it needs. */
const startLimitMs = 20_000;

type Settle = (result: unknown) => void;
type Thread = { readonly worker: Worker; isReady: boolean };

export function createMailReader({
  limitMs = 20_000,
  idleMs = 10_000,
  entry = usualEntry(),
}: ReaderOptions = {}): MailReader {
  let thread: Thread | null = null;
  let settle: Settle = () => {};
  let idle: NodeJS.Timeout | undefined;
  let limit: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function limitTo(ms: number): void {
    clearTimeout(limit);
    limit = setTimeout(() => settle(null), ms);
  }

  function start(): Thread {
    const started: Thread = { worker: startWorker(entry), isReady: false };
    const ended = (): void => {
      if (thread !== started) return;
      thread = null;
      settle(null);
    };
    started.worker.on("error", ended).on("exit", ended);
    started.worker.on("message", (message: unknown) => {
      if (thread !== started) return;
      if (started.isReady) settle(message);
      else {
        started.isReady = true;
        limitTo(limitMs);
      }
    });
    return started;
  }

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ending = thread;
    thread = null;
    settle(null);
    await ending?.worker.terminate();
  }

  /** Null when it took too long or too much memory. */
  async function work(request: ReaderRequest): Promise<unknown> {
    clearTimeout(idle);
    const { promise, resolve } = Promise.withResolvers<unknown>();
    settle = resolve;
    thread ??= start();
    thread.worker.ref();
    limitTo(thread.isReady ? limitMs : startLimitMs);
    thread.worker.postMessage(request);
    const result = await promise;
    clearTimeout(limit);
    settle = () => {};
    if (result === null) await end();
    idle = setTimeout(() => void end(), idleMs).unref();
    thread?.worker.unref();
    return result;
  }

  /** One after another; of several requests the first that can be done. */
  function ask(...requests: readonly ReaderRequest[]): Promise<unknown> {
    const asked = last.then(async () => {
      for (const request of requests) {
        const result = isClosed ? null : await work(request);
        if (isClosed) throw new MailFault("retry", "the mailbox was closed while a mail was read");
        if (result !== null) return { request, result };
      }
      return null;
    });
    last = asked.catch(() => {});
    return asked;
  }

  return {
    async mime(raw) {
      const done = (await ask({ kind: "mime", raw }, { kind: "headers", raw })) as Done<MimeMessage>;
      if (done?.request.kind === "mime") return done.result;
      return { ...(done?.result ?? nothingRead), text: unreadText };
    },
    html: async (html) => ((await ask({ kind: "html", html })) as Done<string>)?.result ?? unreadText,
    close() {
      isClosed = true;
      return end();
    },
  };
}

type Done<T> = { readonly request: ReaderRequest; readonly result: T } | null;

function startWorker(entry: URL): Worker {
  const code = `require("node:module").enableCompileCache(); import(${JSON.stringify(entry.href)});`;
  return new Worker(code, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: largestHeapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
}

/** Compiled, this file is .js and so is the thread's. */
function usualEntry(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./reader-worker.${extension}`, import.meta.url);
}
