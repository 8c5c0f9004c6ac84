// What the table of senders says about one kind of sender: how it proves itself and what it wants to hear. One file in
// `kinds/` describes one kind; `verify.ts` is the engine that reads it.
import type { TakenBody } from "../body/decode.ts";
import type { Answer, Handshake } from "./handshake.ts";
import type { Place } from "./place.ts";
import type { SenderRequest } from "./request.ts";
import type { SenderSettings, SpecialSetting } from "./settings.ts";

/** One part of the bytes that are signed, in order. */
export type Part =
  | "body"
  | "method"
  /** The address that the sender called: `publicUrl` of the config, with the request's query. */
  | "url"
  /** The same with the standard port where it has none, and without its port where it has one. */
  | "url-other-port"
  /** The same, with the escapes undone that HubSpot undoes. */
  | "decoded-url"
  /** The time as the request writes it. */
  | "time"
  /** The fields of a form, sorted by name, each as its name and its value. */
  | "sorted-form"
  | { readonly text: string }
  | {
      readonly value: Place;
      /** The whole value; it stands beside another variable part. */ readonly pattern?: RegExp;
    };

/** How the text of a configured secret becomes the key. */
export type KeyForm = "text" | "base64" | "whsec" | "hex";
export type Encoding = "hex" | "base64" | "base64url";

export type Time = {
  readonly at: Place;
  readonly unit: "s" | "ms" | "iso";
  readonly toleranceSeconds: number;
};

export type Proof =
  | {
      readonly kind: "hmac";
      readonly hash: "sha1" | "sha256" | "sha512";
      readonly encoding: Encoding;
      readonly key: KeyForm;
      /** Where signatures may stand. One that fits is enough: senders send several while a secret is rotated. */
      readonly at: readonly Place[];
      readonly message: readonly Part[];
    }
  | {
      readonly kind: "public-key";
      readonly algorithm: "ed25519" | "ecdsa-sha256" | "rsa-sha256";
      readonly encoding: Encoding;
      readonly at: readonly Place[];
      readonly message: readonly Part[];
    }
  /** The secret itself is sent. */
  | { readonly kind: "equal"; readonly at: readonly Place[] }
  /** `Authorization: Basic`; the secret is `user:password`. */
  | { readonly kind: "basic" }
  /** What no row can say. */
  | { readonly kind: "code"; readonly prove: Prove; readonly signs?: SignsBody };

/** A value, and whether the proof covers it. */
export type Covered = { readonly at: readonly Place[]; readonly signed: boolean };

/**
 * One way to prove a request. A kind may have several. Which of them a secret is for is decided by the secret's shape,
 * never by the request: a request can only choose among the schemes that have a secret.
 */
export type Scheme = {
  /** The shape of the secrets that it uses. Left out: all. */
  readonly secret?: RegExp;
  readonly proof: Proof;
  /** The signed address has the body's SHA-256 in this parameter; the body itself is not among the signed bytes. */
  readonly bodyHash?: { readonly query: string };
  /** Requests whose query has this parameter are proven by another scheme. */
  readonly unlessQuery?: string;
  readonly time?: Time;
  /** The id of the delivery: the same when the sender tries again. `within`: it is unique only beside this value. */
  readonly delivery?: Covered & { readonly within?: readonly Place[] };
};

/** Why a proof failed. The caller learns nothing of it; `rouse senders` shows it. */
export type ProofFailure = {
  readonly failed:
    | "header-missing"
    | "malformed"
    | "wrong-secret"
    /** The signature fits the body as it was before something on the way changed it. */
    | "body-changed"
    | "too-old"
    | "too-new"
    | "not-paired"
    | "body-timeout";
  /** With `too-old` and `too-new`: how far the sender's time is from ours. */
  readonly skewMs?: number;
};

export type Proven = {
  /** The secret that the request was proven with; null where a kind has none. */
  readonly secret: string | null;
  /** Null: the sender has none. */
  readonly delivery: { readonly id: string; readonly signed: boolean } | null;
  readonly event: string | null;
  /** What the sender signed; the body where it sends the secret itself. */
  readonly signed: readonly Buffer[];
  /** How far the sender's time is from ours; null where it names none. */
  readonly skewMs: number | null;
};

export type ProofDeps = {
  readonly now: number;
  readonly settings: SenderSettings;
  /** A public document, such as a certificate; an older copy than `maxAgeMs` is fetched again. Rejects without one. */
  readonly fetchText: (url: string, maxAgeMs?: number) => Promise<string>;
};

/** Of a kind in code. */
export type Prove = (request: SenderRequest, deps: ProofDeps) => Promise<Proved | ProofFailure>;
export type Proved = Pick<Proven, "secret">;

/** Of a kind in code whose signatures stand in the JSON body: the values to write there. */
export type SignsBody = (payload: unknown, secret: string) => readonly BodyValue[];
export type BodyValue = { readonly path: readonly (string | number)[]; readonly value: unknown };

/** How a body becomes a payload. `formField`: this field of a form is the JSON. */
export type SenderBody = TakenBody;

/** Where the secret comes from, and what it must look like. */
export type SecretRule = {
  readonly from: "sender" | "us" | "public-key" | "pairing" | "none";
  /** Every secret must fit it. A secret that cannot be right would fail each request as a wrong one. */
  readonly shape?: { readonly pattern: RegExp; readonly says: string };
  /** Where it is found, or where ours is pasted, in the sender's settings: one sentence. */
  readonly where: string;
  /** It arrives by request, and the sender wants to hear it from a person, too. */
  readonly pastedBack?: true;
};

export type SenderKind = {
  readonly id: string;
  readonly label: string;
  readonly secret: SecretRule;
  /** Settings beside the secret that it cannot do without, each with where its value is found. */
  readonly needs?: Partial<Readonly<Record<SpecialSetting, string>>>;
  /** Settings beside those that it may use. */
  readonly takes?: readonly SpecialSetting[];
  readonly schemes: readonly Scheme[];
  /** The kind of event. Several places join with a dot: `issues.opened`. Never joined when the first has no value. */
  readonly event?: Covered & { readonly join?: boolean };
  /** Events that only try the connection: accepted, and no mapping sees them. */
  readonly pings?: readonly string[];
  /**
   * What else makes two deliveries the same, where the id is not signed or there is none: the signed bytes, or nothing,
   * because the sender honestly sends equal bodies.
   */
  readonly replay: "body" | "none";
  readonly body: SenderBody;
  /** Default POST. */
  readonly methods?: readonly string[];
  readonly handshakes?: readonly Handshake[];
  /** What the sender wants to hear for a delivery that was taken. Default: 200 `{"ok":true}`. */
  readonly answer?: Answer;
  /** It sends wrong signatures on purpose and must hear 401, never 429. */
  readonly always401?: true;
  readonly describe: {
    /** What is checked, and what the proof does not cover. */
    readonly checks: string;
    readonly doesNotCheck?: string;
    /** How the sender tries again, and when it gives up. */
    readonly retries: string;
    /** What to paste where in the sender's settings, in steps. `ADDRESS` and `SECRET` stand for the two values. */
    readonly setUp: readonly string[];
    readonly docs: string;
  };
};
