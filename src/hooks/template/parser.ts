// LiquidJS's parser with our own nodes for everything that a template outputs.
import {
  ForTag,
  type Liquid,
  ParseError,
  Parser,
  RawTag,
  type TagToken,
  type Template,
  type TopLevelToken,
  TypeGuards,
} from "liquidjs";
import { availableTags } from "./available.ts";
import { outputNode, textNode } from "./nodes.ts";
import { notingLoop } from "./references.ts";
import { assertRead, TemplateTokenizer } from "./tokenizer.ts";

const { isOutputToken, isTagToken } = TypeGuards;
type Parsed = ReturnType<Parser["parseToken"]>;

export class TemplateParser extends Parser {
  readonly #liquid: Liquid;
  /** How many conditions are open. */
  #conditions = 0;

  constructor(liquid: Liquid) {
    super(liquid);
    this.#liquid = liquid;
  }

  override parseTokens(tokens: TopLevelToken[]): Template[] {
    for (const token of tokens) {
      if (!isTagToken(token)) continue;
      token.tokenizer = new TemplateTokenizer(this.#liquid, token.input, [
        token.tokenizer.p,
        token.contentRange[1],
      ]);
    }
    // The parser shifts tokens off the array, in time that grows with its length; `pop` takes constant time.
    const backwards = tokens.toReversed();
    backwards.shift = backwards.pop;
    return super.parseTokens(backwards);
  }

  override parseToken(token: TopLevelToken, rest: TopLevelToken[]): Parsed {
    if (isTagToken(token)) return this.#parseTag(token, rest);
    return (
      isOutputToken(token)
        ? outputNode(token, this.#liquid, this.#conditions > 0)
        : textNode(token, textIn(token))
    ) as Parsed;
  }

  #parseTag(token: TagToken, rest: TopLevelToken[]): Parsed {
    if (!availableTags.includes(token.name)) throw new ParseError(new Error(whyNot(token.name)), token);
    const tag = this.#parseInside(token, rest);
    if (tag instanceof RawTag) return textNode(token, tag.render()) as Parsed;
    if (!isComment(token.name)) assertRead(token.tokenizer);
    return tag instanceof ForTag ? (notingLoop(tag, this.#conditions > 0) as Parsed) : tag;
  }

  /** A tag reads what is between it and its end. */
  #parseInside(token: TagToken, rest: TopLevelToken[]): Parsed {
    if (!conditions.has(token.name)) return super.parseToken(token, rest);
    this.#conditions++;
    try {
      return super.parseToken(token, rest);
    } finally {
      this.#conditions--;
    }
  }
}

const conditions: ReadonlySet<string> = new Set(["if", "unless", "case"]);
const isComment = (name: string): boolean => name === "comment" || name === "#";

const textIn = (token: TopLevelToken): string => ("getContent" in token ? token.getContent() : "");

function whyNot(name: string): string {
  const isPart = ["else", "elsif", "when"].includes(name);
  const isEnd = name.startsWith("end") && availableTags.includes(name.slice("end".length));
  if (isPart || isEnd) return `tag "${name}" does not belong to an open tag`;
  return `tag "${name}" is not available in templates; available are: ${availableTags.join(", ")}`;
}
