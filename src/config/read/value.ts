// Turns the syntax tree into a plain value: reports duplicate names and resolves references.
import type { Node } from "jsonc-parser";
import type { Finding, Path } from "../problem.ts";
import { formatPath } from "../problem.ts";
import { offsetKey, type Offsets } from "./syntax.ts";
import { expand, readSecret, type Resolved, type Sources } from "./secrets.ts";

export type Reading = {
  sources: Sources;
  /** Whether this setting may be `{ "file": … }`. */
  isSecret: (path: Path) => boolean;
  /** Reading fills both. */
  findings: Finding[];
  offsets: Offsets;
};

export function toValue(node: Node, path: Path, reading: Reading): unknown {
  if (node.type === "object") return toObject(node, path, reading);
  if (node.type === "array") return toList(node, path, reading);
  if (typeof node.value !== "string") return node.value as unknown;
  return settled(expand(node.value, reading.sources.env), path, reading);
}

const toList = (node: Node, path: Path, reading: Reading): unknown[] =>
  (node.children ?? []).map((child, at) => {
    reading.offsets.set(offsetKey([...path, at]), child.offset);
    return toValue(child, [...path, at], reading);
  });

function toObject(node: Node, path: Path, reading: Reading): unknown {
  const object: Record<string, unknown> = {};
  for (const { offset, children } of node.children ?? []) {
    const [keyNode, valueNode] = children ?? [];
    if (!keyNode || !valueNode) continue;
    const key = String(keyNode.value);
    const fault = nameFault(key, object);
    if (fault) reading.findings.push({ path: [...path, key], message: fault, offset });
    else {
      reading.offsets.set(offsetKey([...path, key]), offset);
      object[key] = toValue(valueNode, [...path, key], reading);
    }
  }
  return isFileReference(object) && reading.isSecret(path) ? fromFile(object.file, path, reading) : object;
}

function nameFault(key: string, object: object): string | null {
  if (key === "__proto__") return "no setting can have this name";
  return Object.hasOwn(object, key) ? "is written twice; keep one of them" : null;
}

const isFileReference = (object: Record<string, unknown>): object is { file: string } =>
  typeof object["file"] === "string" && object["file"].trim() !== "" && Object.keys(object).length === 1;

function fromFile(file: string, path: Path, reading: Reading): string {
  // The name of the file is the only value in this object: a finding about it is the last one.
  const last = reading.findings.at(-1);
  const unresolved = last !== undefined && formatPath(last.path) === formatPath([...path, "file"]);
  return unresolved ? standIn(path) : settled(readSecret(file.trim(), reading.sources), path, reading);
}

function settled(resolved: Resolved, path: Path, reading: Reading): string {
  if (resolved.ok) return resolved.value;
  reading.findings.push({ path, message: resolved.message });
  return standIn(path);
}

/** Replaces a value that could not be resolved, so that the rules can still be checked. */
const standIn = (path: Path): string => `unresolved-${"x".repeat(24)}-${formatPath(path)}`;
