// Reads what a process sent. Our own code in it wrote that, but beside code that could have changed anything there: so
// nothing is taken on trust.
import { deepestNesting, isDeeper } from "../core/json.ts";
import type { CallResult, ProcessMessage, Snapshot } from "./call.ts";

/** Null: this is no message. */
export function readMessage(text: string): ProcessMessage | null {
  const value = parsed(text);
  if (!isObject(value)) return null;
  const { kind, index, fault, snapshot, sequence, ms, result, reason } = value;
  if (kind === "loading" && typeof index === "number") return { kind, index };
  if (kind === "loaded" && (snapshot === null || isSnapshot(snapshot))) return { kind, snapshot };
  if (kind === "stray" && typeof reason === "string") return { kind, reason };
  if (kind === "unusable" && isObject(fault)) {
    const { index: at, message } = fault;
    return typeof at === "number" && typeof message === "string"
      ? { kind, fault: { index: at, message } }
      : null;
  }
  if (typeof sequence !== "number") return null;
  if (kind === "done" && typeof ms === "number" && isResult(result)) return { kind, sequence, ms, result };
  return kind === "failed" && typeof reason === "string" ? { kind, sequence, reason } : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function isResult(value: unknown): value is CallResult {
  if (!isObject(value)) return false;
  if (value["kind"] === "kept" || value["kind"] === "skip") return true;
  return value["kind"] === "changed" && isObject(value["value"]) && !isDeeper(value["value"], deepestNesting);
}

const isSnapshot = (value: unknown): value is Snapshot =>
  isObject(value) && Array.isArray(value["entries"]) && Array.isArray(value["modules"]);
