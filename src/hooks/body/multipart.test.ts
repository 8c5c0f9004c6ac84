import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyFault } from "./fault.ts";
import { readMultipart } from "./multipart.ts";

const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
const read = (body: string | Buffer, boundary = "b") =>
  readMultipart(typeof body === "string" ? Buffer.from(crlf(body)) : body, boundary);
const faultOf = (body: string | Buffer): string => {
  try {
    read(body);
  } catch (fault) {
    assert.ok(fault instanceof BodyFault);
    return fault.message;
  }
  return "";
};
const field = (name: string, value: string): string =>
  `--b\nContent-Disposition: form-data; name="${name}"\n\n${value}\n`;

test("fields are text, files are listed", () => {
  const file = `--b\ncontent-disposition: Form-Data; name=log; filename="a b.txt"\nContent-Type: text/plain\n\n${"x".repeat(1000)}\n`;
  const bare = `--b\nContent-Disposition: form-data; name="odd"; filename*=UTF-8''x\n\n\0\n`;
  assert.deepEqual(read(`${field("a", "1")}${file}${bare}${field("a", "two\nlines ä")}--b--`), [
    ["a", "1"],
    ["log", { name: "a b.txt", type: "text/plain", size: 1000 }],
    ["odd", { name: "", type: "application/octet-stream", size: 1 }],
    ["a", "two\r\nlines ä"],
  ]);
});

test("what browsers and other programs write", () => {
  const named = (written: string) =>
    read(`--b\nContent-Disposition: form-data; ${written}\n\nv\n--b--\n`)[0]?.[0];
  assert.equal(named('name="a%22b%0D%0Ac%41"'), 'a"b\r\nc%41');
  assert.equal(named('name="a\\"b"'), 'a"b');
  assert.equal(named('name="ä"'), "ä");
  assert.equal(named('name=""'), "");
  assert.deepEqual(read("--b--"), []);
  assert.deepEqual(read(`preamble\n${field("a", "")}--b--\nepilogue\n--b\n`), [["a", ""]]);
  assert.deepEqual(read(`${field("a", "1").replace("--b", "--b \t")}--b--`), [["a", "1"]]);
  assert.deepEqual(read('--b\nContent-Disposition: form-data; name="a"\n\n--b--'), [["a", ""]]);
});

test("a line that only begins with the boundary is content", () => {
  assert.deepEqual(read(`${field("a", "x\n--bc\n--b -\ny")}--b--`), [["a", "x\r\n--bc\r\n--b -\r\ny"]]);
  assert.deepEqual(read(`${field("a", "--b--")}--b--`), [["a", ""]]);
});

test("a broken body says what is wrong, and nothing of its content", () => {
  const cut = "does not end with its boundary: it is cut off, or the boundary is another one";
  for (const body of [
    "",
    "secret",
    "--c--",
    field("a", "secret"),
    `${field("a", "1")}--b`,
    `${field("a", "1")}--b-`,
    `x--b--`,
  ])
    assert.equal(faultOf(body), cut, body);
  assert.equal(faultOf("--b\nsecret"), "has a part whose headers do not end within 8192 bytes");
  assert.equal(
    faultOf(`--b\nX: ${"y".repeat(9000)}\n\n--b--`),
    "has a part whose headers do not end within 8192 bytes",
  );
  const unnamed = "has a part without the name of its field (Content-Disposition)";
  for (const disposition of [
    "form-data",
    'form-data; filename="x"',
    'attachment; name="x"',
    'form-data; name="x',
  ])
    assert.equal(faultOf(`--b\nContent-Disposition: ${disposition}\n\nsecret\n--b--`), unnamed, disposition);
  assert.equal(faultOf("--b\nContent-Type: text/plain\n\nsecret\n--b--"), unnamed);
});

test("headers of a part cannot be smuggled", () => {
  const head = 'Content-Disposition: form-data; name="a"';
  const unreadable = "has a part whose headers cannot be read";
  for (const headers of [
    `${head}\nContent-Disposition: form-data; name="b"`,
    `${head}\n folded`,
    "no colon",
    `${head}\nX : y`,
    'Content-Disposition: form-data; name="a\0b"',
  ])
    assert.equal(faultOf(`--b\n${headers}\n\nx\n--b--`), unreadable, headers);
  assert.equal(
    faultOf(Buffer.from(`--b\r\n${head}\nX: y\r\n\r\nx\r\n--b--`)),
    unreadable,
    "a line ends with CRLF",
  );
});

test("text is UTF-8 and not encoded in another way", () => {
  const part = Buffer.from(crlf(field("a", "?")));
  part[part.indexOf("?")] = 0xe4;
  assert.equal(faultOf(Buffer.concat([part, Buffer.from("--b--")])), "has a field that is not in UTF-8");
  const coded =
    '--b\nContent-Disposition: form-data; name="a"\nContent-Transfer-Encoding: base64\n\neA==\n--b--';
  assert.equal(faultOf(coded), "has a field with a transfer encoding");
  assert.equal(faultOf(coded.replace("base64", "8BIT")), "");
});

test("there is a most number of parts", () => {
  assert.equal(read(`${field("a", "").repeat(1000)}--b--`).length, 1000);
  assert.equal(faultOf(`${field("a", "").repeat(1001)}--b--`), "has more than 1,000 parts");
});
