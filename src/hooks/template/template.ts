// An operator's template, parsed once when the config is loaded and rendered for each request. Values from the request
// become outside parts of the message because of the node that writes them, not because of their content.
import { type Template as Node, toValueSync } from "liquidjs";
import { type Message, plainText } from "../../core/message.ts";
import { createContext } from "./context.ts";
import { type Budget, createBudget, requestLimits } from "./budget.ts";
import type { Engine } from "./engine.ts";
import { faultOf, type Problem, problemOf } from "./fault.ts";
import type { Seen } from "./seen.ts";
import { createMessageEmitter, emittedMessage } from "./message-emitter.ts";
import type { Scope } from "./scope.ts";

export { TemplateFault } from "./fault.ts";

/**
 * Both throw a TemplateFault when the template cannot be rendered for this request, or only over its budget. In `seen`
 * they note which references led to a value.
 */
export type Template = {
  /** The same values, joined as one text. */
  renderText(scope: Scope, budget?: Budget, seen?: Seen): string;
  renderMessage(scope: Scope, budget?: Budget, seen?: Seen): Message;
};

const mostCharacters = 200_000;
const ownBudget = (): Budget => createBudget(requestLimits(0));

export type CompileResult =
  | { readonly ok: true; readonly template: Template }
  | ({ readonly ok: false } & Problem);

export function compileTemplate(source: string, engine: Engine): CompileResult {
  if (source.length > mostCharacters) {
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
  const renderMessage = (scope: Scope, budget = ownBudget(), seen?: Seen): Message => {
    const emitter = createMessageEmitter();
    const context = createContext(scope, liquid, { budget, seen: seen ?? null });
    try {
      budget.during(() => toValueSync(liquid.renderer.renderTemplates(nodes, context, emitter)));
    } catch (error) {
      throw faultOf(error, source);
    }
    return emittedMessage(emitter);
  };
  return {
    renderMessage,
    renderText: (scope, budget, seen) => plainText(renderMessage(scope, budget, seen)),
  };
}

function constantTemplate(source: string): Template {
  const message: Message = source === "" ? [] : [source];
  const charge = (budget = ownBudget()): void => {
    try {
      budget.memory.use(source.length);
    } catch (error) {
      throw faultOf(error, source);
    }
  };
  return {
    renderMessage(_, budget) {
      charge(budget);
      return message;
    },
    renderText(_, budget) {
      charge(budget);
      return source;
    },
  };
}

const tooLong = (length: number): string =>
  `a template may have ${mostCharacters} characters, this one has ${length}`;
