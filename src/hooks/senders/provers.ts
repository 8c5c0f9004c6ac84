// One prover for each kind of proof. All secrets and all presented signatures are tried, in constant time for each.
import {
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  timingSafeEqual,
  verify as verifySignature,
} from "node:crypto";
import { decode, keyBytes, publicKeyOf } from "./keys.ts";
import type { Proof, ProofFailure, Prove, Proved, Scheme, Time } from "./kind.ts";
import type { Place } from "./place.ts";
import { malformed, queryText, readPlace, type SenderRequest } from "./request.ts";
import type { SenderSettings } from "./settings.ts";
import { signedBytes } from "./signed-bytes.ts";
import { parseTime } from "./time.ts";

const missing: ProofFailure = { failed: "header-missing" };
const garbled: ProofFailure = { failed: "malformed" };
const changed: ProofFailure = { failed: "body-changed" };
const wrong: ProofFailure = { failed: "wrong-secret" };

/** Null: no secret or key is for it. */
export function proverOf(scheme: Scheme, secrets: readonly string[], settings: SenderSettings): Prove | null {
  const { proof } = scheme;
  if (proof.kind === "code") return proof.prove;
  if (proof.kind === "public-key") return publicKeyProver(scheme, proof, settings);
  if (secrets.length === 0) return null;
  if (proof.kind === "equal") return equalProver(proof.at, secrets, (secret) => secret);
  if (proof.kind === "basic") return equalProver(basicPlaces, secrets, basicValue);
  return hmacProver(scheme, proof, { secrets, settings });
}

export const basicPlaces: readonly Place[] = [{ header: "authorization" }];
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

export function partsOf(
  { time }: Scheme,
  message: Hmac["message"],
  request: SenderRequest,
  { publicUrl }: SenderSettings,
): readonly Buffer[] | null {
  const written = time === undefined ? null : timeText(time, request);
  return signedBytes(message, request, { publicUrl, time: written });
}

/** The time as it is written, when it is one. */
export function timeText(time: Time, request: SenderRequest): string | null {
  const found = readPlace(time.at, request);
  if (found === malformed || found.length !== 1) return null;
  return parseTime(found[0]!, time.unit) === null ? null : found[0]!;
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
