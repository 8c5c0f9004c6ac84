// The engine that proves a request by a row of the table. All secrets and all presented signatures are tried, in constant
// time for each; what fails is told by class, never with a value.
import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
  verify as verifySignature,
} from "node:crypto";
import { decode, keyBytes, publicKeyOf } from "./keys.ts";
import type {
  Proof,
  ProofDeps,
  ProofFailure,
  Prove,
  Proved,
  Proven,
  Scheme,
  SenderKind,
  Time,
} from "./kind.ts";
import type { Place } from "./place.ts";
import {
  malformed,
  queryText,
  readHeader,
  readPlace,
  type SenderHead,
  senderRequest,
  type SenderRequest,
} from "./request.ts";
import type { SenderSettings } from "./settings.ts";
import { signedBytes } from "./signed-bytes.ts";
import { parseTime, timeFailure } from "./time.ts";

export type Verifier = {
  /** What can be said before the body is read. Null: go on. */
  checkHead(head: SenderHead, now: number): ProofFailure | null;
  prove(request: SenderRequest, deps: ProofDeps): Promise<Proven | ProofFailure>;
};

/** A scheme with the keys that are for it. */
type Ready = {
  readonly scheme: Scheme;
  readonly tolerance: number;
  readonly proves: Prove;
};

const missing: ProofFailure = { failed: "header-missing" };
const garbled: ProofFailure = { failed: "malformed" };
const changed: ProofFailure = { failed: "body-changed" };
const wrong: ProofFailure = { failed: "wrong-secret" };

/** The settings must be checked: every secret belongs to a scheme. */
export function createVerifier(kind: SenderKind, settings: SenderSettings): Verifier {
  const ready = kind.schemes.flatMap((scheme) => readyScheme(scheme, settings));
  const presented = (head: SenderHead): Ready[] => ready.filter(({ scheme }) => isPresented(scheme, head));
  return {
    checkHead(head, now) {
      const failures = presented(head).map((each) => headFailure(each, head, now));
      return failures.includes(null) ? null : mostTelling(failures.filter((each) => each !== null));
    },
    async prove(request, deps) {
      const failures: ProofFailure[] = [];
      for (const each of presented(request)) {
        const proved = await each.proves(request, deps);
        const failure = "failed" in proved ? proved : timeFault(each, request, deps.now);
        if (failure === null && "secret" in proved)
          return proven(kind, each.scheme, proved, { request, settings, now: deps.now });
        if (failure !== null) failures.push(failure);
      }
      return mostTelling(failures);
    },
  };
}

/** With a right signature only the time was wrong, and so on: the failure of the scheme that came furthest. */
const furthestFirst: readonly ProofFailure["failed"][] = [
  "too-old",
  "too-new",
  "body-changed",
  "wrong-secret",
  "malformed",
];

const mostTelling = (failures: readonly ProofFailure[]): ProofFailure =>
  furthestFirst.map((code) => failures.find(({ failed }) => failed === code)).find((each) => each) ??
  failures[0] ??
  missing;

type Context = { request: SenderRequest; settings: SenderSettings; now: number };

const proven = (
  kind: SenderKind,
  scheme: Scheme,
  { secret }: Proved,
  { request, settings, now }: Context,
): Proven => ({
  secret,
  delivery: deliveryOf(scheme, request),
  event: eventOf(kind, request),
  signed: ("message" in scheme.proof && partsOf(scheme, scheme.proof.message, request, settings)) || [
    request.body,
  ],
  skewMs: skewOf(scheme, request, now),
});

/** What a request says of itself, proven or not: for `rouse explain`. */
export const describeRequest = (
  kind: SenderKind,
  request: SenderRequest,
): { event: string | null; delivery: string | null } => ({
  event: eventOf(kind, request),
  delivery: kind.schemes.map((scheme) => deliveryOf(scheme, request)?.id).find((id) => id) ?? null,
});

function readyScheme(scheme: Scheme, settings: SenderSettings): Ready[] {
  const { time } = scheme;
  const tolerance = settings.toleranceSeconds ?? time?.toleranceSeconds ?? 0;
  const secrets = settings.secrets.filter((secret) => scheme.secret?.test(secret) ?? true);
  const prover = proverOf(scheme, secrets, settings);
  return prover === null ? [] : [{ scheme, tolerance, proves: prover }];
}

/** Null: no secret or key is for it. */
function proverOf(scheme: Scheme, secrets: readonly string[], settings: SenderSettings): Prove | null {
  const { proof } = scheme;
  if (proof.kind === "code") return proof.prove;
  if (proof.kind === "public-key") return publicKeyProver(scheme, proof, settings);
  if (secrets.length === 0) return null;
  if (proof.kind === "equal") return equalProver(proof.at, secrets, (secret) => secret);
  if (proof.kind === "basic") return equalProver(basicPlaces, secrets, basicValue);
  return hmacProver(scheme, proof, { secrets, settings });
}

