import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { aRun, aRunRequest } from "../../test/builders/run.ts";
import { cases } from "../../test/support/cases.ts";
import { failureNotice } from "./failure-notice.ts";

const notice = (name: string | null, reason: string, status: "failed" | "timed-out" = "failed") =>
  failureNotice({ ...aRun({ id: "ID", hook: "github" }), request: aRunRequest({ name }) }, status, reason);

test("names the hook, the reason and the command that shows more, in one line", () => {
  assert.equal(
    notice("Build", "the model refused"),
    "Hook `Build` failed: `the model refused`. More: `rouse runs show ID`",
  );
  assert.equal(
    notice("Build", "no reply within 2 seconds", "timed-out"),
    "Hook `Build` timed out: `no reply within 2 seconds`. More: `rouse runs show ID`",
  );
});

test("without a name it is the hook's own", () => {
  for (const name of [null, " "]) assert.match(notice(name, "why"), /^Hook `github` failed: `why`\./);
});

test("text from outside becomes no markup and no second line, and hides nothing", () => {
  const text = notice("*B* [a](https://x.test)\n# C", "``` \u202Eexe.txt\r\n<b>@all</b>");
  assert.equal(
    text,
    "Hook `*B* [a](https://x.test) # C` failed: ` ``` ⟦U+202E⟧exe.txt <b>@all</b> `. More: `rouse runs show ID`",
  );
});

test("a long name and a long reason are cut", () => {
  const text = notice("n".repeat(5000), "r".repeat(1_000_000));
  assert.ok(text.includes(`${"n".repeat(99)}…`) && text.includes(`${"r".repeat(299)}…`));
  assert.ok(text.length < 600, String(text.length));
});

test("any name and reason stay inside of their marks", () => {
  const outside = fc.string({ unit: fc.constantFrom("`", " ", "a", "\n", "*", "\u{1f600}") });
  fc.assert(
    fc.property(outside, outside, (name, reason) => {
      const text = notice(name, reason);
      assert.ok(!/[\r\n]/.test(text));
      const spans = [...text.matchAll(/(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g)].map(([, , inside]) => inside);
      assert.equal(spans.length, 3);
    }),
    cases(200),
  );
});
