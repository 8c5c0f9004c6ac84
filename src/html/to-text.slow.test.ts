import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { assertLinear } from "../../test/support/growth.ts";
import { cases } from "../../test/support/cases.ts";
import { htmlToText } from "./to-text.ts";

const reads = (html: string, text: string) => assert.equal(htmlToText(html), text, html);

test("blocks are lines, paragraphs have a blank line between them, spaces are one space", () => {
  reads("<p>Hello\n  <b>dear</b> World</p><p>Bye<br>now</p>", "Hello dear World\n\nBye\nnow");
  reads("<div>a</div><div><br></div><div>b</div><br><br><br><br>c", "a\n\nb\n\nc");
  reads("<h1>T</h1>text<hr>more", "T\n\ntext\n---\nmore");
  reads("one<p>two<p>three<div>four</div>", "one\n\ntwo\n\nthree\n\nfour");
  reads("<pre>a  b\n  c\n\nd</pre>e", "a  b\n  c\n\nd\n\ne");
  reads("b<b>ol</b>d <i> x </i>", "bold x");
});

test("links show where they lead, unless the text says it already", () => {
  reads("<a href='https://x.test/a?b=1&amp;c=2'>click here</a>.", "click here (https://x.test/a?b=1&c=2).");
  reads("<a href='https://x.test/'>x.test</a> <a href='mailto:a@x.test'>a@x.test</a>", "x.test a@x.test");
  reads("<a href='mailto:a@x.test'>Ann</a>", "Ann (mailto:a@x.test)");
  reads("<a href='https://x.test'><img src=cid:1></a>", "https://x.test");
  reads("<a href='https://x.test'><img alt='Confirm'></a>", "[Confirm] (https://x.test)");
  reads("<a href='javascript:alert(1)'>a</a> <a href='#top'>b</a> <a name=x>c</a>", "a b c");
  reads(
    "<a href=https://x.test/1>one<a href=https://x.test/2>two",
    "one (https://x.test/1)two (https://x.test/2)",
  );
  reads("<a href='https://x.test/?a=1&copy=2&lang=en'>q</a>", "q (https://x.test/?a=1&copy=2&lang=en)");
});

test("lists have dashes, tables are read by rows, quotes are marked", () => {
  reads("<ul><li>one<li>two<ol><li>deep</li></ol></li></ul>end", "- one\n- two\n  - deep\n\nend");
  reads("<table><tr><th>A</th><th>B</th></tr><tr><td>1<td>2<tr><td><td>4</table>", "A | B\n1 | 2\n4");
  reads("<table><tr><td><table><tr><td>in</td></tr></table></td><td>side</td></tr></table>", "in\n\nside");
  reads(
    "I agree.<blockquote>one<br>two<blockquote>three</blockquote></blockquote>Bye",
    "I agree.\n\n> one\n> two\n\n> > three\n\nBye",
  );
});

test("character references are characters", () => {
  reads(
    "&lt;b&gt; &amp;amp; &quot;&apos;&nbsp;&euro;&#8364;&#x20AC;&#128;&hellip;&Auml;&uuml",
    "<b> &amp; \"' €€€€…Äü",
  );
  reads("&#0;&#xD800;&#99999999;&unknown;&;&#;&amp", "\ufffd\ufffd\ufffd&unknown;&;&#;&");
  reads("a < b <3 & c", "a < b <3 & c");
});

test("hidden text is left out", () => {
  reads("<head><title>T</title><style>p{}</style></head><body>seen</body>", "seen");
  reads(
    "a<!-- b --><script>if (a < b) '</div>'</script><STYLE>x</STYLE ><template>t</template><svg><text>s</text></svg>c",
    "ac",
  );
  reads("<!doctype html><?xml?><![if mso]>a<![endif]><!-->b<!--->c", "abc");
  for (const style of [
    "display:none",
    "DISPLAY : none !important",
    "display:block;display:none",
    "color:red;/* ; */display:/**/none",
    "dis\\70lay:none",
    "visibility:hidden",
    "font-size:0",
    "font-size:0.0px",
    "font:0/0 a",
    "opacity:0",
    "max-height:0;overflow:hidden",
  ]) {
    reads(`a<span style="${style}">secret<i>more</i></span>b`, "ab");
  }
  reads("a<div hidden>secret</div><p hidden=until-found>x</p>b", "ab");
  reads("<img alt=secret hidden><img alt=seen>", "[seen]");
});

