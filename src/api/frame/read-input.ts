// Reads what a request brings: parameters of its path and query, and its body, checked by the route's schemas.
import type { z } from "zod";
import { formatPath, type Path } from "../../config/problem.ts";
import { isRefusal, type PayloadFault, type Refusal, refuse } from "../../core/errors.ts";
import { isEncoded, parseJson, readBody } from "../../http/body.ts";
import type { Exchange } from "../../http/exchange.ts";
import { parameterKinds } from "./parameter-kinds.ts";

const bodyLimits = { maxBytes: 1_048_576, timeoutMs: 30_000 };
const json = /^application\/(?:[\w!#$&^.+-]+\+)?json\s*(?:;|$)/i;

export function checkParams<T>(schema: z.ZodType<T>, params: Readonly<Record<string, string>>): T | Refusal {
  const parsed = schema.safeParse(params);
  return parsed.success
    ? parsed.data
    : refuse("invalid-parameter", { details: faultsOf(parsed.error, params) });
}

/** A parameter that is no list may stand once. */
export function checkQuery<T>(schema: z.ZodType<T>, query: string): T | Refusal {
  const kinds = parameterKinds(schema);
  const given: Record<string, unknown> = {};
  const details: PayloadFault[] = [];
  const written = new URLSearchParams(query);
  for (const name of new Set(written.keys())) {
    const values = written.getAll(name);
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) details.push({ path: name, message: `is no parameter here${namesOf(kinds)}` });
    else if (kind === "list") given[name] = values;
    else if (values.length > 1) details.push({ path: name, message: "may stand only once" });
    else given[name] = valueOf(values[0]!, kind);
  }
  if (details.length > 0) return refuse("invalid-parameter", { details });
  const parsed = schema.safeParse(given);
  return parsed.success
    ? parsed.data
    : refuse("invalid-parameter", { details: faultsOf(parsed.error, given) });
}

const namesOf = (kinds: object): string => {
  const names = Object.keys(kinds);
  return names.length === 0 ? "" : `: ${names.join(", ")}`;
};

function valueOf(written: string, kind: "number" | "boolean" | "text"): unknown {
  if (kind === "number" && /^-?\d{1,15}$/.test(written)) return Number(written);
  if (kind === "boolean" && (written === "true" || written === "false")) return written === "true";
  return written;
}

/** The bytes of the body; null: the caller went away. */
export async function readJsonBody(exchange: Exchange): Promise<Buffer | Refusal | null> {
  const { headers } = exchange.request;
  exchange.discardBytes = bodyLimits.maxBytes;
  const tooLarge = refuse("body-too-large", {
    detail: `A body may have at most ${bodyLimits.maxBytes} bytes.`,
  });
  if (Number(headers["content-length"] ?? 0) > bodyLimits.maxBytes) return tooLarge;
  if (isEncoded(headers["content-encoding"])) return refuse("unsupported-encoding");
  const isEmpty = headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0;
  if (!isEmpty && !json.test(headers["content-type"]?.trim() ?? ""))
    return refuse("unsupported-media-type", {
      detail: "Send JSON, with the header Content-Type: application/json.",
    });
  const body = await readBody(exchange, bodyLimits);
  return body !== null && isRefusal(body) && body.refused === "body-too-large" ? tooLarge : body;
}

export function checkBody<T>(schema: z.ZodType<T>, bytes: Buffer, optional: boolean): T | Refusal {
  const read = bytes.length === 0 && optional ? { value: {} } : parseJson(bytes);
  if ("refused" in read) return read;
  const parsed = schema.safeParse(read.value);
  return parsed.success
    ? parsed.data
    : refuse("invalid-payload", { details: faultsOf(parsed.error, read.value) });
}

const mostFaults = 100;

/** `value`: what was checked, to tell what is missing from what is wrong. */
const faultsOf = (error: z.ZodError, value: unknown): PayloadFault[] =>
  error.issues
    .flatMap((issue) => {
      const path = issue.path as Path;
      if (issue.code !== "unrecognized_keys")
        return [{ path: formatPath(path), message: messageOf(issue, valueAt(value, path) === undefined) }];
      return issue.keys.map((key) => ({ path: formatPath([...path, key]), message: "is no field here" }));
    })
    .slice(0, mostFaults);

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, part) =>
      typeof at === "object" && at !== null && Object.hasOwn(at, part)
        ? (at as Record<string | number, unknown>)[part]
        : undefined,
    value,
  );

const kinds: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

/** Says what was expected, and never what came. */
function messageOf(issue: z.core.$ZodIssue, isMissing: boolean): string {
  if (issue.code === "invalid_type")
    return isMissing ? "is missing" : `must be ${kinds[issue.expected] ?? issue.expected}`;
  if (issue.code === "invalid_value") return `must be ${issue.values.map(String).join(" or ")}`;
  if (issue.code === "too_small")
    return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
  if (issue.code === "too_big")
    return issue.origin === "string"
      ? `must have at most ${issue.maximum} characters`
      : `must be at most ${issue.maximum}`;
  return issue.code === "custom" ? issue.message : "has not the right form";
}
