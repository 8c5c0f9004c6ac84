// Reading a body must not hold the event loop: its work grows with its size and never with the square of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isRefusal } from "../../core/errors.ts";
import { assertLinear } from "../../../test/support/growth.ts";
import { decodeBody, mappedBody } from "./decode.ts";

const form = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data; boundary=b";
const part = (head: string, content = ""): string =>
  `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const filled = (unit: string, size: number): string => unit.repeat(Math.ceil(size / unit.length));
const xml = (content: string): string => `<a>${content}</a>`;

const nested = `${"<b>".repeat(98)}${"x".repeat(2_000)}${"</b>".repeat(98)}`;

/** XML has a limit of its own. */
const mostBytesOf = (type: string): number => (type === "text/xml" ? 262_000 : 1_048_000);

/** Bodies of about this size that are as much work as can be. */
const bodies: Record<string, [type: string, make: (size: number) => string]> = {
  "many fields": [form, (size) => filled("a=1&", Math.min(size, 39_000))],
  escapes: [form, (size) => filled("%C3%A4", size)],
  pluses: [form, (size) => filled("+", size)],
  "percent signs": [form, (size) => filled("%", size)],
  separators: [form, (size) => filled("&", size)],
  "lines that begin like the boundary": [
    multipart,
    (size) => `${part('name="a"', filled("\r\n--bx", size))}--b--`,
  ],
  "line ends": [multipart, (size) => `${part('name="a"', filled("\r\n", size))}--b--`],
  "boundaries with blanks": [
    multipart,
    (size) => `${part('name="a"', filled(`\r\n--b${" ".repeat(1000)}x`, size))}--b--`,
  ],
  "no part": [multipart, (size) => filled("\r\n--b", size)],
  "parts with long names": [
    multipart,
    (size) => `${filled(part(`name="${"\\\\".repeat(4_000)}"`), size)}--b--`,
  ],
  "parts with many parameters": [
    multipart,
    (size) => `${filled(part(`${"; ".repeat(4_000)}name="a"`), size)}--b--`,
  ],
  elements: ["text/xml", (size) => xml(filled("<b/>", Math.min(size, 39_000)))],
  "elements with text": ["text/xml", (size) => xml(filled(`<b>${"x".repeat(20)}</b>`, size))],
  "elements in elements": ["text/xml", (size) => xml(filled(nested, size))],
  numbers: ["text/xml", (size) => xml(filled("&#65;", size))],
  "elements of different names": [
    "text/xml",
    (size) => xml(Array.from({ length: size / 27 }, (_, at) => `<b${at}>${"x".repeat(9)}</b${at}>`).join("")),
  ],
  attributes: [
    "text/xml",
    (size) => `<a ${Array.from({ length: size / 27 }, (_, at) => `b${at}="${"x".repeat(15)}"`).join(" ")}/>`,
  ],
  "open elements": ["text/xml", (size) => filled("<a>", size)],
  entities: ["text/xml", (size) => xml(filled("&lt;", size))],
  CDATA: ["text/xml", (size) => xml(filled("<![CDATA[x]]>", size))],
  "ends of CDATA": ["text/xml", (size) => `<a><![CDATA[${filled("]", size)}]]></a>`],
  comments: ["text/xml", (size) => xml(filled("x<!---->", size))],
  instructions: ["text/xml", (size) => xml(filled("<?a b?>", size))],
  "carriage returns": ["text/xml", (size) => xml(filled("\r", size))],
  "a document type": ["text/xml", (size) => `<!DOCTYPE a [${filled('<!ENTITY b "&b;&b;">', size)}]><a/>`],
  "a long name": ["text/xml", (size) => `<${filled("a", size)}/>`],
};

/** Whole, so that all of it is read: what is cut off in the middle is refused before the parser gets it. */
function fit(make: (size: number) => string, size: number): string {
  for (let asked = size; ; asked = Math.floor(asked * 0.95)) {
    const body = make(asked);
    if (Buffer.byteLength(body) <= size) return body;
  }
}

for (const [what, [type, make]] of Object.entries(bodies))
  test(`${what}: the work grows with the size`, () => {
    const made = new Map<number, Buffer>();
    const bodyOf = (size: number): Buffer => {
      const body = made.get(size) ?? Buffer.from(make(size));
      made.set(size, body);
      return body;
    };
    assertLinear(what, mostBytesOf(type) / 5, (size) => decodeBody(bodyOf(size), type, mappedBody));
  });

test("a body of 1 MiB, or XML of 256 KiB, is decoded in less than 100 ms of processor time", () => {
  for (const [what, [type, make]] of Object.entries(bodies)) {
    const size = mostBytesOf(type);
    const body = Buffer.from(fit(make, size));
    let held = Infinity;
    for (let attempt = 0; attempt < 5 && held >= 100; attempt++) {
      const before = process.threadCpuUsage();
      const decoded = decodeBody(body, type, mappedBody);
      const { user, system } = process.threadCpuUsage(before);
      held = Math.min(held, (user + system) / 1000);
      assert.ok(isRefusal(decoded) || "value" in decoded);
    }
    assert.ok(held < 100, `${what}: ${held} ms`);
  }
});
