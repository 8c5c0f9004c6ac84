// A style attribute's declarations as a browser reads them, of the few properties that can hide an element: css-tree
// parses them and knows which values are valid. Of two valid declarations the later counts, but for `!important`.
import { type CssNode, type Declaration, ident, lexer, parse, walk } from "css-tree";
import { mathValue } from "./math.ts";

export type Style = {
  /** It declares something that hides, in a form that browsers may read in more than one way. */
  readonly isUnsure: boolean;
  readonly hasCustomProperty: boolean;
  /** The value where it is one keyword, in small letters; else empty. */
  wordOf(property: string): string;
  /** The value where it is one number or length; null for any other. */
  numberOf(property: string): { readonly value: number; readonly unit: string } | null;
};

type Value = { readonly node: CssNode | undefined; readonly isImportant: boolean };

/** The properties that a declaration sets. */
const longhands = new Map<string, readonly string[]>([
  ...["display", "visibility", "opacity", "content-visibility", "font-size", "overflow-x", "overflow-y"].map(
    (name) => [name, [name]] as const,
  ),
  ...["height", "max-height", "width", "max-width"].map((name) => [name, [name]] as const),
  ["font", ["font-size"]],
  ["overflow", ["overflow-x", "overflow-y"]],
  ["overflow-block", ["overflow-y"]],
  ["overflow-inline", ["overflow-x"]],
  ["block-size", ["height"]],
  ["max-block-size", ["max-height"]],
  ["inline-size", ["width"]],
  ["max-inline-size", ["max-width"]],
]);

/** Longer than any honest value of these properties. What is longer is not checked, and counts as hiding. */
const longestValue = 500;

/**
 * In css-tree's matching steps, and some for each distinct style and value. A long newsletter takes a tenth of
 * it. Beyond it, every further style in the document is unsure.
 */
const mostSteps = 500_000;
const stepsEach = 200;
const stepsPerCharacter = 5;

/** `hasCustomProperty`: one that an outer element declares can be the value of a `var()`. */
export type StyleReader = (written: string, outer: { readonly hasCustomProperty: boolean }) => Style;

type Checked = { readonly nodes: readonly CssNode[] | "invalid" | "unsure"; readonly steps: number };
type Check = (property: string, source: string, hasCustomProperty: boolean) => Checked;

/** Of one document, whose elements mostly share their styles. */
export function createStyleReader(): StyleReader {
  const styles = new Map<string, Style>();
  const values = new Map<string, Checked>();
  let steps = 0;
  const check: Check = (property, source, hasCustomProperty) => {
    const key = `${property} ${hasCustomProperty} ${source}`;
    const known = values.get(key);
    if (known !== undefined || steps > mostSteps) return known ?? unsureValue;
    const checked = valueOf(property, source, hasCustomProperty);
    steps += stepsEach + stepsPerCharacter * source.length + checked.steps;
    values.set(key, checked);
    return checked;
  };
  return (written, outer) => {
    const key = `${outer.hasCustomProperty} ${written}`;
    const known = styles.get(key);
    if (known !== undefined || steps > mostSteps) return known ?? unsure;
    steps += stepsEach;
    const style = readStyle(written, outer.hasCustomProperty, check);
    styles.set(key, style);
    return style;
  };
}

const unsureValue: Checked = { nodes: "unsure", steps: 0 };
const invalidValue: Checked = { nodes: "invalid", steps: 0 };
const unsure: Style = {
  isUnsure: true,
  hasCustomProperty: true,
  wordOf: () => "",
  numberOf: () => null,
};

function readStyle(written: string, isCustomInherited: boolean, check: Check): Style {
  const { declarations, isBroken } = declarationsOf(written);
  const hasCustomProperty =
    isCustomInherited || declarations.some(({ property }) => property.startsWith("--"));
  const values = new Map<string, Value>();
  let isUnsure = false;
  for (const declaration of declarations) {
    const property = nameOf(declaration.property);
    const names = longhands.get(property) ?? [];
    const isImportant = importance(declaration);
    if (names.length === 0 || isImportant === null) continue;
    const source = sourceOf(declaration);
    const { nodes } = check(property, source, hasCustomProperty);
    isUnsure ||= nodes === "unsure";
    if (isBroken) isUnsure ||= couldHide(check(property, source.replace(/[{}].*/s, ""), hasCustomProperty));
    if (typeof nodes === "string") continue;
    for (const [at, name] of names.entries()) set(values, name, nodes[at] ?? nodes[0], isImportant);
  }
  return { isUnsure, hasCustomProperty, ...readers(values) };
}

