// The HTML of a mail as plain text: what a reader would see, in lines. One pass, in linear time, and it never throws.
import { isSeen, shown, visibilityOf } from "./hidden.ts";
import { createLayout, type Layout } from "./layout.ts";
import { createStack, type Element, type Kind, type Stack } from "./stack.ts";
import { createStyleReader, type StyleReader } from "./style.ts";
import { type Token, tokens } from "./tokens.ts";

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

const spaced = set("p h1 h2 h3 h4 h5 h6 pre table ul ol dl");
const blocks = set(
  "address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hgroup html legend li main menu nav ol p pre section summary tbody tfoot thead tr ul",
);
const dropped = set("template svg math object select datalist audio video canvas head");
const scopes = set("table td th caption template svg math object select datalist audio video canvas");
const empty = set("area base br col embed hr img input link meta param source track wbr");
const inHead = set("base link meta noscript script style template title");
/** Text after their end tags still counts as inside. */
const outermost = set("html body");
const cells = set("td th");
const rowGroups = set("thead tbody tfoot");

/** Far more than any mail that was written to be read. */
const longestHtml = 1_000_000;
const mostTokens = 200_000;

export function htmlToText(html: string): string {
  const layout = createLayout();
  const root: Element = { name: "", kind: "scope", visibility: shown, isSeen: true };
  const depth = { lists: 0, preformatted: 0 };
  const styleOf = createStyleReader();
  const stack = createStack(root, (element) => leave(element, layout, depth));
  let count = 0;
  for (const token of tokens(html.slice(0, longestHtml))) {
    count += 1;
    if (count > mostTokens) break;
    take(token, stack, layout, depth, styleOf);
  }
  stack.closeAll();
  const isCut = html.length > longestHtml || count > mostTokens;
  return layout.result() + (isCut ? "\n\n… (cut: the HTML is longer than this)" : "");
}

type Depth = { lists: number; preformatted: number };

function take(token: Token, stack: Stack, layout: Layout, depth: Depth, styleOf: StyleReader): void {
  if (token.kind === "close") {
    if (token.name === "p" && !stack.isOpen("p", "block") && stack.top().isSeen) layout.gap(2);
    if (!outermost.has(token.name)) stack.close(token.name, kindOf(token.name));
  } else if (token.kind === "open") {
    open(token, stack, layout, depth, styleOf);
  } else if (stack.top().isSeen) {
    if (depth.preformatted > 0) layout.preformatted(token.text);
    else layout.text(token.text);
  }
}

const kinds = new Map<string, Kind>([
  ...[...blocks].map((name) => [name, "block"] as const),
  ...[...scopes].map((name) => [name, "scope"] as const),
]);
const kindOf = (name: string): Kind => kinds.get(name) ?? "inline";

function open(
  { name, attributes }: Extract<Token, { kind: "open" }>,
  stack: Stack,
  layout: Layout,
  depth: Depth,
  styleOf: StyleReader,
): void {
  closeBefore(name, stack);
  const own = visibilityOf(attributes, stack.top().visibility, styleOf);
  const isClosed = name === "dialog" && !attributes.has("open");
  const visibility = dropped.has(name) || isClosed ? { ...own, gone: true } : own;
  if (empty.has(name)) {
    if (isSeen(visibility)) single(name, attributes, layout);
    return;
  }
  const element = { name, kind: kindOf(name), visibility, isSeen: isSeen(visibility) };
  stack.push(element);
  if (element.isSeen) enter(element, attributes, layout, depth);
}

/** End tags that may be left out. */
function closeBefore(name: string, stack: Stack): void {
  if (stack.block().name === "head" && !inHead.has(name)) stack.close("head", "block");
  if (name === "a") stack.close("a", "inline");
  if (!kinds.has(name)) return;
  if (!cells.has(name)) stack.close("p", "block");
  const inner = stack.block().name;
  if (
    (name === "li" && inner === "li") ||
    ((name === "dt" || name === "dd") && (inner === "dt" || inner === "dd"))
  ) {
    stack.close(inner, "block");
  }
  const isRow = name === "tr" || rowGroups.has(name);
  if ((isRow || cells.has(name)) && cells.has(stack.scope().name)) stack.close(stack.scope().name, "scope");
  if (isRow && stack.block().name === "tr") stack.close("tr", "block");
  if (rowGroups.has(name) && rowGroups.has(stack.block().name)) stack.close(stack.block().name, "block");
}

function single(name: string, attributes: ReadonlyMap<string, string>, layout: Layout): void {
  if (name === "br") layout.lineBreak();
  if (name === "hr") {
    layout.gap(1);
    layout.text("---");
    layout.gap(1);
  }
  const alt = name === "img" ? (attributes.get("alt") ?? "").trim() : "";
  if (alt !== "") layout.text(`[${alt}]`);
}

function enter(
  { name, kind }: Element,
  attributes: ReadonlyMap<string, string>,
  layout: Layout,
  depth: Depth,
): void {
  if (cells.has(name)) layout.cell();
  else if (name === "li") layout.item(depth.lists);
  else if (name === "blockquote") layout.quote(1);
  else if (kind !== "inline") layout.gap(gapOf(name, depth));
  if (name === "ul" || name === "ol") depth.lists += 1;
  if (name === "pre") depth.preformatted += 1;
  const target = name === "a" ? targetOf(attributes.get("href") ?? "") : "";
  if (target !== "") layout.openLink(target);
}

function leave({ name, kind, isSeen }: Element, layout: Layout, depth: Depth): void {
  if (!isSeen) return;
  if (name === "ul" || name === "ol") depth.lists -= 1;
  if (name === "pre") depth.preformatted -= 1;
  if (name === "a") layout.closeLink();
  if (name === "blockquote") layout.quote(-1);
  else if (kind !== "inline" && !cells.has(name)) layout.gap(gapOf(name, depth));
}

const gapOf = (name: string, { lists }: Depth): 1 | 2 => (spaced.has(name) && lists === 0 ? 2 : 1);

/** An address that a person could follow; empty for any other. */
function targetOf(href: string): string {
  const url = href.replace(/\s+/g, "");
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(url) ? url : "";
}
