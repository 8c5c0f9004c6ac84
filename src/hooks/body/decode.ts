// A body becomes a payload, as its Content-Type says.
import { type Refusal, refuse } from "../../core/errors.ts";
import { parseExactJson } from "../../core/exact-json.ts";
import { parseJson } from "../../http/body.ts";
import { type BodyType, bodyTypes, readMediaType } from "../../http/media-type.ts";
import { BodyFault } from "./fault.ts";
import { fieldsOf } from "./fields.ts";
import { readForm } from "./form.ts";
import { type Part, readMultipart } from "./multipart.ts";
import { readXml } from "./xml.ts";

/** Which bodies are taken. `formField`: this field of a form is the payload, as JSON. */
export type TakenBody = { readonly types: readonly BodyType[]; readonly formField?: string };

/** What every mapped hook takes. */
export const mappedBody: TakenBody = { types: bodyTypes };

export type DecodedBody = {
  readonly value: unknown;
  /** The JSON that the payload was read from; left out where it was no JSON. */
  readonly json?: Buffer;
};

/** Numbers of JSON keep their sender's digits; those of forms and XML stay text. */
export function decodeBody(
  bytes: Buffer,
  contentType: string | undefined,
  taken: TakenBody,
): DecodedBody | Refusal {
  const media = readMediaType(contentType);
  if (media === null || !taken.types.includes(media.body)) return refuse("unsupported-media-type");
  if (media.body === "json") return readJson(bytes);
  try {
    if (media.body === "xml") return { value: readXml(bytes) };
    const parts = media.body === "form" ? readForm(bytes) : readMultipart(bytes, media.boundary ?? "");
    const written = taken.formField === undefined ? null : fieldIn(parts, taken.formField);
    return written === null ? { value: fieldsOf(parts) } : readJson(Buffer.from(written));
  } catch (fault) {
    if (!(fault instanceof BodyFault)) throw fault;
    return refuse("invalid-body", { details: [{ path: "body", message: fault.message }] });
  }
}

function readJson(bytes: Buffer): DecodedBody | Refusal {
  const parsed = parseJson(bytes, parseExactJson);
  return "value" in parsed ? { value: parsed.value, json: bytes } : parsed;
}

/** Null: the form does not have it exactly once, as text. */
function fieldIn(parts: readonly Part[], name: string): string | null {
  const found = parts.filter(([each]) => each === name);
  const [only] = found;
  return found.length === 1 && typeof only?.[1] === "string" ? only[1] : null;
}
