// Special tokens of chat templates, which separate turns and roles. In outside text they are broken visibly.

import { fold } from "./fold.ts";

/** Placeholders that a model's maker can give a meaning later, as Baichuan did with `<reserved_106>`. */
const numbered =
  "(?:reserved|special|unused|extra|dummy|placeholder|sentinel|tokens?)(?:_[a-z]{1,16}){0,3}_?[0-9]{1,6}";

const names = [
  "s|2mass|sop|eo[achmrt]|eosys|(?:bos|eos|eop|pad|unk|mask|cls|sep)(?:_token)?|mask:[0-9]{1,4}|role",
  "(?:start|end|begin|beginning)_of_[a-z]{1,16}|(?:start|end)_function_(?:call|response|declaration)",
  "think|thinking|reasoning|tool_?calls?|tool_?responses?|tool_?results?|function_calls?|function_results?",
  "available_tools|arg_key|arg_value|(?:image|audio)_soft_token",
  "fim_(?:prefix|middle|suffix|pad)|file_sep|repo_?name|gh_stars|issue_(?:start|comment|closed)",
  "jupyter_[a-z_]{1,24}|empty_output|commit_(?:before|msg|after)",
].join("|");

const bracketed =
  "inst|system_prompt|tool_calls|available_tools|tool_results|tool_content|model_settings|think|gmask|smask|" +
  "call_id|img_break|img_end|begin_audio|@bos@|start_header_id|end_header_id";

/** In small letters these are words of manuals and logs. */
const capitals =
  "ARGS|IMG|AUDIO|TRANSCRIBE|PREFIX|MIDDLE|SUFFIX|MASK|BOS|EOS|EOT|PAD|UNK|CLS|SEP|NLU|NLG|S2S";
const falcon =
  "TITLE|ABSTRACT|INTRODUCTION|SUMMARY|COMMENT|ANSWER|QUESTION|DOMAIN|PREFIX|SUFFIX|MIDDLE|UNUSED_[0-9]{1,4}";

/**
 * None of these may occur inside another one, except inside `<|…|>` and `[|…|]`, whose content is broken, too.
 * `test/fixtures/chat-marks.ts` lists the tokens of the models.
 */
const tokens = [
  String.raw`<\/?\|[^<>\n]{1,64}\|>`,
  String.raw`<\/?\|\w[^<>\n]{0,63}>`,
  String.raw`<\/?\w{1,64}\|>`,
  String.raw`<\/?(?:\w{1,16}:)?(?:${names}|${numbered})>`,
  String.raw`<<\/?sys>>`,
  String.raw`\[\|\w{1,64}\|\]`,
  String.raw`\[\/?(?:${bracketed}|${numbered}|(?-i:${capitals}))\]`,
  String.raw`\]~!?b[\[\]]|\[e~\[|\]!\w~\[|\]<\][\w\x20]{1,32}\[>\[`,
  String.raw`(?-i:>>(?:${falcon})<<)`,
].join("|");

const chatToken = new RegExp(tokens, "giv");

/** What a token can start with, including characters that fold to `<`, `[` and `]`. */
export const openingClass = String.raw`[<\[\]＜﹤［﹇］﹈]`;
const opening = new RegExp(openingClass, "v");

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
