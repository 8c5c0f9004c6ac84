// What must hold for every reply in every dialect.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import type { Token, Tokens } from "marked";
import { decodeEntities } from "./entities.ts";
import { lexMarkdown } from "./lex.ts";
import { measure } from "./measure.ts";
import { renderMessages, type Dialect, type Limit } from "./render.ts";
import { ANY_REPLY, MARKS, TAME_REPLY } from "../../test/fixtures/replies.ts";
import { renderSignal } from "./signal.ts";

const DIALECTS: Dialect[] = ["telegram-html", "slack", "whatsapp", "markdown", "markdown-tables", "plain"];
const ROOMY: Limit = { most: 1_000_000, unit: "utf16" };
const LIMIT: fc.Arbitrary<Limit> = fc.record({
  most: fc.integer({ min: 100, max: 600 }),
  unit: fc.constantFrom("utf16", "bytes", "codepoints"),
});

for (const dialect of DIALECTS) {
  describe(`every reply in ${dialect}`, () => {
    it("is within the limit, in at most ten well-formed messages", () => {
      fc.assert(
        fc.property(ANY_REPLY, LIMIT, (text, limit) => {
          const messages = renderMessages(text, { dialect, limit });
          assert.ok(messages.length <= 10);
          assert.equal(messages.length === 0, text.replace(/\p{Cc}/gu, "").trim() === "");
          for (const message of messages) checkMessage(message, dialect, limit);
          assert.deepEqual(renderMessages(text, { dialect, limit }), messages);
        }),
        { ...cases(150), endOnFailure: true },
      );
    });

    it("shows the same text in many messages as in one", () => {
      fc.assert(
        fc.property(TAME_REPLY, LIMIT, (text, limit) => {
          const shown = shownBy(renderMessages(text, { dialect, limit }), dialect);
          if (shown.includes("characterswereleftout.")) return;
          assert.equal(shown, shownBy(renderMessages(text, { dialect, limit: ROOMY }), dialect));
        }),
        { ...cases(150), endOnFailure: true },
      );
    });
  });
}

describe("every reply as Markdown", () => {
  it("reads as the reply did", () => {
    const plainly = (text: string) => renderMessages(text, { dialect: "plain", limit: ROOMY }).join("");
    fc.assert(
      fc.property(fc.oneof(MARKS.filter(hasNoFence), TAME_REPLY.filter(isOneSection)), (text) => {
        const written = renderMessages(text, { dialect: "markdown", limit: ROOMY }).join("");
        assert.equal(comparable(plainly(written)), comparable(plainly(text)));
      }),
      { ...cases(1_000), endOnFailure: true },
    );
  });
});

describe("every reply in Signal", () => {
  it("is within the limit, and its styles are within the text", () => {
    fc.assert(
      fc.property(ANY_REPLY, LIMIT, (text, limit) => {
        const messages = renderSignal(text, limit);
        assert.ok(messages.length <= 10);
        for (const message of messages) {
          assert.ok(measure(message.text, limit.unit) <= limit.most);
          assert.ok(message.text.isWellFormed());
          for (const style of message.styles) checkStyle(style, message.text);
        }
      }),
      { ...cases(150), endOnFailure: true },
    );
  });
});

/** Longer lists are read in sections, which depend on their lengths. */
function isOneSection(text: string): boolean {
  return text.length < 900;
}

/** Empty code is shown differently in dialects without code. */
function hasNoFence(text: string): boolean {
  return !/```|~~~/.test(text);
}

function checkStyle(style: string, text: string): void {
  const [, start, length] = /^(\d+):(\d+):(?:BOLD|ITALIC|STRIKETHROUGH|MONOSPACE)$/.exec(style)!;
  assert.ok(Number(length) > 0 && Number(start) + Number(length) <= text.length);
}

function checkMessage(message: string, dialect: Dialect, { most, unit }: Limit): void {
  const counted = dialect === "telegram-html" ? decode(message.replace(/<[^>]*>/g, "")) : message;
  assert.ok(measure(counted, unit) <= most);
  assert.ok(measure(message, unit) <= most * 2);
  assert.ok(message.isWellFormed());
  assert.notEqual(message.trim(), "");
  if (dialect === "telegram-html") checkTags(message);
  if (dialect === "slack") checkSlack(message);
  if (dialect !== "plain" && dialect !== "telegram-html") checkFences(message);
}

function checkSlack(message: string): void {
  const links = /<(?:https?:\/\/|mailto:|tel:)[^<>|\s]+(?:\|[^<>]*)?>/g;
  assert.doesNotMatch(message.replace(links, ""), /<|&(?!(?:amp|lt|gt);)/);
}

function checkFences(message: string): void {
  let open = "";
  for (const line of message.split("\n")) {
    const fence = /^[> ]*(`{3,})[\w+.#-]*$/.exec(line)?.[1] ?? "";
    if (open === "") open = fence;
    else if (fence === open) open = "";
  }
  assert.equal(open, "", message);
}

function checkTags(message: string): void {
  const open: string[] = [];
  for (const [tag, slash, name = ""] of message.matchAll(/<(\/?)([a-z]+)[^>]*>/g)) {
    if (slash) assert.equal(open.pop(), name, message);
    else {
      assert.match(tag, /^<(?:b|i|s|code|pre|blockquote|code class="language-[\w+.#-]+"|a href="[^"<>]+")>$/);
      assert.ok(!open.includes(name) && !open.includes("code"), message);
      open.push(name);
    }
  }
  assert.deepEqual(open, []);
  assert.doesNotMatch(message.replace(/<\/?[a-z]+[^>]*>/g, ""), /[<>]|&(?!(?:lt|gt|amp|quot);)/);
}

/** The visible text without white space, and without the marks, quotes and fences that a cut may repeat. */
function shownBy(messages: readonly string[], dialect: Dialect): string {
  return comparable(messages.map((message) => visible(message, dialect)).join(""));
}

function visible(message: string, dialect: Dialect): string {
  const marks = /[*_~`]/g;
  if (dialect === "telegram-html") return decode(message.replace(/<[^>]*>/g, ""));
  if (dialect === "slack") return decode(message.replace(/<(?:[^|>]*\|)?([^>]*)>/g, "$1")).replace(marks, "");
  if (dialect === "whatsapp") return message.replace(marks, "");
  return dialect === "plain" ? message : seen(lexMarkdown(message));
}

function seen(tokens: readonly Token[]): string {
  return tokens.map(seenToken).join("");
}

function seenToken(token: Token): string {
  if (token.type === "list") return (token as Tokens.List).items.map((item) => seen(item.tokens)).join("");
  if ("tokens" in token && token.tokens) return seen(token.tokens);
  if (token.type === "text") return decodeEntities(String(token.text));
  return "text" in token ? String(token.text) : "";
}

function decode(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

/** Brackets in addresses may be encoded, and an address that is its own label is not shown twice. */
function comparable(text: string): string {
  const encoded = text.replace(/%(28|29|5B|5D|60|5C|3E)/g, (code) => decodeURIComponent(code));
  return encoded.replace(/[\s\u200B>]+/g, "").replace(/(\w+:\S*?)\(\1\)/g, "$1");
}
