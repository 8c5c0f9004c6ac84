// Makes the prompts of runs. Some texts are much work: those of hidden characters, emoji and tokens without end, which
// strangers write. So only so much is done in one turn of the event loop, and what is more than that in a thread.
import type { Message } from "../core/message.ts";
import type { Run } from "../core/run.ts";
import type { SystemEvent } from "../core/system-event.ts";
import { createPacedWork } from "../processes/paced.ts";
import type { ThreadOptions } from "../processes/thread.ts";
import { effortOf, mostAtOnce } from "../untrusted/effort.ts";
import { heartbeatPrompt, type HeartbeatPrompt, hookPrompt, type Prompt } from "./prompt.ts";
import type { PromptJob } from "./prompt-job.ts";

type HookRun = Pick<Run, "request">;

export type PromptMaker = {
  /** Null when it is too much for this turn of the event loop. */
  now(run: HookRun, instructions: string | null): Prompt | null;
  hook(run: HookRun, instructions: string | null): Promise<Prompt>;
  heartbeat(waiting: WaitingEvents, now: number, instructions: string | null): Promise<HeartbeatPrompt>;
  close(): Promise<void>;
};

/** The oldest of the events that wait, and how many those are. */
type WaitingEvents = { events: readonly SystemEvent[]; count: number };

export function createPromptMaker({
  entry = usualEntry(),
  ...limits
}: Partial<ThreadOptions> = {}): PromptMaker {
  const work = createPacedWork<PromptJob>({ entry, ...limits, mostAtOnce });
  return {
    now: (run, instructions) => work.now(effortOfHook(run), () => hookPrompt(run, instructions)),
    hook: ({ request }, instructions) =>
      work.run(effortOfHook({ request }), { kind: "hook", request, instructions }, () =>
        hookPrompt({ request }, instructions),
      ),
    heartbeat: ({ events, count }, now, instructions) =>
      work.run(
        effortOfTexts(events.flatMap(({ text }) => text)),
        { kind: "heartbeat", events, now, instructions, waiting: count },
        () => heartbeatPrompt(events, now, instructions, count),
      ),
    close: work.close,
  };
}

/** Words of the operator, and what is not kept apart from them, are taken as they are. */
const effortOfHook = ({ request: { message, name, unsafe } }: HookRun): number =>
  unsafe ? 0 : effortOfTexts([...message, { text: name ?? "" }]);

/** A text that cannot be read is no work; what becomes of it is decided when the prompt is made. */
function effortOfTexts(parts: readonly (Message[number] | { text: string })[]): number {
  let effort = 0;
  for (const part of parts) {
    if (typeof part === "string" || typeof part.text !== "string") continue;
    effort += effortOf(part.text, mostAtOnce);
    if (effort > mostAtOnce) break;
  }
  return effort;
}

/** Compiled, this file is .js and so is the thread's. */
function usualEntry(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./prompt-worker.${extension}`, import.meta.url);
}
