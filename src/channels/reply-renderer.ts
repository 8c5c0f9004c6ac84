// Makes the messages of replies. A long reply takes up to seconds to parse when it is made of marks, as that of an agent
// which repeats its data can be. So the gateway renders it in a thread.
import { platforms } from "../core/target.ts";
import { createThread, type ThreadOptions } from "../processes/thread.ts";
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

export type ReplyRendererOptions = Partial<ThreadOptions>;

/** In characters. So many are rendered at once, whatever they are: in less than 50 ms. */
export const longestAtOnce = 4000;

export function createReplyRenderer({
  entry = usualEntry(),
  ...limits
}: ReplyRendererOptions = {}): ReplyRenderer {
  const thread = createThread<RenderJob, readonly string[]>({ entry, ...limits });
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

/** Compiled, this file is .js and so is the thread's. */
function usualEntry(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./render-worker.${extension}`, import.meta.url);
}
