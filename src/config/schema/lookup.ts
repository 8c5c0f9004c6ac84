// Asks the schema about a path: which settings are known there, and whether it is a secret.
import { z } from "zod";
import type { Path } from "../problem.ts";

/** Every schema that could apply at the path; more than one inside a union. */
function schemasAt(schema: z.core.$ZodType, path: Path): z.core.$ZodType[] {
  const [part, ...rest] = path;
  if (part === undefined) return [schema];
  return steps(schema, part).flatMap((each) => schemasAt(each, rest));
}

function steps(schema: z.core.$ZodType, part: string | number): z.core.$ZodType[] {
  if (schema instanceof z.ZodObject) {
    const { shape } = schema;
    return Object.hasOwn(shape, part) ? [shape[part]] : [];
  }
  if (schema instanceof z.ZodArray) return typeof part === "number" ? [schema.element] : [];
  if (schema instanceof z.ZodRecord) return [schema.valueType];
  return inside(schema).flatMap((each) => steps(each, part));
}

/** The schema inside a wrapper. */
function inside(schema: z.core.$ZodType): readonly z.core.$ZodType[] {
  if (schema instanceof z.ZodUnion) return schema.options;
  if (schema instanceof z.ZodPipe) return [schema.in];
  const wraps =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return wraps ? [schema.unwrap()] : [];
}

export const knownSettings = (schema: z.core.$ZodType, path: Path): string[] =>
  schemasAt(schema, path).flatMap(ownSettings);

const ownSettings = (schema: z.core.$ZodType): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : inside(schema).flatMap(ownSettings);

export const isSecret = (schema: z.core.$ZodType, path: Path): boolean => schemasAt(schema, path).some(marked);

/** Whether the schema says what may stand there. */
export const isKnown = (schema: z.core.$ZodType, path: Path): boolean => schemasAt(schema, path).length > 0;

const marked = (schema: z.core.$ZodType): boolean =>
  z.globalRegistry.get(schema)?.["writeOnly"] === true || inside(schema).some(marked);
