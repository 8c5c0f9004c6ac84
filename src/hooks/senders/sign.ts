// Signs a request as its sender would, by the same row that verifies it: for `rouse send`, `doctor` and tests. Only
// schemes with a shared secret can do that; where the sender has a private key, nobody else can sign.
import { createHmac } from "node:crypto";
import { keyBytes } from "./keys.ts";
import type { Scheme, SenderKind, Time } from "./kind.ts";
import type { Place } from "./place.ts";
import { senderRequest } from "./request.ts";
import type { SenderSettings } from "./settings.ts";
import { signedBytes } from "./signed-bytes.ts";
import { suitsQuery } from "./verify.ts";

export type Unsigned = {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

export type SigningInput = {
  readonly now: number;
  /** For the header of the delivery's id, where the scheme has one and the request has none. */
  readonly deliveryId: string;
};

/** The headers to add; null where this kind cannot be signed here. */
export function signRequest(
  kind: SenderKind,
  settings: SenderSettings,
  unsigned: Unsigned,
  input: SigningInput,
): Record<string, string> | null {
  for (const scheme of kind.schemes) {
    const secret = settings.secrets.find((each) => scheme.secret?.test(each) ?? true);
    if (secret === undefined || !suitsQuery(scheme, unsigned.target)) continue;
    const headers = signWith(scheme, secret, { settings, unsigned, input });
    if (headers !== null) return headers;
  }
  return null;
}

type Context = { settings: SenderSettings; unsigned: Unsigned; input: SigningInput };

function signWith(scheme: Scheme, secret: string, context: Context): Record<string, string> | null {
  const { proof } = scheme;
  // In the body, the signature would have to stand in what it signs.
  if ((proof.kind === "equal" || proof.kind === "hmac") && !("header" in proof.at[0]!)) return null;
  if (proof.kind === "equal") return headerAt(proof.at[0], secret);
  if (proof.kind === "basic")
    return { authorization: `Basic ${Buffer.from(secret, "utf8").toString("base64")}` };
  if (proof.kind !== "hmac") return null;
  const key = keyBytes(secret, proof.key);
  const added = given(scheme, context);
  const time = scheme.time === undefined ? null : timeText(scheme.time, context.input.now);
  const { unsigned, settings } = context;
  const rawHeaders = Object.entries({ ...unsigned.headers, ...added }).flat();
  const request = senderRequest({ ...unsigned, rawHeaders }, unsigned.body);
  const parts = signedBytes(proof.message, request, { publicUrl: settings.publicUrl, time });
  if (key === null || parts === null) return null;
  const mac = createHmac(proof.hash, key);
  for (const part of parts) mac.update(part);
  return { ...added, ...presented(scheme, mac.digest(proof.encoding), time) };
}

/** The headers that the signed bytes name, made where the request has none. */
function given({ delivery, proof, time }: Scheme, { input, unsigned }: Context): Record<string, string> {
  const made: Record<string, string> = {};
  for (const place of delivery?.at ?? []) {
    if (!("header" in place) || place.header in unsigned.headers) continue;
    made[place.header] = input.deliveryId;
    break;
  }
  const isListed = proof.kind === "hmac" && proof.at.some((place) => sameHeader(place, time?.at));
  if (time !== undefined && !isListed) Object.assign(made, headerAt(time.at, timeText(time, input.now)));
  return made;
}

const sameHeader = (one: Place, other: Place | undefined): boolean =>
  other !== undefined && "header" in one && "header" in other && one.header === other.header;

/** The signature's header, with the time beside it where the scheme puts both into one. */
function presented({ proof, time }: Scheme, signature: string, at: string | null): Record<string, string> {
  const [place] = proof.kind === "hmac" ? proof.at : [];
  if (place === undefined || !("header" in place)) return {};
  const { prefix = "", list } = place;
  if (list === undefined) return { [place.header]: prefix + signature };
  const item = list.tag + list.by + signature;
  const timed = time?.at;
  const beside = timed !== undefined && sameHeader(place, timed) && "list" in timed ? timed.list : undefined;
  const value = beside === undefined ? item : `${beside.tag}${beside.by}${at ?? ""}${list.split}${item}`;
  return { [place.header]: prefix + value };
}

const headerAt = (place: Place | undefined, value: string): Record<string, string> =>
  place !== undefined && "header" in place ? { [place.header]: (place.prefix ?? "") + value } : {};

export function timeText({ unit }: Time, now: number): string {
  if (unit === "iso") return new Date(now).toISOString();
  return String(unit === "ms" ? now : Math.floor(now / 1000));
}
