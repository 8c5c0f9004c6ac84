// Checks what a transform returned: nothing, null, or an object that JSON can carry whole.
import { deepestNesting } from "../core/json.ts";
import type { CallResult } from "./call.ts";

/** Throws an error that says what is wrong with it. */
export function readResult(returned: unknown): CallResult {
  if (returned === undefined) return { kind: "kept" };
  if (returned === null) return { kind: "skip" };
  if (!isPlain(returned))
    throw new Error(`it returned ${describe(returned)}; a transform returns nothing, null or an object`);
  checkJson(returned, "its result", 0);
  return { kind: "changed", value: returned };
}

function checkJson(value: unknown, path: string, depth: number): void {
  if (depth > deepestNesting)
    throw new Error(`its result contains itself, or is nested deeper than ${deepestNesting}`);
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) checkJson(each, `${path}[${index}]`, depth + 1);
  } else if (isPlain(value)) {
    for (const key of Object.keys(value)) checkJson(value[key], `${path}.${key}`, depth + 1);
  } else if (!isLeaf(value)) throw new Error(`${path} is ${describe(value)}, which JSON cannot carry`);
}

const isLeaf = (value: unknown): boolean =>
  value == null ||
  typeof value === "string" ||
  typeof value === "boolean" ||
  Number.isFinite(value) ||
  value instanceof Date;

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

export function describe(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isFinite(value) ? "a number" : String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (value === null) return "null";
  const name = (value.constructor as { name?: unknown } | undefined)?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `a ${name} object` : "an object";
}
