// The nodes of a template besides its tags: the operator's text, and `{{ … }}`.
import type { Context, Emitter, Liquid, Template, Token } from "liquidjs";
import { ExactNumber } from "../../core/exact-number.ts";
import { isInLoop } from "./context.ts";
import { readExpression } from "./expression.ts";
import { type Memory, writeJson } from "./json.ts";
import { isMessageEmitter } from "./message-emitter.ts";

export function textNode(token: Token, text: string): Template {
  return {
    token,
    render(context: Context, emitter: Emitter): void {
      context.memoryLimit.use(text.length);
      emitter.write(text);
    },
  };
}

/** What a part of a message costs besides its text. */
const partCharacters = 100;

type OutputToken = Token & { readonly content: string; readonly contentRange: [number, number] };

export function outputNode(token: OutputToken, liquid: Liquid, isOptional: boolean): Template {
  const expression = readExpression(token.input, token.contentRange, { liquid, isOptional });
  const label = token.content.replace(/\s+/g, " ");
  return {
    token,
    render(context: Context, emitter: Emitter): void {
      const value = expression.evaluate(context);
      const text = textOf(value, context.memoryLimit);
      if (text === "") return;
      const isOutside = !isPlain(value) && !expression.isOurs(context);
      if (!isOutside || !isMessageEmitter(emitter)) return emitter.write(text);
      context.memoryLimit.use(label.length + partCharacters);
      if (emitter.writeOutside(label, text)) return;
      // The rest of a loop would be words around nothing.
      if (isInLoop(context)) context.breakCalled = true;
      else emitter.write("[left out]");
    },
  };
}

/** Numbers and booleans cannot carry instructions, so they stay in the operator's text. A very long one is no number. */
const isPlain = (value: unknown): value is number | boolean | ExactNumber =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  (value instanceof ExactNumber && value.toString().length <= longestNumber);

const longestNumber = 50;

function textOf(value: unknown, memory: Memory): string {
  if (value === null || value === undefined) return "";
  if (isPlain(value)) return String(value);
  if (typeof value !== "string") return writeJson(value, 0, memory) ?? "";
  memory.use(value.length);
  return value;
}
