// XML as a payload: an element is a field of the element around it, and so is each of its attributes. `saxes` checks that
// it is well-formed and hands on one event after another, so that the limits are kept while it is read. A DTD is refused
// at its start, so there are no entities but the five of XML itself. It brings one package, fast-xml-parser six.
import { isUtf8 } from "node:buffer";
import { createRequire } from "node:module";
import type { SaxesParser } from "saxes";
import { BodyFault } from "./fault.ts";
import { fieldsOf } from "./fields.ts";

export type XmlValue = string | { readonly [name: string]: XmlValue | readonly XmlValue[] };

const mostBytes = 1_048_576;
const mostDepth = 100;
/** Elements and attributes together. */
const mostNodes = 50_000;
/** Pieces of text between elements, comments and the like. */
const mostTexts = 100_000;

type Element = { readonly name: string; readonly fields: (readonly [string, XmlValue])[]; text: string };

/** Throws a BodyFault. */
export function readXml(bytes: Buffer): XmlValue {
  if (bytes.length > mostBytes)
    throw new BodyFault(`is XML of more than ${mostBytes.toLocaleString("en-US")} bytes`);
  if (!isUtf8(bytes)) throw new BodyFault("is not in UTF-8");
  // Loaded at its first use, and at once: most gateways get no XML.
  const saxes = createRequire(import.meta.url)("saxes") as typeof import("saxes");
  const parser = new saxes.SaxesParser();
  const root: Element = { name: "", fields: [], text: "" };
  listen(parser, [root]);
  parse(parser, bytes.toString("utf8"));
  return fieldsOf(root.fields);
}

/** The parser's own message is not handed on: it has names from the body in it. */
function parse(parser: SaxesParser, text: string): void {
  try {
    parser.write(text).close();
  } catch (fault) {
    if (!(fault instanceof Error) || fault.constructor !== Error) throw fault;
    const position = `line ${parser.line}, column ${parser.columnIndex + 1}`;
    throw new BodyFault(
      `is not well-formed XML, at ${position}, or uses an entity that XML itself does not have`,
    );
  }
}

/**
 * `open`: the elements that have begun and not ended, the root's surroundings first. With more listeners than these six,
 * V8 keeps the parser as a dictionary, and it takes three times as long.
 */
function listen(parser: SaxesParser, open: Element[]): void {
  let nodes = 0;
  let texts = 0;
  const count = (): void => {
    if (++nodes > mostNodes)
      throw new BodyFault(`has more than ${mostNodes.toLocaleString("en-US")} elements and attributes`);
  };
  const addText = (text: string): void => {
    if (++texts > mostTexts) throw new BodyFault("has too many pieces of text");
    open.at(-1)!.text += text;
  };
  parser.on("doctype", () => {
    throw new BodyFault("has a document type (DTD), which is not read");
  });
  parser.on("opentagstart", ({ name }) => {
    count();
    if (open.length === 1) checkEncoding(parser.xmlDecl.encoding);
    if (open.length > mostDepth) throw new BodyFault(`is deeper than ${mostDepth} levels`);
    open.push({ name, fields: [], text: "" });
  });
  parser.on("attribute", ({ name, value }) => {
    count();
    open.at(-1)!.fields.push([name, value]);
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  parser.on("closetag", () => {
    const element = open.pop()!;
    open.at(-1)!.fields.push([element.name, valueOf(element)]);
  });
}

function checkEncoding(written: string | undefined): void {
  if (!["utf-8", "utf8", "us-ascii"].includes(written?.toLowerCase() ?? "utf-8"))
    throw new BodyFault("is not in UTF-8");
}

/** The text of an element that has fields is its field `text`. */
function valueOf({ fields, text: untrimmed }: Element): XmlValue {
  const text = untrimmed.trim();
  if (fields.length === 0) return text;
  return fieldsOf(text === "" ? fields : [...fields, ["text", text] as const]);
}
