import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { chatMarks } from "../../test/fixtures/chat-marks.ts";
import { breakChatTokens, countChatTokens } from "./chat-tokens.ts";
import { fold } from "./fold.ts";

const known = [
  '<|im_start|> <|im_end|> <|endoftext|> <|eot_id|> <|start_header_id|> <|"|> <｜User｜> <｜end▁of▁sentence｜>',
  "<|turn> <turn|> <|channel> <|tool_call> <｜DSML｜function_calls> </｜DSML｜function_calls>",
  "[INST] [/INST] [SYSTEM_PROMPT] [/SYSTEM_PROMPT] [TOOL_CALLS] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS]",
  "[TOOL_RESULTS] [/TOOL_RESULTS] [gMASK] <sop> <<SYS>> <</SYS>> <start_of_turn> <end_of_turn>",
  "<bos> <eos> <s> </s> <think> </think> <tool_call> </tool_call> <minimax:tool_call> ]~b] ]~!b[ [e~[",
].flatMap((line) => line.split(" "));

test("well-known tokens are broken, in any letters", () => {
  for (const token of known) {
    for (const text of [token, token.toLowerCase(), token.toUpperCase()]) {
      assert.equal(breakChatTokens(text), `⟦${text.slice(0, 1)} ${text.slice(1, -1)} ${text.slice(-1)}⟧`);
    }
  }
});

test("a broken token stays readable between its marks", () => {
  assert.equal(breakChatTokens("a<|im_start|>b"), "a⟦< |im_start| >⟧b");
  assert.equal(breakChatTokens("<s>[INST]x[/INST]"), "⟦< s >⟧⟦[ INST ]⟧x⟦[ /INST ]⟧");
});

test("tokens in full-width and mathematical letters are found and broken", () => {
  assert.equal(breakChatTokens("𝐱＜｜ｉｍ＿ｓｔａｒｔ｜＞𝐲"), "𝐱⟦＜ ｜ｉｍ＿ｓｔａｒｔ｜ ＞⟧𝐲");
  assert.equal(breakChatTokens("𝐀[𝐈𝐍𝐒𝐓]𝐁"), "𝐀⟦[ 𝐈𝐍𝐒𝐓 ]⟧𝐁");
  assert.equal(breakChatTokens("<ﬆart_of_turn>"), "⟦< ﬆart_of_turn >⟧");
  assert.equal(breakChatTokens("❤️<s>❤️"), "❤️⟦< s >⟧❤️");
});

test("tokens inside tokens are broken, too", () => {
  assert.equal(breakChatTokens("<|[INST]|>"), "⟦< |⟦[ INST ]⟧| >⟧");
  assert.equal(breakChatTokens("<|<|a|>|>"), "<|⟦< |a| >⟧|>");
});

test("broken tokens are not broken again", () => {
  for (const token of known) {
    const broken = breakChatTokens(`<|${token}|>${token}`);
    assert.equal(breakChatTokens(broken), broken);
  }
});

test("text that only looks similar is unchanged", () => {
  const others = [
    "<||>",
    "<|>",
    "a < b || c > d",
    "<| x >",
    "<|a\nb|>",
    `<|${"x".repeat(65)}|>`,
    "[inst",
    "<sys>",
    "<p>",
  ];
  for (const text of others) assert.equal(breakChatTokens(text), text);
});

test("tokens are counted", () => {
  assert.equal(countChatTokens("<s>[INST] <|x|> </s>"), 4);
  assert.equal(countChatTokens("none"), 0);
});

describe("the special tokens of common open models are broken", () => {
  for (const { model, marks } of chatMarks)
    it(model, () => {
      for (const mark of marks.split(/(?<=[>\]<[]) (?=[<[\]>])/)) {
        for (const text of [mark, `a${mark}b`, `${mark}${mark}`, `<${mark}>`, `[${mark}]`]) {
          const broken = breakChatTokens(text);
          assert.ok(!broken.includes(mark), `${mark} in ${text}`);
          assert.equal(breakChatTokens(broken), broken, text);
        }
        assert.equal(countChatTokens(fold(mark).text), 1, mark);
      }
    });
});

it("ordinary text stays as it is", () => {
  for (const text of [
    "usage: run [args] [prefix] <file> <filename> [--img FILE] <name|id>",
    "<html><body><p class=x><b>1</b> <s-box> <table><tr><td>[1]</td></tr></table><section><em>e</em>",
    "if (a < b && c > d) x[0] = y[1] >> 2 << 3; >>HERE<< >> ANSWER <<",
    "[x] done [ ] open [TODO] [RE: mask] [user] [1|2|3] [a|b] [link](https://x.test) [| a | b |]",
    "<user@mail.test> <https://x.test/special_10> <roles> <item_10> <part1> [item_1] ]~ [~",
    "<xs:element name='a'/> <a:b> <tools> <title> <response> <answer> <special> [reserved] <extra>",
  ])
    assert.equal(breakChatTokens(text), text);
});
