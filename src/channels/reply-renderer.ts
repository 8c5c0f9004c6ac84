// Makes the messages of replies. A long reply takes up to seconds to parse when it is made of marks, as that of an agent
// which repeats its data can be. So the gateway renders it in a thread.
import { Worker } from "node:worker_threads";
import { platforms } from "../core/target.ts";
import type { Channel } from "../sdk/channel.ts";
import type { RenderJob } from "./renderings.ts";

export type ReplyRenderer = {
  /** `name`: the channel's. Null when `stopping` fires before. Never rejects for a platform of ours. */
  render(
    name: string,
    channel: Pick<Channel, "render">,
    markdown: string,
    stopping: AbortSignal,
  ): Promise<readonly string[] | null>;
  close(): Promise<void>;
};

export type ReplyRendererOptions = {
  /** Of one reply, the thread's start included. */
  readonly limitMs?: number;
  /** A thread without work ends after this time. */
  readonly idleMs?: number;
  readonly entry?: URL;
};

/** In characters. So many are rendered at once, whatever they are: in less than 50 ms. */
export const longestAtOnce = 4000;
const largestHeapMb = 192;

export function createReplyRenderer(options: ReplyRendererOptions = {}): ReplyRenderer {
  const thread = createThread(options);
  return {
    async render(name, channel, markdown, stopping) {
      // A module of the operator's renders as it likes.
      if (!isPlatform(name) || markdown.length <= longestAtOnce) return channel.render(markdown);
      const stopped = Promise.withResolvers<"stopped">();
      const stop = (): void => stopped.resolve("stopped");
      if (stopping.aborted) return null;
      stopping.addEventListener("abort", stop, { once: true });
      const messages = await Promise.race([thread.run({ platform: name, markdown }), stopped.promise]);
      stopping.removeEventListener("abort", stop);
      if (messages === "stopped") return null;
      // Late is better than not at all, and it must be the same messages: some may have been sent.
      return messages ?? channel.render(markdown);
    },
    close: thread.close,
  };
}

const isPlatform = (name: string): name is RenderJob["platform"] => platforms.some((each) => each === name);

/** Runs one job after another. Null: the thread ended, or took too long and was ended. */
function createThread({ limitMs = 20_000, idleMs = 10_000, entry = usualEntry() }: ReplyRendererOptions) {
  let worker: Worker | null = null;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function end(): Promise<void> {
    clearTimeout(idle);
    const ending = worker;
    worker = null;
    await ending?.terminate();
  }

  async function work(job: RenderJob): Promise<readonly string[] | null> {
    if (isClosed) return null;
    clearTimeout(idle);
    worker ??= startWorker(entry);
    const messages = await answer(worker, job, limitMs);
    if (messages === null) await end();
    if (!isClosed) idle = setTimeout(() => void end(), idleMs).unref();
    return messages;
  }

  return {
    run(job: RenderJob): Promise<readonly string[] | null> {
      const done = last.then(() => work(job));
      last = done;
      return done;
    },
    close(): Promise<void> {
      isClosed = true;
      return end();
    },
  };
}

async function answer(worker: Worker, job: RenderJob, limitMs: number): Promise<readonly string[] | null> {
  const { promise, resolve } = Promise.withResolvers<readonly string[] | null>();
  const fail = (): void => resolve(null);
  const limit = setTimeout(fail, limitMs);
  worker.on("message", resolve).on("exit", fail).ref();
  worker.postMessage(job);
  const messages = await promise;
  clearTimeout(limit);
  worker.off("message", resolve).off("exit", fail).unref();
  return messages;
}

function startWorker(entry: URL): Worker {
  const code = `require("node:module").enableCompileCache(); import(${JSON.stringify(entry.href)});`;
  const worker = new Worker(code, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: largestHeapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  // Its end tells as much.
  return worker.on("error", () => {});
}

/** Compiled, this file is .js and so is the thread's. */
function usualEntry(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./render-worker.${extension}`, import.meta.url);
}
