// How the bytes of a body become a payload.
import { parseExactJson } from "../../core/exact-json.ts";
import { type Refusal, refuse } from "../../core/errors.ts";
import { isJsonType, mediaType, parseJson } from "../../http/body.ts";
import type { SenderBody } from "../senders/kind.ts";

export function decodeBody(
  bytes: Buffer,
  contentType: string | undefined,
  { types, formField }: SenderBody,
): { value: unknown } | Refusal {
  if (isJsonType(contentType) && types.includes("json")) return parseJson(bytes, parseExactJson);
  if (mediaType(contentType) === "application/x-www-form-urlencoded" && types.includes("form"))
    return readForm(bytes.toString("utf8"), formField);
  return refuse("unsupported-media-type");
}

function readForm(text: string, formField: string | undefined): { value: unknown } | Refusal {
  const form = new URLSearchParams(text);
  const json = formField === undefined ? [] : form.getAll(formField);
  if (json.length === 1) return parseJson(Buffer.from(json[0]!, "utf8"), parseExactJson);
  const fields = Object.create(null) as Record<string, string | string[]>;
  for (const name of new Set(form.keys())) {
    const values = form.getAll(name);
    fields[name] = values.length === 1 ? values[0]! : values;
  }
  return { value: fields };
}
