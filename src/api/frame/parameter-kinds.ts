// How the parameters of a query are written, as their schema says.
import { z } from "zod";

export type ParameterKind = "text" | "number" | "boolean" | "list";

/** By name. A list is a parameter that may be repeated. */
export function parameterKinds(schema: z.ZodType): Readonly<Record<string, ParameterKind>> {
  if (!(schema instanceof z.ZodObject)) return {};
  const shape = schema.shape as Readonly<Record<string, z.core.$ZodType>>;
  return Object.fromEntries(Object.entries(shape).map(([name, each]) => [name, kindOf(each)]));
}

function kindOf(schema: z.core.$ZodType): ParameterKind {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return kindOf(schema.unwrap());
  if (schema instanceof z.ZodArray) return "list";
  if (schema instanceof z.ZodNumber) return "number";
  return schema instanceof z.ZodBoolean ? "boolean" : "text";
}
