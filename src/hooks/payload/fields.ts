// Reads the fields of a payload and collects all faults, so that a caller sees them at once.
import { type PayloadFault, type Refusal, refuse } from "../../core/errors.ts";

import { kindOf } from "../../core/json.ts";
import { nearest } from "../../core/nearest.ts";

export type Fields = {
  /** Trimmed; null when missing or blank. */
  text(name: string, longest?: number): string | null;
  /** As `text`; missing is a fault. */
  requiredText(name: string): string;
  choice<const T extends string>(name: string, choices: readonly [T, ...T[]]): T;
  flag(name: string, otherwise: boolean): boolean;
  number(name: string, above: number, most: number): number | null;
  fault(path: string, message: string): void;
  /** All faults so far, or null. */
  refusal(): Refusal | null;
};

/** A refusal when the payload is no object. Only own properties are read. */
export function readFields(payload: unknown): Fields | Refusal {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) {
    return refuse("invalid-payload", { details: [{ path: "", message: "must be an object" }] });
  }
  const faults: PayloadFault[] = [];
  const fault = (path: string, message: string): void => void faults.push({ path, message });
  const own = (name: string): unknown =>
    Object.hasOwn(payload, name) ? (payload as Record<string, unknown>)[name] : undefined;

  const missing = (name: string): string =>
    Object.keys(payload).some((key) => nearest(key, [name]) !== null)
      ? "is required; a field has nearly this name"
      : "is required";

  function text(name: string, longest = Infinity): string | null {
    const value = own(name);
    if (value === undefined) return null;
    if (typeof value !== "string") {
      fault(name, `must be a string, not ${kindOf(value)}`);
      return null;
    }
    const trimmed = value.trim();
    if (trimmed.length > longest) fault(name, `must be at most ${longest} characters`);
    return trimmed === "" ? null : trimmed;
  }

  return {
    text,
    fault,
    requiredText(name) {
      const value = text(name);
      const isMissing = value === null && (own(name) === undefined || typeof own(name) === "string");
      if (isMissing) fault(name, own(name) === undefined ? missing(name) : "is required");
      return value ?? "";
    },
    choice(name, choices) {
      const value = text(name);
      const chosen = choices.find((each) => each === value);
      if (value !== null && chosen === undefined) fault(name, `must be one of: ${choices.join(", ")}`);
      return chosen ?? choices[0];
    },
    flag(name, otherwise) {
      const value = own(name);
      if (typeof value === "boolean") return value;
      if (value !== undefined) fault(name, `must be true or false, not ${kindOf(value)}`);
      return otherwise;
    },
    number(name, above, most) {
      const value = own(name);
      if (value === undefined) return null;
      if (typeof value === "number" && value > above && value <= most) return value;
      const came = typeof value === "number" ? "" : `, not ${kindOf(value)}`;
      fault(name, `must be a number above ${above}, at most ${most}${came}`);
      return null;
    },
    refusal: () => (faults.length === 0 ? null : refuse("invalid-payload", { details: faults })),
  };
}
