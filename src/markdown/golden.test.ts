// One rich reply in every dialect, to be read beside its source in test/fixtures/golden/reply.txt.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { renderMessages, type Dialect, type Limit } from "./render.ts";
import { renderSignal } from "./signal.ts";

const DIALECTS: Dialect[] = ["telegram-html", "slack", "whatsapp", "markdown", "markdown-tables", "plain"];
const LIMIT: Limit = { most: 4_000, unit: "utf16" };

describe("the golden reply", () => {
  const reply = golden("reply");

  for (const dialect of DIALECTS) {
    it(`in ${dialect}`, () => {
      assert.deepEqual(renderMessages(reply, { dialect, limit: LIMIT }), [golden(dialect)]);
    });
  }

  it("in Signal", () => {
    const [message, ...others] = renderSignal(reply, LIMIT);
    assert.deepEqual(others, []);
    const styles = message!.styles.map((style) => {
      const [start, length, name] = style.split(":");
      return `${name} ${JSON.stringify(message!.text.slice(Number(start), Number(start) + Number(length)))}`;
    });
    assert.equal(`${message!.text}\n=====\n${styles.join("\n")}`, golden("signal"));
  });
});

function golden(name: string): string {
  return readFileSync(new URL(`../../test/fixtures/golden/${name}.txt`, import.meta.url), "utf8").trimEnd();
}
