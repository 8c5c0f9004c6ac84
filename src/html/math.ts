// The value of a CSS math function, whatever its units: only whether it is zero matters.
import type { CssNode, FunctionNode, Parentheses } from "css-tree";

/** NaN where it cannot be told. */
export function mathValue(node: FunctionNode | Parentheses): number {
  const values = argumentsOf(node).map(sum);
  const name = node.type === "Function" ? node.name : "calc";
  if (values.some(Number.isNaN)) return NaN;
  const [first = NaN, second = NaN, third = NaN] = values;
  if (name === "calc" || name === "abs") return first;
  if (name === "min") return values.reduce((least, value) => Math.min(least, value));
  if (name === "max") return values.reduce((most, value) => Math.max(most, value));
  return name === "clamp" ? Math.max(first, Math.min(second, third)) : NaN;
}

function argumentsOf(node: FunctionNode | Parentheses): CssNode[][] {
  const all: CssNode[][] = [[]];
  for (const child of node.children.toArray()) {
    if (child.type === "Operator" && child.value.trim() === ",") all.push([]);
    else if (child.type !== "WhiteSpace") all.at(-1)?.push(child);
  }
  return all;
}

/** Of products: `2 * 3 - 6`. */
function sum(nodes: readonly CssNode[]): number {
  let total = 0;
  let product = 0;
  let operator = "+";
  for (const node of nodes) {
    if (node.type === "Operator") operator = node.value.trim();
    else {
      const value = numberOf(node);
      if (operator === "*") product *= value;
      else if (operator === "/") product /= value;
      else {
        total += product;
        product = operator === "-" ? -value : value;
      }
    }
  }
  return total + product;
}

function numberOf(node: CssNode): number {
  if (node.type === "Number" || node.type === "Dimension" || node.type === "Percentage")
    return Number(node.value);
  return node.type === "Function" || node.type === "Parentheses" ? mathValue(node) : NaN;
}
