// A strict reader of small XML files: elements, attributes, text, comments. Throws where the form is wrong.

export type Element = { name: string; attributes: string; children: Element[]; text: string };

const token =
  /<!--(?<comment>[\s\S]*?)-->|<[?!](?<head>[^>]*)>|<(?<tag>\/?[^<>]+)>|(?<text>[^<]+)|(?<wrong><)/g;
const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const attributeList = /^(?:\s+[\w:]+="[^"<&]*")*\s*$/;

export function readXml(source: string): Element {
  const root: Element = { name: "", attributes: "", children: [], text: "" };
  const open: Element[] = [root];
  for (const { groups = {}, index } of source.matchAll(token)) {
    const { comment, tag, text, wrong } = groups;
    const current = open.at(-1) ?? root;
    if (wrong !== undefined || comment?.includes("--")) throw new Error(`not XML at ${index}`);
    if (text !== undefined) current.text += decode(text);
    if (tag?.startsWith("/")) close(open, tag.slice(1).trim());
    else if (tag !== undefined) {
      const element = readTag(tag.replace(/\/$/, ""));
      current.children.push(element);
      if (!tag.endsWith("/")) open.push(element);
    }
  }
  const [element, ...more] = root.children;
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is not closed`);
  if (!element || more.length > 0 || root.text.trim() !== "") throw new Error("there must be one element");
  return element;
}

function readTag(tag: string): Element {
  const [, name = "", attributes = ""] = /^([A-Za-z][\w.-]*)([\s\S]*)$/.exec(tag) ?? [];
  if (name === "" || !attributeList.test(attributes)) throw new Error(`<${tag}> is no tag`);
  return { name, attributes: attributes.trim(), children: [], text: "" };
}

function close(open: Element[], name: string): void {
  const element = open.pop();
  if (open.length === 0 || element?.name !== name) throw new Error(`</${name}> closes <${element?.name}>`);
}

const decode = (text: string): string =>
  text.replaceAll(/&(\w*);?/g, (written, name: string) => {
    const sign = written.endsWith(";") ? entities[name] : undefined;
    if (sign === undefined) throw new Error(`${written} is no entity`);
    return sign;
  });

/** The value of an element of a property list. */
export function plistValue({ name, children, text }: Element): unknown {
  if (name === "string") return text;
  if (name === "integer" && /^-?\d+$/.test(text)) return Number(text);
  if (name === "true" || name === "false") return name === "true";
  if (name === "array") return children.map(plistValue);
  if (name !== "dict" || children.length % 2 !== 0) throw new Error(`<${name}> cannot be read`);
  const entries = children.flatMap((key, at) => {
    if (at % 2 === 1) return [];
    const value = children[at + 1];
    if (key.name !== "key" || !value) throw new Error(`<${key.name}> stands where a key belongs`);
    return [[key.text, plistValue(value)] as const];
  });
  const names = entries.map(([each]) => each);
  if (new Set(names).size < names.length) throw new Error(`a key is written twice: ${names.join(", ")}`);
  return Object.fromEntries(entries);
}
