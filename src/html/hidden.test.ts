// What a browser would not show is left out, and what it would show is read. The tables follow the specifications:
// css-syntax (declarations, `!important`), css-cascade (which declaration counts), and each property's own values.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { htmlToText } from "./to-text.ts";

const textUnder = (style: string): string =>
  htmlToText(`<span style="${style.replaceAll('"', "&quot;")}">text</span>`);

const hides: readonly string[] = [
  "display:none ! important",
  "display:none!important;display:block",
  "display:none ! important;display:block",
  "display:none!/**/important;display:block",
  "display:none !IMPORTANT;display:block",
  "display:none !im\\70ortant;display:block",
  "display:none!important;font-size:12px",
  "display:none;display:foo",
  "display:none;display:block none",
  "display:none;display:block !ie",
  "display:none;display:block!important foo",
  "display:none;display:12px",
  "display:none;display:'block'",
  "display:none;display:-moz-box",
  "display:none;display:b\nlock",
  "display:none;*display:block",
  "display:none;//display:block",
  "display:none;foo(;display:block",
  "display:none;color:(;display:block",
  "display:none;content:';display:block;'",
  "display:none;color:url(;display:block",
  "display:none;display\\:x:block",
  "display:none;}display:block",
  "display:none;a}b;display:block",
  "display:none;{}display:block",
  "display:none}",
  "dis\\70lay:none",
  "DISPLAY : NONE",
  "display:n\\6fne",
  "display:\\none",
  "/*;*/display/**/:/*:*/none",
  ";;display:none;;",
  "color;display:none",
  "a:'x\ny;display:none;",
  "@x;display:none",
  "a\\:b:c;display:none",
  "visibility:hidden ! important;visibility:visible",
  "visibility:hidden;visibility:shown",
  "visibility:collapse",
  "visibility:hidden!important;color:red;visibility:visible",
  "font-size:0 ! important;font-size:12px",
  "font-size:0;font-size:12",
  "font-size:0;font-size:-1px",
  "font-size:0;font-size:12foo",
  "font-size:12px;font:0/0 a",
  "font:12px a;font-size:0",
  "font-size:0;font:12px",
  "font-size:0e5px",
  "font-size:+0",
  "font-size:.0em",
  "font-size:0.01px",
  "font-size:0.2pt",
  "font-size:0P\\78",
  "font-size:calc(0px)",
  "font-size:calc(1px - 1px)",
  "font-size:calc(1px - 2px)",
  "font-size:min(0px, 5px)",
  "font-size:clamp(0px, 0px, 5px)",
  "font-size:calc(2 * (3px - 3px))",
  "opacity:-1",
  "opacity:0%",
  "opacity:0 !important;opacity:1",
  "opacity:0.001",
  "opacity:calc(0)",
  "content-visibility:hidden",
  "overflow:hidden;height:0",
  "overflow:clip;max-height:0",
  "overflow:visible hidden;width:0",
  "overflow-x:hidden;max-width:0px",
  "overflow:hidden!important;overflow:visible;height:0",
  "overflow:hidden;block-size:0",
  "overflow:hidden;height:0;height:-5px",
  "--x:none;display:var(--x)",
  "--x:0;font-size:var(--x)",
  "display:var(--x, none)",
  "display:v\\61r(--x, none)",
  "display:env(--x, none)",
  `display:${"/**/".repeat(200)}none`,
];

const shows: readonly string[] = [
  "",
  "display:none;display:block",
  "display:none;display:block!important",
  "display:block!important;display:none",
  "display:none;display:-webkit-box",
  "display:none;display:block flow",
  "display:none;display:initial",
  "display:none!important foo",
  "display:none none",
  "display:none !ie",
  "display:'none'",
  "display\\:none:x",
  "display\\:none",
  "a\\:display:none",
  "*display:none",
  "content:';display:none;'",
  'content:";display:none;"',
  "content:'\\';display:none;'",
  "background:url(;display:none;)",
  "background:url('a;display:none;b')",
  "color:(;display:none;)",
  "color:[;display:none",
  "color:{display:none}",
  "/* display:none */",
  "/* ;display:none",
  "--x:;color:red",
  "-display:none",
  "xdisplay:none",
  "display none",
  "visibility:hidden;visibility:visible",
  "visibility:visible!important;visibility:hidden",
  "visibility:hidden none",
  "visibility:inherit",
  "font-size:0;font-size:12px",
  "font-size:12px!important;font-size:0",
  "font-size:0;font:12px a",
  "font-size:0;font:menu",
  "font-size:0foo",
  "font-size:'0'",
  "font-size:0 0",
  "font-size:10%",
  "font-size:calc(10px + 1vw)",
  "font-size:clamp(12px, 2vw, 20px)",
  "font-size:var(--size)",
  "font-size:var(--size, 14px)",
  "line-height:0",
  "opacity:0;opacity:1",
  "opacity:.5",
  "opacity:0 0",
  "overflow:hidden;height:20px",
  "overflow:hidden;max-width:calc(100% - 40px)",
  "overflow:hidden;height:0;height:auto",
  "overflow:hidden;overflow:visible;height:0",
  "overflow:visible;height:0",
  "mso-hide:all;display:block",
];

describe("a style that hides its element", () => {
  for (const style of hides) it(style.slice(0, 80), () => assert.equal(textUnder(style), ""));
});

describe("a style that shows its element", () => {
  for (const style of shows) it(style, () => assert.equal(textUnder(style), "text"));
});

const reads = (html: string, text: string) => assert.equal(htmlToText(html), text, html);

describe("hidden and shown elements", () => {
  it("text behind `--!>` is shown", () => {
    reads("a<!-- x --!>b<!-- y -->c", "abc");
    reads("a<!-- x --! >b-->c", "ac");
    reads("a<!--!>b-->c", "ac");
  });

  it("a font of no size stays so by what is relative to it", () => {
    for (const size of ["2em", "300%", "larger", "inherit", "unset", "3ch"])
      reads(`<div style="font-size:0"><b style="font-size:${size}">x</b></div>`, "");
    for (const size of ["2rem", "1px", "initial", "medium", "3vw"])
      reads(`<div style="font-size:0"><b style="font-size:${size}">x</b></div>`, "x");
  });

  it("a variable that an outer element declares may hide", () => {
    reads('<div style="--x:none"><b style="display:var(--x, block)">x</b>y</div>', "y");
    reads('<div style="--x:none">y</div><b style="display:var(--x, block)">x</b>', "y\nx");
  });

  it("a script ends where a browser ends it", () => {
    reads("<script>a</script>b", "b");
    reads("<script><!-- <script> </script> hidden --></script>b", "b");
    reads("<script><!-- a </script>b", "b");
    reads("<script><!--><script></script>b", "b");
    reads("<script><!-- <script> --> </script>b", "b");
  });

  it("a dialog is shown when it is open", () => {
    reads("a<dialog>x</dialog><dialog open>b</dialog>", "a\nb");
  });

  it("with more styles than are checked, those not checked hide", () => {
    const spans = Array.from({ length: 20_000 }, (_, at) => `<i style="width:${at}px">x</i>`).join("");
    reads(`<b>first</b> ${spans} <b>last</b>`.replaceAll(">x<", "><"), "first last");
    reads(`<b>first</b> ${spans.replaceAll(">x<", "><")}<i style="display:none ">hidden</i>`, "first");
  });
});
