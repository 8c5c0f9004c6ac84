// Properties that hold for any text.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { cases } from "../../test/support/cases.ts";
import type { Message } from "../core/message.ts";
import { clean } from "./clean.ts";
import { fence, parseFences } from "./fence.ts";
import {
  hostileText,
  occurrences,
  operatorText,
  withoutOperatorLetters,
} from "../../test/fixtures/hostile-text.ts";
import { countHidden, showHidden, unifyLineBreaks } from "./hidden.ts";
import { metadata } from "./metadata.ts";
import { compose, prepare } from "./prepare.ts";
import { shorten } from "./shorten.ts";

const fenceId = "0123456789abcdef0123456789abcdef";

const check = <Values>(numRuns: number, property: fc.IProperty<Values>): void => {
  fc.assert(property, cases(numRuns));
};

const emoji = /\p{RGI_Emoji}/gv;
const forbidden =
  /\p{Default_Ignorable_Code_Point}|\p{Bidi_Control}|\p{Cf}|(?![\t\n])\p{Cc}|\p{Co}|\p{Cs}|\p{Noncharacter_Code_Point}|[\u2028\u2029]/u;
const tokens =
  /<\|[^<>\n]{1,64}\|>|<\/?(?:s|bos|eos|think|tool_call|start_of_turn|end_of_turn)>|<<\/?SYS>>|\[\/?(?:INST|TOOL_CALLS)\]/i;

const folded = (text: string): string =>
  Array.from(text, (character) => character.normalize("NFKC")).join("");

test("nothing forbidden survives cleaning", () => {
  check(
    20_000,
    fc.property(hostileText, (text) => {
      const cleaned = clean(text);
      assert.doesNotMatch(cleaned.replace(emoji, ""), forbidden);
      assert.doesNotMatch(folded(cleaned), tokens);
      assert.ok(cleaned.length <= 8 * text.length);
    }),
  );
});

test("cleaning twice changes nothing, and cleaned text that is cut stays clean", () => {
  check(
    20_000,
    fc.property(hostileText, fc.nat(60), (text, limit) => {
      const cleaned = clean(text);
      assert.equal(clean(cleaned), cleaned);
      const short = shorten(cleaned, limit);
      assert.ok(short.length <= limit);
      assert.equal(clean(short), short);
    }),
  );
});

test("hidden characters are shown as the whole emoji property requires", () => {
  const reference = /\p{RGI_Emoji}|([[\p{DI}\p{Bidi_C}\p{Cf}\p{Cc}\p{Co}\p{Cs}\p{NChar}]--[\t\n]])/gv;
  check(
    15_000,
    fc.property(hostileText, (original) => {
      const text = unifyLineBreaks(original);
      const shown = text.replace(reference, (found, hidden?: string) =>
        hidden === undefined
          ? found
          : `⟦U+${hidden.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}⟧`,
      );
      assert.equal(showHidden(text), shown);
      assert.equal(countHidden(text), Array.from(text.matchAll(reference)).filter(([, one]) => one).length);
    }),
  );
});

test("parsing a fenced text gives the cleaned text", () => {
  check(
    20_000,
    fc.property(hostileText, hostileText, (text, label) => {
      const fenced = fence(fenceId, { id: 7, label, text });
      const [block, ...others] = parseFences(fenced);
      assert.deepEqual([block?.id, block?.fenceId, block?.text], [7, fenceId, clean(text)]);
      assert.ok((block?.label.length ?? 0) <= 100);
      assert.equal(others.length, 0);
      assert.equal(fenced.match(/^(?!\| )/gm)?.length, 2);
    }),
  );
});

const outside = fc.record({
  label: hostileText.map(withoutOperatorLetters),
  source: fc.constantFrom("request", "transform", "reply"),
  text: hostileText.map((text) => `ж${withoutOperatorLetters(text)}ж`),
});
const message: fc.Arbitrary<Message> = fc.array(fc.oneof(operatorText, outside), { maxLength: 5 });

test("the operator's words stay outside of the blocks, and outside texts inside", () => {
  check(
    15_000,
    fc.property(message, fc.constantFrom(8, 1000), (message, longestText) => {
      const prepared = prepare(message, { longestText });
      const prompt = compose(prepared);
      const id = /^\[begin ([0-9a-f]{32}) 1 [^\n]*\]$/m.exec(prompt.slice(prepared.instructions.length))?.[1];
      if (id === undefined) return assert.equal(prompt, prepared.instructions);
      const pattern = new RegExp(`^\\[begin ${id} (\\d+) .*\\]\\n((?:\\| .*\\n)+)\\[end ${id} \\1\\]$`, "gm");
      const inside = (prompt.match(pattern) ?? []).join("\n");
      const around = prompt.replace(pattern, "");
      assert.equal(prompt.match(pattern)?.length, prepared.data.length);
      assert.doesNotMatch(inside, /[α-ω]/);
      assert.doesNotMatch(around, /ж/);
      assert.ok(around.startsWith(prepared.instructions));
      assert.equal(occurrences(prompt, id), 2 * prepared.data.length);
      const read = parseFences(prompt).filter((block) => block.fenceId === id);
      assert.deepEqual(
        read,
        prepared.data.map(({ id: number, label, text }) => ({ fenceId: id, id: number, label, text })),
      );
    }),
  );
});

test("the prompt is at most a few times as long as the message", () => {
  check(
    5000,
    fc.property(message, (message) => {
      const length = message.reduce(
        (sum, part) => sum + (typeof part === "string" ? part.length : 8 * part.text.length + 300),
        1000,
      );
      assert.ok(compose(prepare(message)).length <= length);
    }),
  );
});

test("a composed prompt can be outside text like any other", () => {
  check(
    5000,
    fc.property(message, (message) => {
      const inner = compose(prepare(message));
      const [block, ...others] = parseFences(
        compose(prepare([{ label: "inner", source: "reply", text: inner }])),
      );
      assert.equal(block?.text, clean(inner));
      assert.equal(others.length, 0);
    }),
  );
});

test("an id that occurs anywhere is replaced by another", () => {
  const ids = Array.from({ length: 4 }, (_, index) => String(index).repeat(32));
  const free = "f".repeat(32);
  check(
    5000,
    fc.property(fc.array(fc.constantFrom(...ids, "x"), { minLength: 3, maxLength: 3 }), (words) => {
      const [operator = "", label = "", text = ""] = words;
      const draws = [...ids, free];
      const prompt = compose(prepare([operator, { label, source: "request", text }]), {
        random: () => draws.shift() ?? free,
      });
      const [block] = parseFences(prompt);
      assert.ok(!words.includes(block?.fenceId ?? ""));
      assert.equal(occurrences(prompt, block?.fenceId ?? ""), 2);
    }),
  );
});

test("metadata is one clean line of JSON", () => {
  check(
    10_000,
    fc.property(hostileText, fc.integer({ min: 1, max: 40 }), (value, longest) => {
      const line = metadata(value, longest);
      const decoded: unknown = JSON.parse(line);
      assert.ok(typeof decoded === "string" && decoded.length <= longest);
      assert.doesNotMatch(line, /\n/);
      assert.equal(clean(line), line);
    }),
  );
});
