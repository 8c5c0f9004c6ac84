import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { hostileText } from "../../test/fixtures/hostile-text.ts";
import { cases } from "../../test/support/cases.ts";
import { clean } from "../untrusted/clean.ts";
import { parseFences } from "../untrusted/fence.ts";
import { render } from "./result.ts";

test("outside texts are in blocks that they cannot close, in the text and in the structured content", () => {
  fc.assert(
    fc.property(fc.array(hostileText, { minLength: 1, maxLength: 4 }), (texts) => {
      const outside = texts.map((text, at) => ({ label: `text ${at}`, text }));
      const { content, structuredContent } = render({ says: "Two runs.", fields: { id: "1" }, outside });
      const blocks = parseFences(content[0]!.text);
      assert.deepEqual(
        blocks.map(({ id, text }) => [id, text]),
        texts.map((text, at) => [at + 1, clean(text)]),
      );
      const structured = structuredContent["outside"] as { block: string }[];
      assert.deepEqual(
        structured.map(({ block }) => parseFences(block).map(({ text }) => text)),
        texts.map((text) => [clean(text)]),
      );
    }),
    cases(200),
  );
});

test("what is ours stands in the open; a note stands behind its block; without blocks nothing is explained", () => {
  const shown = render({
    says: "One run.",
    fields: { id: "1" },
    outside: [{ label: "its reply", text: "hello", note: "Cut." }],
    notes: ["A note."],
  });
  const [before = "", after = ""] = shown.content[0]!.text.split(/\[begin [^]*\]\n\| hello\n\[end .*\]/);
  assert.match(before, /^One run\.\n\n\{"id":"1"\}\n\nA note\.\n\nWhat came from outside/);
  assert.match(after, /^\nCut\.\n\nThat was the last block\.$/);
  const { outside, ...rest } = shown.structuredContent as { outside: { note: string }[] };
  assert.equal(outside[0]?.note, "Cut.");
  assert.deepEqual(Object.keys(rest), ["says", "id", "notes"]);
  assert.equal(render({ says: "Done.", fields: {} }).content[0]?.text, "Done.");
});
