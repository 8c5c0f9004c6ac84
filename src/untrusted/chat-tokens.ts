// The marks with which chat templates separate turns and roles. In a payload they are broken, and seen to be.

import { shadowOf } from "./fold.ts";

const names = [
  "s|bos|eos|pad|unk|mask|sop|eop|bos_token|eos_token",
  "(?:start|end)_of_(?:turn|image|audio|role|text)|(?:start|end)_function_(?:call|response|declaration)",
  "think|thinking|reasoning|tool_calls?|tool_responses?|tool_results?|function_calls?|function_results?",
  "fim_(?:prefix|middle|suffix|pad)|file_sep|repo_name",
].join("|");

const bracketed =
  "inst|system_prompt|tool_calls|available_tools|tool_results|tool_content|model_settings|think|gmask|smask";

/** None of these may occur within another one, except within `<|…|>`, of which the inner part is broken too. */
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

/** What a token can start with, in plain letters and in those that fold to them. */
const opening = /[<[\]＜﹤［﹇］﹈]/;

/** `<|im_start|>` becomes `⟦< |im_start| >⟧`. */
export function breakChatTokens(text: string): string {
  if (!opening.test(text)) return text;
  const shadow = shadowOf(text);
  if (shadow.text === text) return text.replace(chatToken, breakToken);
  const pieces: string[] = [];
  let done = 0;
  for (const { index, 0: token } of shadow.text.matchAll(chatToken)) {
    const start = shadow.original(index);
    const end = shadow.original(index + token.length - 1) + 1;
    pieces.push(text.slice(done, start), breakToken(text.slice(start, end)));
    done = end;
  }
  return pieces.join("") + text.slice(done);
}

const breakToken = (token: string): string =>
  `⟦${token.slice(0, 1)} ${breakChatTokens(token.slice(1, -1))} ${token.slice(-1)}⟧`;

/** Of a text without hidden characters and in plain letters. */
export const countChatTokens = (shadow: string): number => shadow.match(chatToken)?.length ?? 0;
