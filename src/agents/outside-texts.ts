// Earlier turns, summaries and results of tools as blocks for an agent. What others made an agent write, and what a tool
// brought, can be much work to prepare: that is done in a thread, and only so much of the rest in one turn of the event
// loop.
import { createPacedWork } from "../processes/paced.ts";
import type { ThreadOptions } from "../processes/thread.ts";
import { effortOf, mostAtOnce } from "../untrusted/effort.ts";
import type { AgentInput } from "./agent.ts";
import { type ChatMessage } from "./model/messages.ts";
import { type OutsideJob, works } from "./outside-works.ts";
import type { FencedResult } from "./tools/fenced.ts";

type Asked = Pick<AgentInput, "prompt" | "conversation">;

export type OutsideTexts = {
  /** One text, for an agent that keeps no memory of its own. */
  conversation(input: Asked): Promise<string>;
  /** For a chat model. */
  messages(input: Asked): Promise<ChatMessage[]>;
  /** What a model is asked for an account of a conversation. */
  account(conversation: string): Promise<ChatMessage[]>;
  result(result: FencedResult): Promise<string>;
};

export function createOutsideTexts({
  entry = usualEntry(),
  ...limits
}: Partial<ThreadOptions> = {}): OutsideTexts {
  const paced = createPacedWork<OutsideJob>({ entry, ...limits, mostAtOnce });
  return {
    conversation: ({ prompt, conversation }) => {
      const input = { prompt, conversation };
      return paced.run(effortOfHistory(input), { kind: "conversation", input }, () =>
        works.conversation(input),
      );
    },
    messages: ({ prompt, conversation }) => {
      const input = { prompt, conversation };
      return paced.run(effortOfHistory(input), { kind: "messages", input }, () => works.messages(input));
    },
    account: (input) =>
      paced.run(effortOf(input, mostAtOnce), { kind: "account", input }, () => works.account(input)),
    result: (input) =>
      paced.run(effortOf(input.outside, mostAtOnce), { kind: "result", input }, () => works.result(input)),
  };
}

function effortOfHistory({ conversation }: Asked): number {
  let effort = 0;
  for (const { text } of conversation?.history ?? []) {
    effort += effortOf(text, mostAtOnce);
    if (effort > mostAtOnce) break;
  }
  return effort;
}

/** Compiled, this file is .js and so is the thread's. */
function usualEntry(): URL {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new URL(`./outside-worker.${extension}`, import.meta.url);
}