test("text that is shown again is read", () => {
  reads("<td style='font-size:0px'><div style='font-size:13px'>text</div></td>", "text");
  reads("<div style='visibility:hidden'>no<b style='visibility:visible'>yes</b></div>", "yes");
  reads(
    "<div style='display:none;display:block'>a</div><div style='font-size:10px;opacity:0.5'>b</div>",
    "a\nb",
  );
  reads("<p style='display:none'>preview<div>Real</div>", "Real");
  reads("<table><tr><td hidden>x<td>y<tr hidden><td>z<tr><td>w</table>", "y\nw");
});

test("stray end tags do not reveal hidden text", () => {
  for (const html of [
    "<b><div hidden></b>secret</div>ok",
    "<div hidden><table><tr><td></div>secret</td></tr></table></div>ok",
    "<div hidden></p></span></body></html>secret</div>ok",
    "<table><tr hidden><td><table></tr>secret</table></td></tr><tr><td>ok</table>",
  ]) {
    reads(html, "ok");
  }
});

test("padding characters of previews disappear; joiners inside words stay", () => {
  reads(`Hi${"&nbsp;&zwnj;&#847;&shy;&#8203;".repeat(50)}there`, "Hi there");
  reads("می&zwnj;خواهم", "می\u200cخواهم");
});

test("broken markup is read as far as possible", () => {
  reads("<div><p>a</span></td></div>b</p>", "a\n\nb");
  reads("text <a href='https://x.test", "text");
  reads("text <!-- never closed", "text");
  reads("<>a</>b< /p><1>", "<>ab< /p><1>");
  reads("<a =x / b=c>t</a>", "t");
  reads("", "");
});

test("the worst markup is read in time that grows with its length", () => {
  const full = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length));
  const pieces = [
    "<",
    "<div>",
    "<p>",
    "<ul><li>",
    "<table><tr><td>",
    "<!--",
    '<a x="',
    "<a x='",
    "&",
    "&a",
    "&#",
    "<script>",
    "<script><!--",
    "<!-- --!",
    "<i style=width:0>",
  ];
  const halves = [
    "<div>|</span>",
    "<b>|</i>",
    "<b><div>|</b>",
    "<td>|</tr>",
    "<div hidden>|</div>",
    "<a href=https://x.test/>|a ",
  ];
  const insides = [
    "<a #>",
    "<a =#>",
    "<i style='#'>",
    "<i style='font-size:#'>",
    "<i style='display:#;display:none'>",
    "<i style='font:#'>",
    "<i style='width:calc(#)'>",
    "<img alt='#'>",
    "<pre>#",
    "<a href='https://#'>t</a>",
  ];
  const documentsOf = (size: number): string[] => [
    ...pieces.map((piece) => full(piece, size)),
    ...halves.map((each) =>
      each
        .split("|")
        .map((half) => full(half, size / 2).slice(0, size / 2))
        .join(""),
    ),
    ...insides.flatMap((each) =>
      [" x", "=", "/*", "\\", "0", ";:", "\n ", "(", "a:b;", "a,", "{", "!", ";display:a"].map((inner) =>
        each.replace("#", () => full(inner, size)),
      ),
    ),
  ];
  const size = 10_000;
  const documents = new Map([size, 4 * size].map((each) => [each, documentsOf(each)]));
  for (const [index, html] of documentsOf(size).entries())
    assertLinear(html.slice(0, 40), size, (each) => htmlToText(documents.get(each)?.[index] ?? ""));
});

test("an overlong text is cut, with a note", () => {
  const mark = /\n\n… \(cut: the HTML is longer than this\)$/;
  assert.match(htmlToText("a ".repeat(500_001)), mark);
  assert.match(htmlToText("<i>".repeat(200_001)), mark);
  assert.doesNotMatch(htmlToText("a ".repeat(499_999)), mark);
});

test("any text can be read", () => {
  const pieces = fc.constantFrom(
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    '"',
    "'",
    "=",
    " ",
    "a",
    "div",
    "td",
    "p",
    "style",
    "hidden",
    "&#x41;",
    "&amp",
    "\n",
    "\0",
    "<b>",
    "</table>",
    "<script",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: "binary" })), { maxLength: 60 }), (parts) => {
      const text = htmlToText(parts.join(""));
      assert.equal(typeof text, "string");
      assert.doesNotMatch(text, /\n{3}/);
    }),
    cases(1000),
  );
});
