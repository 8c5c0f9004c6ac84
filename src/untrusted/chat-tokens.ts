// Special tokens of chat templates, which separate turns and roles. In outside text they are broken visibly.

import { fold } from "./fold.ts";

const names = [
  "s|bos|eos|pad|unk|mask|sop|eop|bos_token|eos_token",
  "(?:start|end)_of_(?:turn|image|audio|role|text)|(?:start|end)_function_(?:call|response|declaration)",
  "think|thinking|reasoning|tool_calls?|tool_responses?|tool_results?|function_calls?|function_results?",
  "fim_(?:prefix|middle|suffix|pad)|file_sep|repo_name",
].join("|");

const bracketed =
  "inst|system_prompt|tool_calls|available_tools|tool_results|tool_content|model_settings|think|gmask|smask";

/** None of these may occur inside another one, except inside `<|…|>`, whose content is broken, too. */
const tokens = [
  String.raw`<\/?\|[^<>\n]{1,64}\|>`,
  String.raw`<\/?\|\w[^<>\n]{0,63}>`,
  String.raw`<\/?\w{1,64}\|>`,
  String.raw`<\/?(?:\w{1,16}:)?(?:${names})>`,
  String.raw`<<\/?sys>>`,
  String.raw`\[\/?(?:${bracketed})\]`,
  String.raw`\]~!?b[\[\]]|\[e~\[`,
].join("|");

const chatToken = new RegExp(tokens, "giv");

/** What a token can start with, including characters that fold to `<`, `[` and `]`. */
const opening = /[<[\]＜﹤［﹇］﹈]/;

/** `<|im_start|>` becomes `⟦< |im_start| >⟧`. */
export function breakChatTokens(text: string): string {
  if (!opening.test(text)) return text;
  const folded = fold(text);
  if (folded.text === text) return text.replace(chatToken, breakToken);
  const parts: string[] = [];
  let done = 0;
  for (const { index, 0: token } of folded.text.matchAll(chatToken)) {
    const start = folded.original(index);
    const end = folded.original(index + token.length - 1) + 1;
    parts.push(text.slice(done, start), breakToken(text.slice(start, end)));
    done = end;
  }
  return parts.join("") + text.slice(done);
}

const breakToken = (token: string): string =>
  `⟦${token.slice(0, 1)} ${breakChatTokens(token.slice(1, -1))} ${token.slice(-1)}⟧`;

export const countChatTokens = (folded: string): number => folded.match(chatToken)?.length ?? 0;
