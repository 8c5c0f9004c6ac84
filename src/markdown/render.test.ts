import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { measure } from "./measure.ts";
import { renderMessages, type Dialect, type Limit } from "./render.ts";
import { renderSignal } from "./signal.ts";

const DIALECTS: Dialect[] = ["telegram-html", "slack", "whatsapp", "markdown", "markdown-tables", "plain"];

function render(
  markdown: string,
  dialect: Dialect = "plain",
  most = 4_000,
  unit: Limit["unit"] = "utf16",
): string[] {
  return renderMessages(markdown, { dialect, limit: { most, unit } });
}

describe("a reply that is blank", () => {
  it("gives no message", () => {
    for (const dialect of DIALECTS) assert.deepEqual(render(" \n\t\r\n\u0007 ", dialect), []);
    assert.deepEqual(renderSignal("\n", { most: 100, unit: "bytes" }), []);
  });

  it("is not one that is blank only as Markdown", () => {
    for (const dialect of DIALECTS) {
      assert.match(render("[a]: https://example.com", dialect).join(), /\[a\\?\]: https:\/\/example\.com/);
      assert.equal(render("```\n```", dialect).length, 1);
      assert.equal(render("<!-- hidden -->", dialect).length, 1);
    }
  });
});

describe("a reply that is too long for one message", () => {
  const paragraph = "One sentence here. Another one follows it. ".repeat(3).trim();

  it("is cut between paragraphs", () => {
    assert.deepEqual(render([paragraph, paragraph, paragraph].join("\n\n"), "plain", 300), [
      `${paragraph}\n\n${paragraph}`,
      paragraph,
    ]);
  });

  it("keeps a heading with what is below it", () => {
    const [first, second] = render(`${paragraph}\n\n## Title\n\n${paragraph}`, "whatsapp", 150);
    assert.equal(first, paragraph);
    assert.match(second!, /^\*Title\*\n\nOne/);
  });

  it("is cut after a sentence, else between words, else between characters as people see them", () => {
    assert.deepEqual(render(`${"a".repeat(60)}. ${"b".repeat(60)}`, "plain", 100), [
      `${"a".repeat(60)}.`,
      "b".repeat(60),
    ]);
    assert.deepEqual(render("word ".repeat(30), "plain", 100), [
      "word ".repeat(20).trim(),
      "word ".repeat(10).trim(),
    ]);
    const families = render("👨‍👩‍👧‍👦".repeat(20), "plain", 100);
    assert.deepEqual(families, ["👨‍👩‍👧‍👦".repeat(9), "👨‍👩‍👧‍👦".repeat(9), "👨‍👩‍👧‍👦".repeat(2)]);
    assert.deepEqual(render("e\u0301".repeat(75), "plain", 101), [
      "e\u0301".repeat(50),
      "e\u0301".repeat(25),
    ]);
    assert.deepEqual(render("🇩🇪".repeat(30), "plain", 102), ["🇩🇪".repeat(25), "🇩🇪".repeat(5)]);
  });

  it("counts as the platform does", () => {
    const text = "ä👍 ".repeat(200);
    for (const unit of ["utf16", "bytes", "codepoints"] as const) {
      const messages = render(text, "plain", 120, unit);
      assert.ok(
        messages
          .slice(0, -1)
          .every((message) => measure(message, unit) > 110 && measure(message, unit) <= 120),
      );
    }
  });

  it("closes code and opens it again in its language", () => {
    const code = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    const messages = render(["```ts", ...code, "```"].join("\n"), "markdown", 120);
    assert.ok(messages.length > 1);
    for (const message of messages) assert.match(message, /^```ts\n(?:line \d+\n)+```$/);
    assert.deepEqual(
      messages.flatMap((message) => message.split("\n").slice(1, -1)),
      code,
    );
    for (const message of render(["```ts", ...code, "```"].join("\n"), "telegram-html", 100)) {
      assert.match(message, /^<pre><code class="language-ts">line[^<]*<\/code><\/pre>$/);
    }
  });

  it("goes on counting in a list", () => {
    const items = Array.from({ length: 30 }, (_, at) => `${at + 3}. item with some words`);
    for (const dialect of DIALECTS) {
      assert.deepEqual(
        render(items.join("\n"), dialect, 120).flatMap((message) => message.split("\n")),
        items,
      );
    }
  });

  it("closes emphasis, links and quotes and opens them again", () => {
    const words = "word ".repeat(30).trim();
    for (const message of render(`> **${words}**`, "telegram-html", 100)) {
      assert.match(message, /^<blockquote><b>word[^<]*<\/b><\/blockquote>$/);
    }
    for (const message of render(`[${words}](https://e.com)`, "slack", 100)) {
      assert.match(message, /^<https:\/\/e\.com\|word[^<>]*>$/);
    }
    for (const message of render(`> **${words}**`, "markdown", 100))
      assert.match(message, /^> \*\*word.*word\*\*$/);
  });

  it("repeats the header of a table", () => {
    const rows = Array.from({ length: 20 }, (_, at) => `| row ${at} | ${at} |`);
    const messages = render(["| Name | Size |", "|---|--:|", ...rows].join("\n"), "markdown-tables", 150);
    assert.ok(messages.length > 1);
    for (const message of messages) assert.match(message, /^\| Name \| Size \|\n\| --- \| --: \|\n\| row /);
  });

  it("writes out an address that no message can hold as a link", () => {
    const address = `https://example.com/${"x".repeat(300)}`;
    for (const dialect of DIALECTS) {
      const shown = render(`See [this](${address}) please`, dialect, 120).join("").replace(/\s/g, "");
      assert.equal(shown, `Seethis(${address})please`);
    }
  });

  it("says how much was left out after ten messages", () => {
    const text = Array.from({ length: 500 }, (_, at) => `Sentence number ${at} is here.`).join(" ");
    for (const dialect of DIALECTS) {
      const messages = render(text, dialect, 200);
      const [, left] = /… (\d+) more characters were left out\.$/.exec(messages.at(-1)!)!;
      assert.equal(messages.length, 10);
      assert.ok(messages.every((message) => message.length <= 200));
      const shown = messages.join(" ").replace(/\s*… \d+ more.*/, "").length;
      assert.ok(Math.abs(text.length - shown - Number(left)) < 30, `${text.length} - ${shown} - ${left}`);
    }
  });

  it("fills the messages up before it leaves anything out", () => {
    const blocks = Array.from({ length: 17 }, () => "x".repeat(55)).join("\n\n");
    assert.ok(!render(blocks, "plain", 100).join("").includes("left out"));
  });
});

