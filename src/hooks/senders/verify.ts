// Proves a request by a row of the table: finds the schemes that it presents, tries each, and checks the time. What fails
// is told by class, never with a value.
import { deliveryOf, eventOf } from "./about.ts";
import type { ProofDeps, ProofFailure, Prove, Proved, Proven, Scheme, SenderKind } from "./kind.ts";
import { basicPlaces, partsOf, proverOf, timeText } from "./provers.ts";
import {
  malformed,
  queryText,
  readHeader,
  type SenderHead,
  senderRequest,
  type SenderRequest,
} from "./request.ts";
import type { SenderSettings } from "./settings.ts";
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
