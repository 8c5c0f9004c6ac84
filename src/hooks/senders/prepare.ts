// Prepares senders for requests: finds each one's kind and checks that its settings can work. A fault is a problem of the
// configuration, reported before the first request: a secret of a wrong shape would otherwise fail each one as a wrong one.
import type { MappingConfig, SenderConfig } from "../../config/config.ts";
import type { Finding, Path } from "../../config/problem.ts";
import { largest } from "../../core/largest.ts";
import { nearest } from "../../core/nearest.ts";
import { customFault, customKind } from "./custom.ts";
import { keyBytes, publicKeyOf } from "./keys.ts";
import type { Proof, SenderKind } from "./kind.ts";
import { senderKinds } from "./kinds/index.ts";
import type { SpecialSetting } from "./settings.ts";
import { type Hidden, hiddenOf } from "./hidden.ts";
import { createVerifier, type Verifier } from "./verify.ts";

export type Sender = {
  readonly name: string;
  readonly kind: SenderKind;
  readonly settings: SenderConfig;
  readonly verifier: Verifier;
  /** Where the sender puts the secret itself: neither templates nor transforms see these. */
  readonly hidden: Hidden;
  /** The longest for which a signature can be used, in one direction. */
  readonly toleranceSeconds: number;
};

/** By the name of their hook. */
export type Senders = ReadonlyMap<string, Sender>;

export const noSenders: Senders = new Map();

export type PreparedSenders = { ok: true; senders: Senders } | { ok: false; findings: Finding[] };

export function prepareSenders(
  configured: readonly SenderConfig[],
  mappings: readonly Pick<MappingConfig, "origin" | "match">[] = [],
): PreparedSenders {
  const senders = new Map<string, Sender>();
  const faults = configured.flatMap((settings): Finding[] => {
    const kind = kindOf(settings);
    if (kind === null) return [unknownKind(settings)];
    const found = settingFaults(kind, settings);
    if (found.length === 0) senders.set(settings.name, senderOf(kind, settings));
    return found;
  });
  const findings = [...faults, ...mappings.flatMap((mapping) => filterFaults(mapping, senders))];
  return findings.length === 0 ? { ok: true, senders } : { ok: false, findings };
}

const senderOf = (kind: SenderKind, settings: SenderConfig): Sender => ({
  name: settings.name,
  kind,
  settings,
  verifier: createVerifier(kind, settings),
  hidden: hiddenOf(kind),
  toleranceSeconds: toleranceOf(kind, settings),
});

/** A header with a secret is hidden from filters, so that one which names it never fits. */
function filterFaults(
  { origin, match: { path, headers } }: Pick<MappingConfig, "origin" | "match">,
  senders: Senders,
): Finding[] {
  const hidden = senders.get(path ?? "")?.hidden.headers;
  return headers.flatMap(({ name }) =>
    hidden?.has(name) === true
      ? [
          {
            path: ["hooks", "mappings", origin, "match", "headers", name],
            message: "is a header that carries secrets and cannot be matched: the sender's proof checks it",
          },
        ]
      : [],
  );
}

const toleranceOf = ({ schemes }: SenderKind, { toleranceSeconds }: SenderConfig): number =>
  toleranceSeconds ?? largest(schemes.map(({ time }) => time?.toleranceSeconds ?? 0));

const customId = "custom";

/** Null: there is no such kind. */
function kindOf({ kind, custom, header }: SenderConfig): SenderKind | null {
  if (kind === customId && custom !== null && customFault(custom) === null) return customKind(custom);
  const found = senderKinds.get(kind) ?? null;
  return found === null || header === null ? found : withHeader(found, header);
}

/** The secret stands in a header of the operator's choice. */
const withHeader = (kind: SenderKind, header: string): SenderKind => ({
  ...kind,
  schemes: kind.schemes.map((scheme) =>
    scheme.proof.kind === "equal" ? { ...scheme, proof: { kind: "equal", at: [{ header }] } } : scheme,
  ),
});

const at = ({ name }: Pick<SenderConfig, "name">, ...setting: string[]): Path => [
  "hooks",
  "senders",
  name,
  ...setting,
];

function unknownKind(settings: SenderConfig): Finding {
  const known = [...senderKinds.keys()];
  const meant = nearest(settings.kind, known);
  const hint = meant === null ? "`rouse senders kinds` lists them" : `did you mean "${meant}"?`;
  return { path: at(settings, "kind"), message: `is no kind of sender: ${hint}` };
}

function settingFaults(kind: SenderKind, settings: SenderConfig): Finding[] {
  return [
    ...customFaults(kind, settings),
    ...secretFaults(kind, settings),
    ...publicKeyFaults(kind, settings),
    ...missingSettings(kind, settings),
  ];
}

