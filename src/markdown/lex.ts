// marked's lexer with bounds where its time grows with the square: nesting, columns of a table, and the length of
// text that is searched for emphasis at once. HTML is not recognised, so it stays text.

import { Lexer, Tokenizer, type Token } from "marked";
import { chunksOf, sections } from "./source.ts";

const DEEPEST_BLOCK = 8;
const DEEPEST_INLINE = 8;
const MOST_COLUMNS = 40;
const CHUNK = 2_000;
const DENSE_CHUNK = 200;
const SHORT = 80;

export function lexMarkdown(source: string): Token[] {
  const tokenizer = new BoundedTokenizer();
  const lexer = new Lexer({ gfm: true, tokenizer });
  const tokens = sections(source).flatMap((section): Token[] =>
    section.kind === "code"
      ? [{ type: "code", raw: section.text, lang: section.language, text: section.text }, SPACE]
      : [...lexer.blockTokens(section.text, []), ...(section.gapAfter ? [SPACE] : [])],
  );
  for (const { src, tokens } of lexer.inlineQueue) {
    for (const chunk of inlineChunks(src)) {
      if (chunk.length > SHORT && punctuation(chunk) > 0.7)
        tokens.push({ type: "escape", raw: chunk, text: chunk });
      else lexer.inlineTokens(chunk, tokens);
    }
  }
  return tokens.filter((token) => token.type !== "def" || !tokenizer.referred.has(token.href));
}

const SPACE: Token = { type: "space", raw: "\n\n" };

function inlineChunks(text: string): string[] {
  if (text.length <= DENSE_CHUNK) return [text];
  return chunksOf(text, CHUNK).flatMap((chunk) => (isDense(chunk) ? chunksOf(chunk, DENSE_CHUNK) : [chunk]));
}

/** Mostly punctuation: little emphasis to find, but much to search. */
function isDense(text: string): boolean {
  return punctuation(text) > 0.4 || !/\s/.test(text);
}

/** Its share of the characters that are not white space. */
function punctuation(text: string): number {
  return (text.match(/[!-/:-@[-`{-~]/g)?.length ?? 0) / ((text.match(/\S/g)?.length ?? 0) + 1);
}

class BoundedTokenizer extends Tokenizer {
  /** Addresses that references point to; a definition without a reference is shown as text. */
  readonly referred = new Set<unknown>();
  #blockDepth = 0;
  #inlineDepth = 0;

  override blockquote(source: string) {
    return this.#block(() => super.blockquote(source));
  }
  override list(source: string) {
    return this.#block(() => super.list(source));
  }
  override table(source: string) {
    const delimiters = source.split("\n", 2)[1] ?? "";
    const plausible = /^[ -]*[|:][ |:-]*$/.test(delimiters) && delimiters.split("|").length <= MOST_COLUMNS;
    return plausible ? super.table(source) : undefined;
  }
  override def(source: string) {
    const isFootnote = source.trimStart().startsWith("[^");
    return isFootnote ? undefined : super.def(source);
  }
  override html() {
    return undefined;
  }
  override tag() {
    return undefined;
  }
  override link(source: string) {
    return this.#inline(() => super.link(source));
  }
  override reflink(source: string, links: Parameters<Tokenizer["reflink"]>[1]) {
    const token = this.#inline(() => super.reflink(source, links));
    if (token && token.type !== "text") this.referred.add(token.href);
    return token;
  }
  override emStrong(source: string, masked: string, before?: string) {
    return this.#inline(() => super.emStrong(source, masked, before));
  }
  override del(source: string, masked: string, before?: string) {
    return this.#inline(() => super.del(source, masked, before));
  }

  #block<T>(read: () => T | undefined): T | undefined {
    if (this.#blockDepth >= DEEPEST_BLOCK) return undefined;
    this.#blockDepth += 1;
    const token = read();
    this.#blockDepth -= 1;
    return token;
  }
  #inline<T>(read: () => T | undefined): T | undefined {
    if (this.#inlineDepth >= DEEPEST_INLINE) return undefined;
    this.#inlineDepth += 1;
    const token = read();
    this.#inlineDepth -= 1;
    return token;
  }
}