const basicPlaces: readonly Place[] = [{ header: "authorization" }];
const basicValue = (secret: string): string => `Basic ${Buffer.from(secret, "utf8").toString("base64")}`;

function equalProver(
  at: readonly Place[],
  secrets: readonly string[],
  valueOf: (secret: string) => string,
): Prove {
  const digests = secrets.map((secret) => digest(Buffer.from(valueOf(secret), "utf8")));
  return async (request) => {
    const presented = presentedAt(at, request);
    if (!Array.isArray(presented)) return presented;
    const found = presented.map((value) => digest(Buffer.from(value, "latin1")));
    return provedBy(
      digests.map((each) => anyEqual(found, each)),
      secrets,
    );
  };
}

const digest = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

type Hmac = Extract<Proof, { kind: "hmac" }>;

function hmacProver(
  scheme: Scheme,
  proof: Hmac,
  { secrets, settings }: { secrets: readonly string[]; settings: SenderSettings },
): Prove | null {
  const usable = secrets.filter((secret) => keyBytes(secret, proof.key) !== null);
  if (usable.length === 0) return null;
  // As key objects: made of bytes for each request, they would cost as much as the HMAC of 4 KB.
  const keys = usable.map((secret) => createSecretKey(keyBytes(secret, proof.key)!));
  const macOf = (key: KeyObject, parts: readonly Buffer[]): Buffer => {
    const mac = createHmac(proof.hash, key);
    for (const part of parts) mac.update(part);
    return mac.digest();
  };
  return async (request) => {
    const presented = decoded(presentedAt(proof.at, request), proof.encoding);
    if (!Array.isArray(presented)) return presented;
    const parts = partsOf(scheme, proof.message, request, settings);
    if (parts === null) return garbled;
    if (scheme.bodyHash !== undefined && !isHashed(request, scheme.bodyHash.query)) return changed;
    return provedBy(
      keys.map((key) => anyEqual(presented, macOf(key, parts))),
      usable,
    );
  };
}

function isHashed({ body, target }: SenderRequest, query: string): boolean {
  const [written, ...others] = new URLSearchParams(queryText(target)).getAll(query);
  return others.length === 0 && written?.toLowerCase() === digest(body).toString("hex");
}

type PublicKeyProof = Extract<Proof, { kind: "public-key" }>;

function publicKeyProver(scheme: Scheme, proof: PublicKeyProof, settings: SenderSettings): Prove | null {
  const keys = settings.publicKeys.flatMap((written) => publicKeyOf(written, proof.algorithm) ?? []);
  if (keys.length === 0) return null;
  const hash = proof.algorithm === "ed25519" ? null : "sha256";
  return async (request) => {
    const presented = decoded(presentedAt(proof.at, request), proof.encoding);
    if (!Array.isArray(presented)) return presented;
    const parts = partsOf(scheme, proof.message, request, settings);
    if (parts === null) return garbled;
    const bytes = Buffer.concat(parts);
    const fits = (key: KeyObject) =>
      presented.some((signature) => verifySignature(hash, bytes, key, signature));
    return keys.some(fits) ? { secret: null } : wrong;
  };
}

function partsOf(
  { time }: Scheme,
  message: Hmac["message"],
  request: SenderRequest,
  { publicUrl }: SenderSettings,
): readonly Buffer[] | null {
  const written = time === undefined ? null : timeText(time, request);
  return signedBytes(message, request, { publicUrl, time: written });
}

/** The time as it is written, when it is one. */
function timeText(time: Time, request: SenderRequest): string | null {
  const found = readPlace(time.at, request);
  if (found === malformed || found.length !== 1) return null;
  return parseTime(found[0]!, time.unit) === null ? null : found[0]!;
}

function skewOf({ time }: Scheme, request: SenderRequest, now: number): number | null {
  const written = time === undefined ? null : timeText(time, request);
  const at = written === null ? null : parseTime(written, time!.unit);
  return at === null ? null : at - now;
}

type Timed = Pick<Ready, "scheme" | "tolerance">;

function timeFault(
  { scheme: { time }, tolerance }: Timed,
  request: SenderRequest,
  now: number,
): ProofFailure | null {
  if (time === undefined) return null;
  const written = timeText(time, request);
  const at = written === null ? null : parseTime(written, time.unit);
  return at === null ? garbled : timeFailure(at, now, tolerance);
}

