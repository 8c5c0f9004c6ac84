// Makes the prompts of runs. Some texts are much work: those of hidden characters, emoji and tokens without end, which
// strangers write. So only so much is done in one turn of the event loop, and what is more than that in a thread.
import type { Message } from "../core/message.ts";
import type { Run } from "../core/run.ts";
import type { SystemEvent } from "../core/system-event.ts";
import { createThread, type ThreadOptions } from "../processes/thread.ts";
import { effortOf } from "../untrusted/effort.ts";
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

/** Of one turn of the event loop, in usual characters of outside text: some 20 ms, whatever they are. */
export const mostAtOnce = 300_000;

export function createPromptMaker({
  entry = usualEntry(),
  ...limits
}: Partial<ThreadOptions> = {}): PromptMaker {
  const thread = createThread<PromptJob, Prompt>({ entry, ...limits });
  const turns = createTurns();
  let isClosed = false;

  async function make<Made extends Prompt>(effort: number, job: PromptJob, here: () => Made): Promise<Made> {
    if (effort > mostAtOnce) {
      const made = (await thread.run(job)) as Made | null;
      if (made !== null) return made;
      if (isClosed) throw new Error("the gateway stops");
    }
    while (!turns.take(effort)) await turns.next();
    return here();
  }

  return {
    now(run, instructions) {
      const effort = effortOfHook(run);
      return effort <= mostAtOnce && turns.take(effort) ? hookPrompt(run, instructions) : null;
    },
    hook: ({ request }, instructions) =>
      make(effortOfHook({ request }), { kind: "hook", request, instructions }, () =>
        hookPrompt({ request }, instructions),
      ),
    heartbeat: ({ events, count }, now, instructions) =>
      make(
        effortOfTexts(events.flatMap(({ text }) => text)),
        { kind: "heartbeat", events, now, instructions, waiting: count },
        () => heartbeatPrompt(events, now, instructions, count),
      ),
    close() {
      isClosed = true;
      return thread.close();
    },
  };
}

/** What is left of a turn of the event loop. The first to take gets what it needs. */
function createTurns() {
  let taken = 0;
  const next = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    next,
    take(effort: number): boolean {
      if (taken > 0 && taken + effort > mostAtOnce) return false;
      if (taken === 0 && effort > 0) void next().then(() => (taken = 0));
      taken += effort;
      return true;
    },
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
