// XML as a payload: an element is a field of the element around it, and so is each of its attributes. `fast-xml-parser`
// reads it, in order, after its validator and our own checks: alone, it takes much that is no XML.
import { isUtf8 } from "node:buffer";
import { createRequire } from "node:module";
import { BodyFault } from "./fault.ts";
import { fieldsOf } from "./fields.ts";
import { cleanXml, malformedAt } from "./xml-source.ts";

export type XmlValue = string | { readonly [name: string]: XmlValue | readonly XmlValue[] };

/** As many as the parser reads in less than 100 ms, whatever is in them. */
const mostBytes = 262_144;

/** As the parser gives it: `#text`, or an element's name after `<`, so that it can be any name; `:@` has its attributes. */
type Node = { readonly [key: string]: readonly Node[] | string | Readonly<Record<string, string>> };

const options = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: "@",
  // The parser asks twice for the name of an empty element.
  transformTagName: (name: string) => (name.startsWith("<") ? name : `<${name}`),
  trimValues: false,
  parseTagValue: false,
  jPath: false,
  // No name besides those of XML, but numbers, which are read only with this option.
  htmlEntities: {} as unknown as boolean,
  processEntities: { maxExpandedLength: mostBytes },
};

/** Throws a BodyFault. */
export function readXml(bytes: Buffer): XmlValue {
  if (bytes.length > mostBytes)
    throw new BodyFault(`is XML of more than ${mostBytes.toLocaleString("en-US")} bytes`);
  if (!isUtf8(bytes)) throw new BodyFault("is not in UTF-8");
  const source = bytes.toString("utf8").replace(/^\ufeff/, "");
  const clean = cleanXml(source);
  // Loaded at its first use, and at once: most gateways get no XML.
  const { XMLParser, XMLValidator } = createRequire(import.meta.url)(
    "fast-xml-parser",
  ) as typeof import("fast-xml-parser");
  const valid = XMLValidator.validate(source);
  if (valid !== true) throw malformedAt(valid.err.line, valid.err.col ?? 1);
  return valueOf(new XMLParser(options).parse(clean) as Node[], {});
}

/** The text of an element that has fields is its field `text`. */
function valueOf(content: readonly Node[], attributes: Readonly<Record<string, string>>): XmlValue {
  const fields = Object.entries(attributes).map(([name, value]): [string, XmlValue] => [
    name.slice(1),
    value,
  ]);
  let untrimmed = "";
  for (const node of content) {
    const [name] = Object.keys(node) as [string];
    if (name === "#text") untrimmed += node[name] as string;
    else {
      const within = (node[":@"] ?? {}) as Readonly<Record<string, string>>;
      fields.push([name.slice(1), valueOf(node[name] as readonly Node[], within)]);
    }
  }
  const text = untrimmed.trim();
  if (fields.length === 0) return text;
  return fieldsOf(text === "" ? fields : [...fields, ["text", text] as const]);
}
