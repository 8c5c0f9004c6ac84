// HTML into texts and tags, as forgiving as browsers. Every character is read a fixed number of times: a search that
// finds nothing ends the document.
import { decodeHTML, decodeHTMLAttribute } from "entities/decode";

export type Token =
  | { readonly kind: "text"; readonly text: string }
  /** Of its attributes, those that matter to us. */
  | { readonly kind: "open"; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: "close"; readonly name: string };

/** Their content is no markup and is not shown. */
const rawElements = /^(?:script|style|title|textarea|iframe|xmp|noembed|noframes)$/;
const letter = /[A-Za-z]/;
const tagName = /[^\s/>]*/y;
const attributeName = /[^\s/>=]*/y;
const spaces = /[\s/]*/y;
const bareValue = /[^\s>]*/y;

/** The attributes that matter for the text. */
const wanted = new Set(["alt", "hidden", "href", "open", "style"]);

/** Shared by the many tags without attributes. */
const none: ReadonlyMap<string, string> = new Map();

export function* tokens(html: string): Generator<Token> {
  let at = 0;
  while (at < html.length) {
    const start = markupFrom(html, at);
    if (start > at) yield { kind: "text", text: decodeHTML(html.slice(at, start)) };
    if (start === html.length) return;
    const next = html[start + 1] ?? "";
    if (letter.test(next)) {
      const tag = openTag(html, start + 1);
      at = tag.end;
      if (rawElements.test(tag.name)) at = endOfRaw(html, tag.name, at);
      else if (tag.isWhole) yield { kind: "open", name: tag.name, attributes: tag.attributes };
    } else if (next === "/" && letter.test(html[start + 2] ?? "")) {
      const tag = openTag(html, start + 2);
      at = tag.end;
      if (tag.isWhole) yield { kind: "close", name: tag.name };
    } else {
      at = endOfComment(html, start);
    }
  }
}

const markup = /<[A-Za-z/!?]/g;

/** The next tag or comment; any other `<` is text. */
function markupFrom(html: string, at: number): number {
  markup.lastIndex = at;
  return markup.test(html) ? markup.lastIndex - 2 : html.length;
}

function endOfComment(html: string, start: number): number {
  if (!html.startsWith("<!--", start)) return after(html, ">", start + 2);
  if (html.startsWith(">", start + 4)) return start + 5;
  if (html.startsWith("->", start + 4)) return start + 6;
  return endAfter(html, commentEnd, start + 4);
}

const commentEnd = /--!?>/g;

function endAfter(html: string, pattern: RegExp, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(html) ? pattern.lastIndex : html.length;
}

function after(html: string, sought: string, from: number): number {
  const found = html.indexOf(sought, from);
  return found === -1 ? html.length : found + sought.length;
}

const scriptMark = /<!--|-->|<\/?script(?=[\s/>])/gi;

/** In a comment of a script, a second script may open and close. */
function endOfScript(html: string, from: number): number {
  let isComment = false;
  let isInner = false;
  scriptMark.lastIndex = from;
  for (let mark = scriptMark.exec(html); mark; mark = scriptMark.exec(html)) {
    const found = mark[0].toLowerCase();
    if (found === "<!--") {
      isComment = true;
      scriptMark.lastIndex -= 2; // `<!-->` opens and closes
    } else if (found === "-->") [isComment, isInner] = [false, false];
    else if (found === "<script") isInner = isComment;
    else if (!isInner) return after(html, ">", scriptMark.lastIndex);
    else isInner = false;
  }
  return html.length;
}

function endOfRaw(html: string, name: string, from: number): number {
  if (name === "script") return endOfScript(html, from);
  const end = new RegExp(`</${name}(?=[\\s/>])`, "gi");
  end.lastIndex = from;
  return end.test(html) ? after(html, ">", end.lastIndex) : html.length;
}

type Tag = { name: string; attributes: ReadonlyMap<string, string>; end: number; isWhole: boolean };

/** A tag that the document ends in the middle of is not `isWhole`. The first of two attributes of one name counts. */
function openTag(html: string, nameStart: number): Tag {
  const name = match(html, tagName, nameStart).toLowerCase();
  let at = tagName.lastIndex;
  if (html[at] === ">") return { name, attributes: none, end: at + 1, isWhole: true };
  const attributes = new Map<string, string>();
  while (at < html.length) {
    match(html, spaces, at);
    at = spaces.lastIndex;
    if (html[at] === ">") return { name, attributes, end: at + 1, isWhole: true };
    const found = attribute(html, at);
    if (wanted.has(found.name) && !attributes.has(found.name)) {
      attributes.set(found.name, decodeHTMLAttribute(found.value));
    }
    at = found.end;
  }
  return { name, attributes, end: html.length, isWhole: false };
}

function attribute(html: string, start: number): { name: string; value: string; end: number } {
  const name = match(html, attributeName, html[start] === "=" ? start + 1 : start).toLowerCase();
  const equals = skipSpaces(html, attributeName.lastIndex);
  if (html[equals] !== "=") return { name, value: "", end: attributeName.lastIndex };
  const at = skipSpaces(html, equals + 1);
  const quote = html[at];
  if (quote === '"' || quote === "'") {
    const end = after(html, quote, at + 1);
    return { name, value: html.slice(at + 1, end - 1), end };
  }
  return { name, value: match(html, bareValue, at), end: bareValue.lastIndex };
}

function skipSpaces(html: string, from: number): number {
  let at = from;
  while (at < html.length && " \t\n\r\f".includes(html[at] ?? "x")) at += 1;
  return at;
}

function match(html: string, pattern: RegExp, from: number): string {
  pattern.lastIndex = from;
  return pattern.test(html) ? html.slice(from, pattern.lastIndex) : "";
}