/** The presented signatures: at most a few, since each costs a comparison. */
const mostPresented = 16;

function presentedAt(places: readonly Place[], request: SenderRequest): string[] | ProofFailure {
  const all: string[] = [];
  for (const place of places) {
    const found = readPlace(place, request);
    if (found === malformed) return garbled;
    for (const value of found) all.push(value);
  }
  if (all.length === 0) return missing;
  return all.length > mostPresented ? garbled : all;
}

function decoded(presented: string[] | ProofFailure, encoding: Hmac["encoding"]): Buffer[] | ProofFailure {
  if (!Array.isArray(presented)) return presented;
  const bytes = presented.flatMap((each) => decode(each, encoding) ?? []);
  return bytes.length === 0 ? garbled : bytes;
}

/** All secrets were tried, without an early exit. */
function provedBy(fits: readonly boolean[], secrets: readonly string[]): Proved | ProofFailure {
  const at = fits.indexOf(true);
  return at === -1 ? wrong : { secret: secrets[at]! };
}

function anyEqual(presented: readonly Buffer[], expected: Buffer): boolean {
  let matches = 0;
  for (const one of presented)
    if (one.length === expected.length && timingSafeEqual(one, expected)) matches++;
  return matches > 0;
}

/** Whether requests with this query are proven by the scheme. */
export const suitsQuery = ({ bodyHash, unlessQuery }: Scheme, target: string): boolean =>
  (bodyHash === undefined || hasQuery(bodyHash.query, target)) &&
  (unlessQuery === undefined || !hasQuery(unlessQuery, target));

/** Whether the request presents this kind of proof at all. What stands in the body is not known yet. */
function isPresented(scheme: Scheme, { rawHeaders, target }: SenderHead): boolean {
  const { proof, time } = scheme;
  if (!suitsQuery(scheme, target)) return false;
  if (time !== undefined && "header" in time.at && !hasHeader(time.at.header, rawHeaders)) return false;
  if (proof.kind === "code") return true;
  const places = proof.kind === "basic" ? basicPlaces : proof.at;
  return places.some((place) => !("header" in place) || hasHeader(place.header, rawHeaders));
}

const hasQuery = (name: string, target: string): boolean => new URLSearchParams(queryText(target)).has(name);

function hasHeader(name: string, rawHeaders: readonly string[]): boolean {
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]!.toLowerCase() === name) return true;
  return false;
}

/** Of the headers alone: each is there once and well-formed, and the time is near. */
function headFailure({ scheme, tolerance }: Timed, head: SenderHead, now: number): ProofFailure | null {
  const { proof, time } = scheme;
  const places = proof.kind === "code" ? [] : proof.kind === "basic" ? basicPlaces : proof.at;
  const headers = places.filter((place) => "header" in place);
  if (headers.length === places.length && places.length > 0) {
    const found = headers.map((place) => readHeader(place, head.rawHeaders));
    if (found.includes(malformed)) return garbled;
    if (found.every((values) => values !== malformed && values.length === 0)) return missing;
  }
  if (time === undefined || !("header" in time.at)) return null;
  return timeFault({ scheme, tolerance }, senderRequest(head, emptyBody), now);
}

const emptyBody = Buffer.alloc(0);

function deliveryOf({ delivery }: Scheme, request: SenderRequest): Proven["delivery"] {
  const id = delivery === undefined ? null : firstValue(delivery.at, request);
  if (id === null) return null;
  const scope = firstValue(delivery!.within ?? [], request);
  return { id: scope === null ? id : `${scope} ${id}`, signed: delivery!.signed };
}

function eventOf({ event, body }: SenderKind, received: SenderRequest): string | null {
  if (event === undefined) return null;
  const request = withFormField(received, body.formField);
  if (event.join !== true) return firstValue(event.at, request);
  const values = event.at.map((place) => oneValue(place, request));
  const [first] = values;
  return first === null || first === undefined ? null : values.filter((value) => value !== null).join(".");
}

/** Where a form's field is the payload, the payload's places are in it. */
function withFormField(request: SenderRequest, formField: string | undefined): SenderRequest {
  if (formField === undefined || request.json() !== undefined) return request;
  const written = request.form().get(formField);
  return written === null ? request : { ...request, json: senderRequest(request, Buffer.from(written)).json };
}

const firstValue = (at: readonly Place[], request: SenderRequest): string | null =>
  at.map((place) => oneValue(place, request)).find((value) => value !== null) ?? null;

function oneValue(place: Place, request: SenderRequest): string | null {
  const found = readPlace(place, request);
  return found === malformed ? null : found[0] || null;
}
