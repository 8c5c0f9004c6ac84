import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyFault } from "./fault.ts";
import { readXml } from "./xml.ts";

const read = (text: string) => readXml(Buffer.from(text));
const faultOf = (body: string | Buffer): string => {
  try {
    readXml(Buffer.from(body as string));
  } catch (fault) {
    assert.ok(fault instanceof BodyFault);
    return fault.message;
  }
  return "";
};

test("elements and attributes become fields", () => {
  const text = `\ufeff<?xml version="1.0" encoding="UTF-8"?>
<!-- an order -->
<order id="7" state='new'>
  <item>a &amp; b</item>
  <item sku="x">c</item>
  <note/>
  <text>t</text>
  <ns:total xmlns:ns="urn:x">1.50</ns:total>
  <body><![CDATA[<b>bold</b> &amp;]]> and&#32;more</body>
  <?target data?>
</order>`;
  assert.deepEqual(read(text), {
    order: {
      id: "7",
      state: "new",
      item: ["a & b", { sku: "x", text: "c" }],
      note: "",
      text: "t",
      "ns:total": { "xmlns:ns": "urn:x", text: "1.50" },
      body: "<b>bold</b> &amp; and more",
    },
  });
});

test("what has one name is a list: attributes first, an element's own text last", () => {
  assert.deepEqual(read('<a b="1" text="2"><b>3</b>x<b>4</b>y</a>'), {
    a: { b: ["1", "3", "4"], text: ["2", "xy"] },
  });
  assert.deepEqual(read("<a/>"), { a: "" });
});

test("names of setters are names of fields", () => {
  const value = read('<a><__proto__ x="1"/><constructor>2</constructor></a>') as { a: object };
  assert.deepEqual(Object.entries(value.a), [
    ["__proto__", { x: "1" }],
    ["constructor", "2"],
  ]);
  assert.equal(({} as { x?: string }).x, undefined);
});

test("a document type is refused, so no entity can be defined", () => {
  const laughs = `<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;">]><a>&y;</a>`;
  const files = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
  for (const text of [
    laughs,
    files,
    "<!DOCTYPE html><html/>",
    '<!DOCTYPE a SYSTEM "http://127.0.0.1/x.dtd"><a/>',
  ])
    assert.equal(faultOf(text), "has a document type (DTD), which is not read");
  assert.match(faultOf("<a>&nbsp;</a>"), /^is not well-formed XML, at line 1, column \d+, or uses an entity/);
});

test("broken XML is refused with the position, and nothing of its content", () => {
  for (const text of [
    "",
    "secret",
    "<secret>",
    "<a><secret></a>",
    "<a/><b/>",
    "<a b=c/>",
    '<a b="1" b="2"/>',
    "<a>&#0;</a>",
    "<a>\0</a>",
    "<a b='<'/>",
    "<a>]]></a>",
    "<1/>",
    "<a><![CDATA[</a>",
    '<?xml version="1.0"?><?xml version="1.0"?><a/>',
  ]) {
    const fault = faultOf(text);
    assert.match(fault, /^is not well-formed XML, at line \d+, column \d+/, text);
    assert.doesNotMatch(fault, /secret/);
  }
});

test("what the parser alone would take is refused", () => {
  for (const text of [
    "x<a/>",
    "<a/>x",
    "<a></a><![CDATA[x]]>",
    "<a/>&amp;",
    "<a></a><b/>",
    "<!---->",
    "<a><!-- -- --></a>",
    "<a><!-- x</a>",
    "<a><!--></a>",
    "<a><!x></a>",
    "<a><![cdata[x]]></a>",
    "<a><!/></a>",
    "<a><?a/></a>",
    "<a><?a;?></a>",
    "<a><??></a>",
    "<a><?x</a>",
    " <?xml version='1.0'?><a/>",
    "<?xml encoding='UTF-8'?><a/>",
    "<a><?XML x?></a>",
    "<a>&#55296;</a>",
    "<a>&#x110000;</a>",
    "<a>&#X41;</a>",
    "<a>&constructor;</a>",
    "<a>&am<!---->p;</a>",
    "<a b='&x;'/>",
    "<a b='&'/>",
    "<a __proto__='1' __proto__='2'/>",
    "<a b='1'c='2'/>",
    "<a =b='1'/>",
    "<a / >",
    "< a/>",
    "<a></a/>",
    "<a></a b='1'>",
    "</a>",
    "<a>\u00a0<b\u00a0/></a>",
    "<a\ufffe/>",
  ])
    assert.match(faultOf(text), /^is not well-formed XML, at line 1, column \d+/, text);
});

test("what looks like markup inside of comments, instructions, values and CDATA is none", () => {
  const text = `<a b="/>'" c='"&gt;' __proto__="p"><?x it's?><!-- ' <b> --><?x it's?><d e="]]>"/>
    x<!-- y -->z<![CDATA[]]]]>&#x3e;&amp;lt;<![CDATA[<!--&amp;-->]]></a >`;
  const { a } = read(text) as { a: object };
  assert.deepEqual(Object.entries(a), [
    ["b", "/>'"],
    ["c", '">'],
    ["__proto__", "p"],
    ["d", { e: "]]>" }],
    ["text", "xz]]>&lt;<!--&amp;-->"],
  ]);
});

test("line ends are line feeds; in a value they are spaces, unless they are numbers", () => {
  assert.deepEqual(read("<a\r\n\tb='1\r\n2\t3&#10;4'>x\r\ny\rz<![CDATA[\r]]>&#13;!</a>"), {
    a: { b: "1 2 3\n4", text: "x\ny\nz\n\r!" },
  });
});

test("XML is in UTF-8", () => {
  for (const body of [
    '<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
    Buffer.from("<a>\xe4</a>", "latin1"),
  ])
    assert.equal(faultOf(body), "is not in UTF-8");
  assert.equal(faultOf('<?xml version="1.0" encoding="us-ascii"?><a/>'), "");
});

test("depth, number and size are limited", () => {
  const nested = (levels: number) => "<a>".repeat(levels) + "</a>".repeat(levels);
  assert.equal(faultOf(nested(100)), "");
  assert.equal(faultOf(nested(101)), "is deeper than 100 levels");
  const most = "has more than 10,000 elements and attributes";
  assert.equal(faultOf(`<a>${"<b/>".repeat(9_999)}</a>`), "");
  assert.equal(faultOf(`<a>${"<b/>".repeat(10_000)}</a>`), most);
  assert.equal(faultOf(`<a>${"<b/>".repeat(9_997)}<b c=""/></a>`), "");
  assert.equal(faultOf(`<a>${"<b/>".repeat(9_997)}<b c="" d=""/></a>`), most);
  assert.equal(faultOf(`<a>${"x".repeat(262_137)}</a>`), "");
  assert.equal(faultOf(`<a>${"x".repeat(262_138)}</a>`), "is XML of more than 262,144 bytes");
});
