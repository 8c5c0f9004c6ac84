// Makes a delivery as its sender would send it: the headers of `sign.ts`, or signatures inside of the JSON body, and the
// event and the delivery's id where they stand in headers.
import { createHmac, randomBytes } from "node:crypto";
import { applyEdits, modify } from "jsonc-parser";
import { parseFieldPath, readField } from "../../core/field-path.ts";
import { keyBytes } from "./keys.ts";
import type { BodyValue, Scheme, SenderKind } from "./kind.ts";
import type { Place } from "./place.ts";
import { senderRequest } from "./request.ts";
import type { SenderSettings } from "./settings.ts";
import { type SigningInput, signRequest, timeText, type Unsigned } from "./sign.ts";
import { signedBytes } from "./signed-bytes.ts";

export type SignedDelivery = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer };

/** Null where only the sender can sign. */
export function signDelivery(
  kind: SenderKind,
  settings: SenderSettings,
  unsigned: Unsigned,
  input: SigningInput,
): SignedDelivery | null {
  const body = signBody(kind, settings, unsigned, input);
  if (body !== null) return { headers: {}, body };
  const headers = signRequest(kind, settings, unsigned, input);
  return headers && { headers, body: unsigned.body };
}

/** Null: no signature stands in the body. */
function signBody(
  { schemes }: SenderKind,
  settings: SenderSettings,
  unsigned: Unsigned,
  input: SigningInput,
): Buffer | null {
  const [secret] = settings.secrets;
  const request = requestOf(unsigned);
  if (secret === undefined || request.json() === undefined) return null;
  for (const scheme of schemes) {
    const values =
      scheme.proof.kind === "code"
        ? (scheme.proof.signs?.(request.json(), secret) ?? [])
        : signedValues(scheme, secret, { settings, unsigned, input });
    if (values.length > 0) return withValues(unsigned.body, values);
  }
  return null;
}

type Context = { settings: SenderSettings; unsigned: Unsigned; input: SigningInput };

/** Of a signature that covers values of the body beside it, such as a time and a token. */
function signedValues(
  { proof, time }: Scheme,
  secret: string,
  { settings, unsigned, input }: Context,
): BodyValue[] {
  const at = proof.kind === "hmac" ? pathOf(proof.at[0]) : null;
  if (proof.kind !== "hmac" || at === null || proof.message.includes("body")) return [];
  const timeAt = pathOf(time?.at);
  const beside = [
    ...(time && timeAt ? [{ path: timeAt, value: timeText(time, input.now) }] : []),
    ...proof.message.flatMap((part) => {
      const path = typeof part === "object" && "value" in part ? pathOf(part.value) : null;
      return path === null ? [] : [{ path, value: randomBytes(25).toString("hex") }];
    }),
  ];
  const key = keyBytes(secret, proof.key);
  const request = requestOf({ ...unsigned, body: withValues(unsigned.body, beside) });
  const written = time === undefined ? null : timeText(time, input.now);
  const parts = signedBytes(proof.message, request, { publicUrl: settings.publicUrl, time: written });
  if (key === null || parts === null) return [];
  const mac = createHmac(proof.hash, key);
  for (const part of parts) mac.update(part);
  return [...beside, { path: at, value: mac.digest(proof.encoding) }];
}

const pathOf = (place: Place | undefined): readonly (string | number)[] | null =>
  place !== undefined && "json" in place ? parseFieldPath(place.json) : null;

const requestOf = ({ headers, ...unsigned }: Unsigned) =>
  senderRequest({ ...unsigned, rawHeaders: Object.entries(headers).flat() }, unsigned.body);

/** All other bytes stay as they are. */
const withValues = (body: Buffer, values: readonly BodyValue[]): Buffer =>
  Buffer.from(
    values.reduce(
      (text, { path, value }) => applyEdits(text, modify(text, [...path], value, {})),
      body.toString("utf8"),
    ),
    "utf8",
  );

/**
 * The body of a delivery that is no repeat of an earlier one: a new id where it stands in the JSON, and other blanks at
 * the end, which mean nothing in JSON and change what is signed. A form stays as it is.
 */
export function freshBody({ schemes }: SenderKind, body: Buffer, id: string): Buffer {
  const request = requestOf({ method: "POST", target: "/", headers: {}, body });
  const payload = request.json();
  if (payload === undefined) return body;
  const values = schemes
    .flatMap(({ delivery }) => delivery?.at ?? [])
    .flatMap((place): BodyValue[] => {
      const path = pathOf(place);
      const present = path && readField(payload, path);
      if (path === null || present === null || present === undefined) return [];
      return [{ path, value: typeof present === "string" ? id : randomBytes(5).readUIntBE(0, 5) }];
    });
  const blanks = randomBytes(4).reduce((text, byte) => text + byte.toString(2).padStart(8, "0"), "");
  const ending = blanks.replaceAll("0", " ").replaceAll("1", "\t");
  return Buffer.concat([withValues(body, values), Buffer.from(ending)]);
}

/** A body that is no JSON is a form, where the kind sends forms. */
export function contentType({ body: { types } }: SenderKind, body: Buffer): string {
  const request = requestOf({ method: "POST", target: "/", headers: {}, body });
  const isForm = types.includes("form") && !(types.includes("json") && request.json() !== undefined);
  return isForm ? "application/x-www-form-urlencoded" : "application/json";
}

/** The header that names this event; null where events stand in bodies. */
export function eventHeader({ event }: SenderKind, written: string): Record<string, string> | null {
  const [first] = event?.at ?? [];
  if (event === undefined || first === undefined || !("header" in first)) return null;
  return { [first.header]: event.join === true ? written.split(".")[0]! : written };
}