describe("a reply must not", () => {
  it("make links of anything but web addresses, mail and telephone", () => {
    for (const address of [
      "javascript:alert",
      "data:text/html,x",
      "file:///etc/passwd",
      "JavaScript:x",
      "//e.com",
      "a.ts",
    ]) {
      const rendered = DIALECTS.map((dialect) => render(`[label](${address})`, dialect)[0]);
      assert.ok(
        rendered.every((text) => text!.startsWith("label (") && !/[<>[\]]/.test(text!)),
        rendered.join("\n"),
      );
    }
    assert.deepEqual(render("[call](tel:+49123)", "telegram-html"), ['<a href="tel:+49123">call</a>']);
    assert.deepEqual(render('[a](https://e.com/"onclick=x)', "telegram-html"), [
      '<a href="https://e.com/%22onclick=x">a</a>',
    ]);
    assert.deepEqual(render("[a](java&#115;cript:alert)", "markdown"), ["a (javascript:alert)"]);
  });

  it("write the platform's own markup", () => {
    assert.deepEqual(
      render("<!channel> <@U1> &lt;!here&gt; `<!everyone>` [<!channel>](https://e.com/<@U2>)", "slack"),
      [
        "&lt;!channel&gt; &lt;@U1&gt; &lt;!here&gt; `&lt;!everyone&gt;` <https://e.com/%3C@U2%3E|&lt;!channel&gt;>",
      ],
    );
    assert.deepEqual(render("<b>x</b> <script>", "telegram-html"), ["&lt;b&gt;x&lt;/b&gt; &lt;script&gt;"]);
    assert.deepEqual(render("<@123> <#1> \\# a", "markdown"), ["\\<@123> \\<#1> # a"]);
  });

  it("mention everyone, where the adapter says what a mention is", () => {
    const escapeMentions = (text: string) => text.replace(/@(?=all|here)/g, "@\u200B");
    const options = {
      dialect: "markdown-tables",
      limit: { most: 4_000, unit: "utf16" },
      escapeMentions,
    } as const;
    const text =
      "@all **@here** `@all` @&#104;ere\n\n| @all |\n|---|\n| @here |\n\n```\n@all\n```\n\n[@all](https://e.com/@all)";
    const [message] = renderMessages(text, options);
    assert.equal(message!.match(/@\u200B(?:all|here)/g)!.length, 8);
    assert.deepEqual(message!.match(/\S+@(?:all|here)\)?/g), ["[@\u200Ball](https://e.com/@all)"]);
  });

  it("open a block with text that comes to the front of a line when its emphasis is dropped", () => {
    assert.deepEqual(render("__# `  \n`(__[a](http://b.c)", "markdown"), ["\\#    ([a](http://b.c)"]);
    const marks = ["#", "######", ">", "-", "+", "*", "1.", "1)", "-#", "---", "[x]", "|"];
    for (const dialect of ["markdown", "markdown-tables"] as const) {
      for (const mark of marks) {
        const [message = ""] = render(`__${mark} \`  \n\`(__[a](http://b.c)`, dialect);
        assert.match(message, mark.startsWith("1") ? /^1\\[.)] / : /^\\/, `${mark} in ${dialect}`);
        assert.equal(render(message)[0], `${mark}    (a (http://b.c)`, dialect);
      }
    }
  });

  it("open a block with text that starts a line as a mark does", () => {
    const texts = ["a\n\\:-", "a\n\\:-:", "a\n\\==", "- \\[x]\\\n  b", "\\# a", "&#35; a", "&gt; a"];
    for (const text of texts) {
      for (const dialect of ["markdown", "markdown-tables"] as const) {
        const [message = ""] = render(text, dialect);
        assert.deepEqual(render(message), render(text), `${JSON.stringify(message)} in ${dialect}`);
      }
    }
  });

  it("become a quote where the platform has no escape for its mark", () => {
    assert.deepEqual(render("\\> a\n- \\> b", "whatsapp"), ["\u200B> a\n• > b"]);
    assert.deepEqual(render("\\> a\n\n> b", "slack"), ["\u200B&gt; a\n\n> b"]);
    assert.deepEqual(render("\\> a", "telegram-html"), ["&gt; a"]);
    assert.deepEqual(render("\\> a", "plain"), ["> a"]);
  });

  it("leave code by holding a fence", () => {
    const inner = "~~~\n```\n@x\n````\n~~~";
    assert.deepEqual(render(inner, "slack"), ["```\n`\u200B``\n@x\n`\u200B`\u200B``\n```"]);
    assert.deepEqual(render(inner, "markdown-tables"), ["`````\n```\n@x\n````\n`````"]);
  });
});

describe("a limit", () => {
  it("must leave room for text", () => {
    assert.throws(() => render("a", "plain", 99), /100 characters or more, not 99/);
  });
});

describe("one ordered list right after another", () => {
  it("stays a list of its own in Markdown", () => {
    assert.deepEqual(render("1. a\n\n1) b\n2) c", "markdown"), ["1. a\n\n1) b\n2) c"]);
    assert.deepEqual(render("1) a\n\n1. b", "markdown"), ["1. a\n\n1) b"]);
    assert.deepEqual(render("1. a\n\ntext\n\n1. b", "markdown"), ["1. a\n\ntext\n\n1. b"]);
  });

  it("also when the first one has one empty item", () => {
    const [written = ""] = render("1. \n\n\n\n1. ", "markdown");
    assert.equal(written, "1. \n\n1) ");
    assert.deepEqual(render(written), render("1. \n\n\n\n1. "));
  });
});