function customFaults(kind: SenderKind, settings: SenderConfig): Finding[] {
  const { custom } = settings;
  if (kind.id !== customId)
    return custom === null
      ? []
      : [{ path: at(settings, "custom"), message: `has no effect on the kind ${kind.id}: remove it` }];
  if (custom === null)
    return [
      { path: at(settings, "custom"), message: "is required for this kind: say where the signature stands" },
    ];
  const fault = customFault(custom);
  return fault === null ? [] : [{ path: at(settings, "custom", fault.setting), message: fault.message }];
}

const usesSecret = ({ kind }: Proof): boolean => kind === "hmac" || kind === "equal" || kind === "basic";

function secretFaults(kind: SenderKind, settings: SenderConfig): Finding[] {
  const { secrets, publicKeys } = settings;
  const { from, where, shape } = kind.secret;
  const path = at(settings, "secret");
  const isOptional = from === "none" || from === "pairing" || from === "public-key" || publicKeys.length > 0;
  if (secrets.length === 0) return isOptional ? [] : [{ path, message: `is required: it is ${where}` }];
  return secrets.flatMap((secret, index): Finding[] => {
    const own = secrets.length === 1 ? path : [...path, index];
    if (secret.trim() === "") return [{ path: own, message: "must not be blank" }];
    if (shape && !shape.pattern.test(secret))
      return [{ path: own, message: `cannot be right: a secret of ${kind.label} ${shape.says}` }];
    if (!hasScheme(kind, secret))
      return [{ path: own, message: `cannot be right: it has not the form of a secret of ${kind.label}` }];
    return [];
  });
}

const hasScheme = ({ schemes }: SenderKind, secret: string): boolean => {
  const shared = schemes.filter(({ proof }) => usesSecret(proof));
  const isKey = (proof: Proof): boolean => proof.kind !== "hmac" || keyBytes(secret, proof.key) !== null;
  return (
    shared.length === 0 ||
    shared.some((scheme) => (scheme.secret?.test(secret) ?? true) && isKey(scheme.proof))
  );
};

function publicKeyFaults(kind: SenderKind, settings: SenderConfig): Finding[] {
  const { publicKeys, secrets } = settings;
  const path = at(settings, "publicKey");
  const proofs = kind.schemes.flatMap(({ proof }) => (proof.kind === "public-key" ? [proof] : []));
  if (proofs.length === 0)
    return publicKeys.length === 0
      ? []
      : [{ path, message: `has no effect on the kind ${kind.id}: remove it` }];
  const isNeeded = kind.schemes.every(({ proof }) => proof.kind === "public-key") || secrets.length === 0;
  if (publicKeys.length === 0)
    return isNeeded ? [{ path, message: `is required: it is ${kind.secret.where}` }] : [];
  return publicKeys.flatMap((written, index): Finding[] => {
    const own = publicKeys.length === 1 ? path : [...path, index];
    if (proofs.some(({ algorithm }) => publicKeyOf(written, algorithm) !== null)) return [];
    const wanted = proofs.map(({ algorithm }) => algorithm).join(" or ");
    return [
      { path: own, message: `is no public key for ${wanted}: give it as PEM, or as the sender shows it` },
    ];
  });
}

const isSet: Readonly<Record<SpecialSetting, (settings: SenderConfig) => boolean>> = {
  publicKey: ({ publicKeys }) => publicKeys.length > 0,
  publicUrl: ({ publicUrl }) => publicUrl !== null,
  verifyToken: ({ verifyToken }) => verifyToken !== null,
  origins: ({ origins }) => origins.length > 0,
  topicArns: ({ topicArns }) => topicArns.length > 0,
  audience: ({ audience }) => audience !== null,
  serviceAccountEmail: ({ serviceAccountEmail }) => serviceAccountEmail !== null,
  webhookId: ({ webhookId }) => webhookId !== null,
  header: ({ header }) => header !== null,
};

function missingSettings(kind: SenderKind, settings: SenderConfig): Finding[] {
  const needs = Object.entries(kind.needs ?? {}) as [SpecialSetting, string][];
  const missing = needs
    .filter(([name]) => !isSet[name](settings))
    .map(([name, where]) => ({
      path: at(settings, name),
      message: `is required for ${kind.label}: ${where}`,
    }));
  const used = new Set<SpecialSetting>([...needs.map(([name]) => name), ...(kind.takes ?? []), "publicKey"]);
  const idle = (Object.keys(isSet) as SpecialSetting[])
    .filter((name) => !used.has(name) && isSet[name](settings))
    .map((name) => ({
      path: at(settings, name),
      message: `has no effect on the kind ${kind.id}: remove it`,
    }));
  return [...missing, ...idle];
}