function set(
  values: Map<string, Value>,
  name: string,
  node: CssNode | undefined,
  isImportant: boolean,
): void {
  if (isImportant || values.get(name)?.isImportant !== true) values.set(name, { node, isImportant });
}

function readers(values: ReadonlyMap<string, Value>): Pick<Style, "wordOf" | "numberOf"> {
  return {
    wordOf(property) {
      const node = values.get(property)?.node;
      return node?.type === "Identifier" ? node.name : "";
    },
    numberOf: (property) => numberIn(values.get(property)?.node),
  };
}

function numberIn(node: CssNode | undefined): { value: number; unit: string } | null {
  if (node?.type === "Number") return { value: Number(node.value), unit: "" };
  if (node?.type === "Percentage") return { value: Number(node.value), unit: "%" };
  if (node?.type === "Dimension") return { value: Number(node.value), unit: node.unit };
  if (node?.type === "Function") return { value: mathValue(node), unit: "" };
  return null;
}

/** `isBroken`: with a brace outside of its place, where some browsers stop reading and others go on. */
function declarationsOf(written: string): { declarations: Declaration[]; isBroken: boolean } {
  const list = parse(written, { context: "declarationList", parseValue: false });
  const children = list.type === "DeclarationList" ? list.children.toArray() : [];
  const declarations = children.filter((child): child is Declaration => child.type === "Declaration");
  const isBroken =
    declarations.length < children.length || declarations.some((each) => /[{}]/.test(sourceOf(each)));
  return { declarations, isBroken: isBroken && /[{}]/.test(written) };
}

const nameOf = (written: string): string => ident.decode(written).toLowerCase();

const sourceOf = ({ value }: Declaration): string => (value.type === "Raw" ? value.value : "");

/** Null for `!` with any other word: the declaration is invalid. */
function importance({ important }: Declaration): boolean | null {
  if (typeof important === "boolean") return important;
  return nameOf(important) === "important" ? true : null;
}

/** The nodes that matter in a value: of `font` the size, of `overflow` one or both, of any other the only one. */
function valueOf(property: string, source: string, hasCustomProperty: boolean): Checked {
  if (source.length > longestValue) return unsureValue;
  const value = parsed(source);
  if (value === null) return invalidValue;
  const nodes = value.children.toArray();
  if (isSubstituted(value)) {
    const fallback = hasCustomProperty ? null : fallbackOf(nodes);
    return fallback === null ? unsureValue : valueOf(property, fallback, false);
  }
  const match = lexer.matchProperty(property, value);
  const steps = match.iterations || 0;
  if (match.matched === null || nodes.some(isForeign)) return { nodes: "invalid", steps };
  const sizes = property === "font" ? nodes.filter((node) => match.isProperty(node, "font-size")) : [];
  return { nodes: sizes.length > 0 ? sizes : nodes, steps };
}

function parsed(source: string) {
  try {
    const value = parse(source, { context: "value" });
    if (value.type !== "Value") return null;
    walk(value, (node) => {
      if (node.type === "Identifier") node.name = nameOf(node.name);
      if (node.type === "Dimension") node.unit = nameOf(node.unit);
      if (node.type === "Function") node.name = nameOf(node.name);
    });
    return value;
  } catch {
    return null;
  }
}

/** In the grammar, but not known to every browser: the declaration before it may count. */
const isForeign = (node: CssNode): boolean =>
  node.type === "Identifier" && /^(?:-(?!webkit-)|run-in$)/.test(node.name);

const substitutions = /^(?:var|env|attr|if|inherit|random-item)$|^--/;

function isSubstituted(value: CssNode): boolean {
  let found = false;
  walk(value, (node) => {
    if (node.type === "Function" && substitutions.test(node.name)) found = true;
  });
  return found;
}

/** What `var()` of a property that is nowhere declared stands for. */
function fallbackOf([node, more]: readonly CssNode[]): string | null {
  if (node?.type !== "Function" || node.name !== "var" || more) return null;
  const [, comma, fallback] = node.children.toArray();
  if (!comma) return "unset";
  return fallback?.type === "Raw" ? fallback.value : null;
}

function couldHide({ nodes }: Checked): boolean {
  if (typeof nodes === "string") return nodes === "unsure";
  return nodes.some(
    (node) =>
      (node.type === "Identifier" && /^(?:none|hidden|collapse|clip)$/.test(node.name)) ||
      (numberIn(node)?.value ?? 1) <= 0,
  );
}
