// An operator's template, parsed once when the config is loaded and rendered for each request. Values from the request
// become outside parts of the message because of the node that writes them, not because of their content.
import { type Template as Node, toValueSync } from "liquidjs";
import { type Message, plainText } from "../../core/message.ts";
import { createContext } from "./context.ts";
import { type Engine, limits } from "./engine.ts";
import { faultOf, type Problem, problemOf } from "./fault.ts";
import { createMessageEmitter } from "./message-emitter.ts";
import type { Scope } from "./scope.ts";

export { TemplateFault } from "./fault.ts";

/** Both throw a TemplateFault when the template cannot be rendered for this request. */
export type Template = {
  /** The same values, joined as one text. */
  renderText(scope: Scope): string;
  renderMessage(scope: Scope): Message;
};

export type CompileResult =
  | { readonly ok: true; readonly template: Template }
  | ({ readonly ok: false } & Problem);

export function compileTemplate(source: string, engine: Engine): CompileResult {
  if (source.length > limits.templateCharacters) {
    return { ok: false, message: tooLong(source.length), line: 1, column: 1 };
  }
  if (!source.includes("{{") && !source.includes("{%"))
    return { ok: true, template: constantTemplate(source) };
  try {
    return { ok: true, template: createTemplate(source, engine) };
  } catch (error) {
    return { ok: false, ...problemOf(error, source) };
  }
}

function createTemplate(source: string, { liquid, parser }: Engine): Template {
  const nodes: Node[] = parser.parse(source);
  const renderMessage = (scope: Scope): Message => {
    const emitter = createMessageEmitter();
    try {
      toValueSync(liquid.renderer.renderTemplates(nodes, createContext(scope, liquid), emitter));
    } catch (error) {
      throw faultOf(error, source);
    }
    return emitter.parts;
  };
  return { renderMessage, renderText: (scope) => plainText(renderMessage(scope)) };
}

function constantTemplate(source: string): Template {
  const message: Message = source === "" ? [] : [source];
  return { renderMessage: () => message, renderText: () => source };
}

const tooLong = (length: number): string =>
  `a template may have ${limits.templateCharacters} characters, this one has ${length}`;
