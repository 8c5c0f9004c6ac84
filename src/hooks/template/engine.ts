// One LiquidJS for all templates: no files, and our own nodes for all output. `budget.ts` limits what rendering costs.
import { type FilterImplOptions, Liquid, filters } from "liquidjs";
import { ExactNumber } from "../../core/exact-number.ts";
import { availableFilters, pathFilters } from "./available.ts";
import { type Memory, writeJson } from "./json.ts";
import { TemplateParser } from "./parser.ts";

export type Engine = { readonly liquid: Liquid; readonly parser: TemplateParser };

export function createEngine(): Engine {
  const liquid = new Liquid({
    templates: {},
    dynamicPartials: false,
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: false,
    locale: "en-US",
  });
  for (const name in liquid.filters) if (!availableFilters.includes(name)) liquid.unregisterFilter(name);
  for (const name of ["json", "jsonify", "inspect"]) liquid.registerFilter(name, json);
  for (const name of pathFilters) liquid.registerFilter(name, withoutRanges(filters[name]));
  for (const name of availableFilters.filter((each) => each.startsWith("date")))
    liquid.registerFilter(name, ofUsualNumbers(filters[name]));
  return { liquid, parser: new TemplateParser(liquid) };
}

/** `{{ payload | json: 2 }}` */
function json(
  this: { context: { memoryLimit: Memory } },
  value: unknown,
  spaces: unknown,
): string | undefined {
  const wanted = typeof spaces === "number" ? Math.trunc(spaces) : 0;
  return writeJson(value, Math.min(Math.max(wanted, 0), 10), this.context.memoryLimit);
}

/** LiquidJS tells seconds from texts by their type. */
function ofUsualNumbers(filter: FilterImplOptions | undefined): FilterImplOptions {
  if (typeof filter !== "function") throw new TypeError("LiquidJS lost a filter that this list names");
  return function (value: unknown, ...others: unknown[]): unknown {
    return filter.call(this, value instanceof ExactNumber ? value.valueOf() : value, ...others);
  };
}

/** Applies the tokenizer's rule for ranges to paths that are known only while rendering. */
function withoutRanges(filter: FilterImplOptions | undefined): FilterImplOptions {
  if (typeof filter !== "function") throw new TypeError("LiquidJS lost a filter that this list names");
  return function (list: unknown, path: unknown, ...others: unknown[]): unknown {
    if (String(path).includes("(")) throw new TypeError("a path with a range");
    return filter.call(this, list, path, ...others);
  };
}
