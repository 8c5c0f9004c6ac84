// Inline tokens become spans. HTML in the source is text here.

import type { Token, Tokens } from "marked";
import { decodeEntities } from "./entities.ts";
import { linkSpans } from "./links.ts";
import { PLAIN, type Span } from "./model.ts";

type InlineToken =
  | Tokens.Strong
  | Tokens.Em
  | Tokens.Del
  | Tokens.Codespan
  | Tokens.Br
  | Tokens.Link
  | Tokens.Image
  | Tokens.Text
  | Tokens.Escape
  | Tokens.Checkbox
  | Tokens.Tag;

const HARD_BREAK = "  \n";

export function spansOf(tokens: readonly Token[], style: Span = PLAIN): Span[] {
  return tokens.flatMap((token) => spansOfToken(token as InlineToken, style));
}

function spansOfToken(token: InlineToken, style: Span): Span[] {
  const plain = (text: string) => [{ ...style, text }];
  switch (token.type) {
    case "strong":
      return spansOf(token.tokens, { ...style, bold: true });
    case "em":
      return spansOf(token.tokens, { ...style, italic: true });
    case "del":
      return spansOf(token.tokens, { ...style, strike: true });
    case "codespan":
      return [{ ...style, code: token.text.trim() !== "", text: token.text }];
    case "br":
      return plain(HARD_BREAK);
    case "link":
      return linkOf(token.autolink ? plain(token.text) : spansOf(token.tokens, style), token, style);
    case "image":
      return linkOf(plain(decodeEntities(token.text) || "image"), token, style);
    case "text":
      return token.tokens ? spansOf(token.tokens, style) : plain(decodeEntities(token.text));
    case "escape":
      return plain(token.text);
    case "checkbox":
      return [];
    case "html":
      return plain(token.raw);
  }
}

function linkOf(label: Span[], token: { href: string; autolink?: boolean }, style: Span): Span[] {
  const spans = linkSpans(label, token.autolink ? token.href : decodeEntities(token.href));
  return spans.map((span) => ({
    ...span,
    bold: span.bold || style.bold,
    italic: span.italic || style.italic,
  }));
}
