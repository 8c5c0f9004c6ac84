// How outside texts become blocks. Pure, so that a thread can do it too.
import { conversationPrompt } from "./conversation.ts";
import { messagesOf, summaryPrompt } from "./model/messages.ts";
import { fenced } from "./tools/fenced.ts";

export const works = {
  conversation: conversationPrompt,
  messages: messagesOf,
  account: (conversation: string) => messagesOf({ prompt: summaryPrompt(conversation), conversation: null }),
  result: fenced,
};

type Works = typeof works;

export type OutsideJob = {
  [Kind in keyof Works]: { kind: Kind; input: Parameters<Works[Kind]>[0] };
}[keyof Works];

export function doJob(job: OutsideJob): string | object {
  switch (job.kind) {
    case "conversation":
      return works.conversation(job.input);
    case "messages":
      return works.messages(job.input);
    case "account":
      return works.account(job.input);
    case "result":
      return works.result(job.input);
  }
}
